/** Runs the network for colour pictures on a GPU: blocks of one size together, as many as its memory takes at once. */
import { blocksOf, type LearnedRunner } from '../../../denoisers/learned/blocks.js';
import type { ColourModel } from '../../../denoisers/learned/colour-model.js';
import { deviationsOf, readPicture, type SiteGrid, sitesOf, writePicture } from '../../../denoisers/learned/picture.js';
import type { Rectangle } from '../../../image/rectangle.js';
import { drive } from '../../../work.js';
import { colourBytes } from '../bytes.js';
import type { BufferScope, Gpu } from '../gpu.js';
import { groupsOf, type LayerShape, layerKernel, paddedChannels, weightTable } from '../kernels/network.js';

/** Blocks at once, at most: enough to keep a large GPU busy, and about 200 MB. */
const MOST_BLOCKS = 16;

/** Runs the network, tile after tile. */
export function networkRunner(gpu: Gpu, model: ColourModel): LearnedRunner {
  let tables: readonly GPUBuffer[] | undefined;
  const bytesOf = (p: number, columns: number, rows: number) =>
    (4 * paddedChannels(model.places[p].channels) * columns * rows) / 4 ** model.places[p].scale;
  return {
    bytes: colourBytes,
    async run(tile, signal, onFraction) {
      tables ??= await gpu.allocated(() => {
        const scope = gpu.scope();
        return model.layers.map((layer) => scope.bufferOf(weightTable(layer)));
      });
      const planes = Array.from({ length: tile.channels }, () => new Float32Array(tile.width * tile.height));
      for (const [c, plane] of planes.entries()) await drive(tile.read(c, plane), { signal });
      const results = planes.map(({ length }) => new Float32Array(length));
      const deviations = deviationsOf(tile.scales);
      const runs = runsOf(blocksOf(tile), model, (columns, rows) => {
        const largest = Math.max(...model.places.map((_, p) => bytesOf(p, columns, rows)));
        return Math.max(1, Math.min(MOST_BLOCKS, Math.floor(gpu.limits.maxStorageBufferBindingSize / largest)));
      });
      const scope = gpu.pooledScope();
      try {
        for (const [r, { blocks, columns, rows }] of runs.entries()) {
          signal?.throwIfAborted();
          const site = paddedChannels(model.places[0].channels);
          const grid: SiteGrid = { first: 0, site, row: site * columns };
          const picture = new Float32Array(blocks.length * site * columns * rows);
          const partOf = (values: Float32Array, b: number) =>
            values.subarray(b * site * columns * rows, (b + 1) * site * columns * rows);
          for (const [b, block] of blocks.entries()) {
            readPicture(block, planes, tile, deviations, model, partOf(picture, b), grid);
          }
          const run = { columns, rows, blocks: blocks.length };
          const denoised = await throughLayers(gpu, scope, model, tables, run, picture, bytesOf, signal);
          for (const [b, block] of blocks.entries()) {
            writePicture(partOf(denoised, b), grid, deviations, block, results, tile.width);
          }
          onFraction?.((r + 1) / runs.length);
        }
        scope.keep();
        return results;
      } finally {
        scope.dispose();
      }
    },
  };
}

/** The pictures of some blocks after all layers. */
async function throughLayers(
  gpu: Gpu,
  scope: BufferScope,
  model: ColourModel,
  tables: readonly GPUBuffer[],
  { columns, rows, blocks }: { readonly columns: number; readonly rows: number; readonly blocks: number },
  picture: Float32Array,
  bytesOf: (p: number, columns: number, rows: number) => number,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const shapes = model.layers.map(({ kind, mode, from, inputs, outputs }): LayerShape => {
    const scale = 2 ** model.places[from].scale;
    const padded = { inputs: paddedChannels(inputs), outputs: paddedChannels(outputs) };
    return { kind, mode, ...padded, columns: columns / scale, rows: rows / scale, blocks };
  });
  const kernels = await Promise.all(shapes.map((shape) => gpu.kernel(layerKernel(shape), `network ${shape.kind}`)));
  const places = await gpu.allocated(() =>
    model.places.map((_, p) => scope.buffer(blocks * bytesOf(p, columns, rows))),
  );
  scope.write(places[0], picture);
  const batch = gpu.batch();
  for (const [k, { from, into }] of model.layers.entries()) {
    const buffers = { h: places[from], weights: tables[k], result: places[into] };
    batch.run(kernels[k], kernels[k].bind(buffers), groupsOf(shapes[k]));
  }
  batch.submit();
  return new Float32Array(await gpu.read(places[0], 0, picture.byteLength, signal));
}

/** Blocks whose sites have the same size, a limited number at a time. */
function runsOf(
  blocks: readonly Rectangle[],
  model: ColourModel,
  atOnce: (columns: number, rows: number) => number,
): { readonly blocks: readonly Rectangle[]; readonly columns: number; readonly rows: number }[] {
  const bySize = new Map<string, Rectangle[]>();
  for (const block of blocks) {
    const { columns, rows } = sitesOf(block, model);
    bySize.set(`${columns}×${rows}`, [...(bySize.get(`${columns}×${rows}`) ?? []), block]);
  }
  return [...bySize.values()].flatMap((all) => {
    const { columns, rows } = sitesOf(all[0], model);
    const most = atOnce(columns, rows);
    const starts = Array.from({ length: Math.ceil(all.length / most) }, (_, i) => i * most);
    return starts.map((from) => ({ blocks: all.slice(from, from + most), columns, rows }));
  });
}
