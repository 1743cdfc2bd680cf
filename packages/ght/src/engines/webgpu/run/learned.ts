/** Runs the learned denoiser on a GPU: blocks of one size together, as many as its memory takes at once. */
import type { Tile } from '../../../denoisers/denoiser.js';
import {
  blocksOf,
  gatherBlock,
  HALO,
  type LearnedRunner,
  MOST_SIDE,
  surrounded,
} from '../../../denoisers/learned/blocks.js';
import { type LearnedModel, SAMPLES, STRIDE } from '../../../denoisers/learned/model.js';
import type { Rectangle } from '../../../signal/rectangle.js';
import { drive } from '../../../work.js';
import { learnedBytes } from '../bytes.js';
import type { Gpu, Room } from '../gpu.js';
import {
  analysisTable,
  codesKernel,
  foldKernel,
  type LearnedShape,
  RIM,
  rimmed,
  SITES,
  sitesOf,
} from '../kernels/learned.js';

/** Blocks at once, at most: enough to keep a large GPU busy, and about 200 MB. */
const MOST_BLOCKS = 16;

/** Runs the model, tile after tile. */
export function learnedRunner(gpu: Gpu, model: LearnedModel): LearnedRunner {
  const codesBytes = 4 * model.atoms * (MOST_SIDE / STRIDE) ** 2;
  const atOnce = Math.max(1, Math.min(MOST_BLOCKS, Math.floor(gpu.limits.maxStorageBufferBindingSize / codesBytes)));
  return {
    bytes: learnedBytes,
    async run(tile, signal, onFraction) {
      const planes: Float32Array[] = [];
      for (let c = 0; c < tile.channels; c++) {
        const plane = new Float32Array(tile.width * tile.height);
        await drive(tile.read(c, plane), { signal });
        planes.push(plane);
      }
      const results = planes.map((plane) => new Float32Array(plane.length));
      const runs = [...runsOf(tile, atOnce)].flatMap((blocks) => planes.map((_, c) => ({ blocks, c })));
      for (const [i, { blocks, c }] of runs.entries()) {
        const shape = { ...surrounded(blocks[0]), blocks: blocks.length, atoms: model.atoms };
        const denoised = await unrolled(gpu, model, shape, gathered(shape, blocks, planes[c], tile), signal);
        for (const [b, block] of blocks.entries()) putBlock(shape, denoised, b, block, results[c], tile.width);
        onFraction?.((i + 1) / runs.length);
      }
      return results;
    },
  };
}

/** Blocks of one size with their surroundings, at most so many at a time. */
function* runsOf(tile: Tile, atOnce: number): Generator<Rectangle[]> {
  const bySize = new Map<string, Rectangle[]>();
  for (const block of blocksOf(tile)) {
    const { width, height } = surrounded(block);
    const key = `${width}×${height}`;
    bySize.set(key, [...(bySize.get(key) ?? []), block]);
  }
  for (const blocks of bySize.values()) {
    for (let from = 0; from < blocks.length; from += atOnce) yield blocks.slice(from, from + atOnce);
  }
}

/** Blocks with their surroundings and the rim of zeros, one after the other. */
function gathered(shape: LearnedShape, blocks: readonly Rectangle[], plane: Float32Array, tile: Tile): Float32Array {
  const { row, pixels } = rimmed(shape);
  const out = new Float32Array(pixels * blocks.length);
  for (const [b, block] of blocks.entries()) {
    gatherBlock(block, tile, (x, y, from) => {
      out[b * pixels + (y + RIM.before) * row + x + RIM.before] = plane[from];
    });
  }
  return out;
}

/** Copies a block without its surroundings to its place in a plane. */
function putBlock(
  shape: LearnedShape,
  denoised: Float32Array,
  b: number,
  { left, top, width, height }: Rectangle,
  plane: Float32Array,
  stride: number,
): void {
  const { row, pixels } = rimmed(shape);
  for (let y = 0; y < height; y++) {
    const from = b * pixels + (y + RIM.before + HALO) * row + RIM.before + HALO;
    plane.set(denoised.subarray(from, from + width), (top + y) * stride + left);
  }
}

/** The unrolled iteration on some blocks. */
async function unrolled(
  gpu: Gpu,
  model: LearnedModel,
  shape: LearnedShape,
  picture: Float32Array,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const { steps, atoms } = model;
  const { padded } = sitesOf(shape);
  const room = gpu.room();
  try {
    const [codes, fold, lastFold] = await Promise.all([
      gpu.kernel(codesKernel(shape), 'learned codes'),
      gpu.kernel(foldKernel(shape, false), 'learned fold'),
      gpu.kernel(foldKernel(shape, true), 'learned result'),
    ]);
    const { y, r, alpha, q, tables } = await gpu.allocated(() => ({
      y: room.bufferOf(picture),
      r: room.bufferOf(picture),
      alpha: room.buffer(4 * atoms * padded),
      q: room.buffer(4 * SAMPLES * padded),
      tables: stepTables(room, model),
    }));
    const pixels = shape.blocks * shape.width * shape.height;
    const batch = gpu.batch();
    for (const [k, { A, kappa, B }] of tables.entries()) {
      batch.run(codes, codes.bind({ 0: r, 1: A, 2: kappa, 3: B, 4: alpha, 5: q }), padded / SITES);
      const last = k === steps - 1;
      const bound = last ? lastFold.bind({ 0: q, 2: r }) : fold.bind({ 0: q, 1: y, 2: r });
      batch.run(last ? lastFold : fold, bound, Math.ceil(pixels / 64));
    }
    signal?.throwIfAborted();
    batch.submit();
    return new Float32Array(await gpu.read(r, 0, r.size, signal));
  } finally {
    room.dispose();
  }
}

/** The matrices and thresholds of every step. */
function stepTables(room: Room, { steps, atoms, A, B, D, kappa }: LearnedModel) {
  return Array.from({ length: steps }, (_, k) => {
    const [from, to] = [k * atoms * SAMPLES, (k + 1) * atoms * SAMPLES];
    return {
      A: room.bufferOf(analysisTable(A.subarray(from, to), atoms)),
      kappa: room.bufferOf(kappa.slice(k * atoms, (k + 1) * atoms)),
      B: room.bufferOf(k < steps - 1 ? B.slice(from, to) : D),
    };
  });
}
