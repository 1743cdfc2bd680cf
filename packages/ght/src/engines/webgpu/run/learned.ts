/** Runs the learned denoiser on a GPU: blocks of one size together, as many as its memory takes at once. */
import type { Tile } from '../../../denoisers/denoiser.js';
import { blocksOf, type LearnedRunner, MOST_SIDE, surrounded } from '../../../denoisers/learned/blocks.js';
import { type LearnedModel, SAMPLES, STRIDE } from '../../../denoisers/learned/model.js';
import { EngineFailure } from '../../../errors.js';
import type { Rectangle } from '../../../image/rectangle.js';
import { drive } from '../../../work.js';
import { learnedBytes } from '../bytes.js';
import type { Batch, BufferScope, Gpu, Kernel } from '../gpu.js';
import {
  analysisTable,
  blockWords,
  codesKernel,
  foldKernel,
  gatherKernel,
  type LearnedShape,
  PIXEL_THREADS,
  putKernel,
  rimmed,
  SITES,
  sitesOf,
} from '../kernels/learned.js';
import { DoubleBuffer } from './double-buffer.js';

/** Blocks at once, at most: enough to keep a large GPU busy, and about 200 MB. */
const MOST_BLOCKS = 16;

/** Blocks that are computed together. */
interface Run {
  readonly blocks: readonly Rectangle[];
  readonly shape: LearnedShape;
}

type Kernels = Readonly<Record<'gather' | 'codes' | 'fold' | 'put', Kernel>>;

/** Runs the model, tile after tile. */
export function learnedRunner(gpu: Gpu, model: LearnedModel): LearnedRunner {
  const codesBytes = 4 * model.atoms * (MOST_SIDE / STRIDE) ** 2;
  const atOnce = Math.max(1, Math.min(MOST_BLOCKS, Math.floor(gpu.limits.maxStorageBufferBindingSize / codesBytes)));
  // Kept from tile to tile: the kernels by shape, the model, and a plane on its way to the GPU.
  const compiled = new Map<string, Promise<Kernels>>();
  let tables: readonly StepTables[] | undefined;
  let samples = new Float32Array(0);
  const kernelsFor = (shape: LearnedShape): Promise<Kernels> => {
    const key = `${shape.width}×${shape.height}×${shape.blocks}`;
    const known = compiled.get(key) ?? compile(gpu, shape);
    compiled.set(key, known);
    return known;
  };
  return {
    bytes: learnedBytes,
    async run(tile, signal, onFraction) {
      const pixels = tile.width * tile.height;
      const most = gpu.limits.maxStorageBufferBindingSize / 4;
      if (pixels > most) {
        throw new EngineFailure(`the GPU cannot bind planes of more than ${Math.floor(most)} pixels`);
      }
      signal?.throwIfAborted();
      const runs = [...runsOf(tile, model.atoms, atOnce)];
      const kernels = await Promise.all(runs.map(({ shape }) => kernelsFor(shape)));
      tables ??= await gpu.allocated(() => stepTables(gpu.scope(), model));
      if (samples.length !== pixels) samples = new Float32Array(pixels);
      const scope = gpu.pooledScope();
      try {
        const buffers = await gpu.allocated(() => buffersFor(scope, tile, runs));
        const batches = new DoubleBuffer(gpu, signal);
        const count = runs.length * tile.channels;
        for (const [c, { noisy, result }] of buffers.planes.entries()) {
          await drive(tile.read(c, samples), { signal });
          scope.write(noisy, samples);
          for (const [i, { shape }] of runs.entries()) {
            const batch = gpu.batch();
            // What is not kept stays zero.
            if (i === 0) batch.clear(result);
            addSteps(batch, kernels[i], tables, shape, { ...buffers, noisy, result, places: buffers.places[i] });
            await batches.submit(batch, () => onFraction?.((c * runs.length + i + 1) / count));
          }
        }
        const results = await Promise.all(buffers.planes.map(({ result }) => gpu.read(result, 0, 4 * pixels, signal)));
        await batches.end();
        scope.keep();
        return results.map((result) => new Float32Array(result));
      } finally {
        scope.dispose();
      }
    },
  };
}

