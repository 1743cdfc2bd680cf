/**
 * Whether two machines compute the same bits. Version numbers do not tell: a fused multiply-add belongs to the processor, sines and
 * powers belong to the host. So each process solves a few small problems and hashes the results. Runs are given only to workers
 * with the same hash.
 */
import { createHash } from 'node:crypto';
import { denoise, type Image, qualities, randomSource, represent } from 'ght';
import { version } from './identity.js';

/** Pixels per side of the images that are solved: several patches, and more than one group of them. */
const SIDE = 48;

let known: Promise<string> | undefined;

/** The fingerprint of this process: 12 hexadecimal digits. It takes a second the first time. */
export function fingerprint(): Promise<string> {
  known ??= computed();
  return known;
}

async function computed(): Promise<string> {
  const hash = createHash('sha256').update(version);
  const add = (array: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number }) => {
    hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  };
  const grey = testImage(1);
  for (const solver of ['joint-omp', 'admm', 'qpm'] as const) {
    const limits = solver === 'joint-omp' ? {} : { maxIterations: 5 };
    const { codes } = await represent(grey, { solver, budget: { perPatch: 5 }, threads: 1, ...limits });
    add(codes.indices);
    add(codes.values);
  }
  // The noise is estimated, so that the estimators are part of it.
  for (const quality of qualities) {
    for (const image of quality === 'fast' ? [grey, testImage(3)] : [grey]) {
      const { image: clean } = await denoise(image, { quality, threads: 1 });
      for (const plane of clean.planes) add(plane as Float64Array);
    }
  }
  return hash.digest('hex').slice(0, 12);
}

/** Waves under noise. The waves need no sine, so that all hosts solve the same problem. */
function testImage(planes: number): Image {
  const random = randomSource(planes);
  const wave = (i: number, period: number) => Math.abs((i % period) - period / 2) / period;
  const plane = () => {
    return Float64Array.from({ length: SIDE * SIDE }, (_, i) => {
      return Math.round(
        60 + 120 * wave(i % SIDE, 14) + 80 * wave(Math.floor(i / SIDE), 23) + 16 * (random.uniform() - 0.5),
      );
    });
  };
  return { width: SIDE, height: SIDE, planes: Array.from({ length: planes }, plane), peak: 255 };
}
