import { type Image, overcompleteDct, probeEngines, randomSource, represent } from 'ght';
import type { EngineSpeed } from './protocol.js';
import type { Call } from './session.js';

/** The engines, and the side of an image that takes each about half a second on a laptop. */
const sides = [
  ['webgpu', 1024],
  ['wasm', 1024],
  ['portable', 256],
  ['reference', 64],
] as const;
const RUNS = 2;

/** How many 8×8 patches per second each engine represents with 5 atoms per patch by joint OMP; the better of two runs. */
export async function measureEngines({ signal, tell }: Call): Promise<EngineSpeed[]> {
  const dictionary = overcompleteDct(8, 10);
  const states = await probeEngines();
  const here = sides.filter(([engine]) => states.some(({ name, available }) => name === engine && available));
  const speeds: EngineSpeed[] = [];
  for (const [i, [engine, side]] of here.entries()) {
    const image = texture(side);
    let best: EngineSpeed | undefined;
    for (let run = 0; run < RUNS; run++) {
      tell({ kind: 'progress', fraction: (i + run / RUNS) / here.length, doing: engine });
      const start = performance.now();
      const options = { solver: 'joint-omp', dictionary, budget: { perPatch: 5 }, engine, signal } as const;
      const result = await represent(image, options).catch(() => undefined);
      signal.throwIfAborted();
      // An engine that fails is left out; the CPU takes the place of a GPU.
      if (result?.engine.name !== engine) break;
      const patchesPerSecond = result.patches / ((performance.now() - start) / 1000);
      if (!best || patchesPerSecond > best.patchesPerSecond) {
        best = { engine, threads: result.engine.threads, patchesPerSecond };
      }
    }
    if (best) speeds.push(best);
  }
  return speeds;
}

/** Waves with some noise: neither trivial nor random; the same every time. */
function texture(side: number): Image {
  const random = randomSource(1);
  const plane = Float32Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [i % side, Math.floor(i / side)];
    return 128 + 50 * Math.sin(x / 7) * Math.cos(y / 11) + 8 * random.normal();
  });
  return { width: side, height: side, planes: [plane], peak: 255 };
}