/** Blocks of one size with their surroundings, a limited number at a time. */
function* runsOf(tile: Tile, atoms: number, atOnce: number): Generator<Run> {
  const bySize = new Map<string, Rectangle[]>();
  for (const block of blocksOf(tile)) {
    const { width, height } = surrounded(block);
    const key = `${width}×${height}`;
    bySize.set(key, [...(bySize.get(key) ?? []), block]);
  }
  for (const all of bySize.values()) {
    for (let from = 0; from < all.length; from += atOnce) {
      const blocks = all.slice(from, from + atOnce);
      yield { blocks, shape: { ...surrounded(blocks[0]), blocks: blocks.length, atoms } };
    }
  }
}

async function compile(gpu: Gpu, shape: LearnedShape): Promise<Kernels> {
  const [gather, codes, fold, put] = await Promise.all([
    gpu.kernel(gatherKernel(shape), 'learned gather'),
    gpu.kernel(codesKernel(shape), 'learned codes'),
    gpu.kernel(foldKernel(shape), 'learned fold'),
    gpu.kernel(putKernel(shape), 'learned result'),
  ]);
  return { gather, codes, fold, put };
}

/** The matrices and thresholds of a step. */
type StepTables = Readonly<Record<'A' | 'kappa' | 'B', GPUBuffer>>;

function stepTables(scope: BufferScope, { steps, atoms, A, B, D, kappa }: LearnedModel): StepTables[] {
  return Array.from({ length: steps }, (_, k) => {
    const [from, to] = [k * atoms * SAMPLES, (k + 1) * atoms * SAMPLES];
    return {
      A: scope.bufferOf(analysisTable(A.subarray(from, to), atoms)),
      kappa: scope.bufferOf(kappa.slice(k * atoms, (k + 1) * atoms)),
      B: scope.bufferOf(k < steps - 1 ? B.slice(from, to) : D),
    };
  });
}

/** What all runs use in turn: y, r, the codes α and the patches q. */
type Scratch = Readonly<Record<'y' | 'r' | 'alpha' | 'q', GPUBuffer>>;

/** The buffers of a tile; `places` has the blocks of each run. */
function buffersFor(scope: BufferScope, tile: Tile, runs: readonly Run[]) {
  const largest = (bytes: (shape: LearnedShape) => number) =>
    scope.buffer(Math.max(0, ...runs.map(({ shape }) => bytes(shape))));
  const plane = () => scope.buffer(4 * tile.width * tile.height);
  return {
    planes: Array.from({ length: tile.channels }, () => ({ noisy: plane(), result: plane() })),
    places: runs.map(({ blocks }) => scope.bufferOf(blockWords(tile, blocks))),
    y: largest((shape) => 4 * shape.blocks * rimmed(shape).pixels),
    r: largest((shape) => 4 * shape.blocks * rimmed(shape).pixels),
    alpha: largest((shape) => 4 * shape.atoms * sitesOf(shape).padded),
    q: largest((shape) => 4 * SAMPLES * sitesOf(shape).padded),
  };
}

/** The unrolled iteration on some blocks of a plane. */
function addSteps(
  batch: Batch,
  { gather, codes, fold, put }: Kernels,
  tables: readonly StepTables[],
  shape: LearnedShape,
  buffers: Scratch & Readonly<Record<'noisy' | 'result' | 'places', GPUBuffer>>,
): void {
  const { noisy, result, places, y, r, alpha, q } = buffers;
  const { padded } = sitesOf(shape);
  const groups = (pixels: number) => Math.ceil((shape.blocks * pixels) / PIXEL_THREADS);
  const pixelGroups = groups(shape.width * shape.height);
  batch.clear(alpha, 0, 4 * shape.atoms * padded);
  batch.run(gather, gather.bind({ plane: noisy, blocks: places, y, r }), groups(rimmed(shape).pixels));
  const folding = fold.bind({ q, y, r });
  for (const [k, { A, kappa, B }] of tables.entries()) {
    batch.run(codes, codes.bind({ r, A, kappa, B, alpha, q }), padded / SITES);
    if (k < tables.length - 1) batch.run(fold, folding, pixelGroups);
  }
  batch.run(put, put.bind({ q, blocks: places, plane: result }), pixelGroups);
}
