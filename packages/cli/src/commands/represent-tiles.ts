import type { RepresentOptions } from 'ght';
import { OptionError, solverCatalogue } from 'ght';
import { type ImageNames, type Picture, type RepresentRequest, representTask } from 'ght-tiles';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { progressDisplay } from '../output/progress.js';
import { pictureLine } from '../output/summary.js';
import { count, decibels, facts, measure } from '../output/table.js';
import { isZarr, refuseWithTiles } from '../tile-flags.js';
import type { RepresentFlags } from './represent-flags.js';
import { runTiles } from './tiles.js';
import { forWriting } from './written-target.js';

/** Represents an image of any size in tiles, with the codes of the untiled run; a Zarr holds picture and codes. */
export async function representInTiles(
  path: string,
  flags: RepresentFlags,
  options: RepresentOptions,
  context: Context,
): Promise<void> {
  const { output, pages, axes, array, format, heatmap, codes, history, peak } = flags;
  refuseWithTiles({ '--pages': pages, '--axes': axes, '--array': array, '--format': format });
  refuseWithTiles({ '--heatmap': heatmap, '--codes': codes, '--history': history });
  if (output === undefined) {
    throw new OptionError('-o', 'must be given for an image in tiles', 'nothing', 'name a Zarr or a TIFF');
  }
  const request = (names: ImageNames, picture: Picture): RepresentRequest => {
    const given = Object.entries(forWriting(options, picture)).filter(([, value]) => value !== undefined);
    return { ...names, tile: flags.tile, peak, options: Object.fromEntries(given) };
  };
  const start = performance.now();
  const solver = solverCatalogue[options.solver ?? 'joint-omp'];
  const display = progressDisplay(solver.title, silent(flags));
  const run = { path, output, flags, task: representTask(), request };
  const { result, picture, by, notKept } = await runTiles(run, context, display).finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  if (flags.json) {
    const { metadata: _metadata, ...image } = picture;
    const { history: _history, images: _images, ...rest } = result;
    context.print(JSON.stringify({ task: 'represent', image, ...rest, by, seconds, notKept }));
    return;
  }
  const { nonzeros, patches, budget, rmse, rmsePixel, psnr, iterations } = result;
  const average = (n: number) => `${count(n)} (${(n / patches).toFixed(2)} per patch)`;
  context.print(
    `${pictureLine(path, { ...picture, channels: picture.channels + Number(picture.alpha) })}\n${facts([
      ['solver', solver.title],
      ['atoms', `${average(nonzeros)} of ${average(budget)}`],
      ['RMSE', `${measure(rmse)} per patch, ${measure(rmsePixel)} per pixel`],
      ['PSNR', decibels(psnr)],
      ['iterations', String(iterations)],
      ['time', `${seconds.toFixed(2)} s in tiles${by === 'here' ? '' : `, by workers, ${by}`}`],
      ['wrote', isZarr(output) ? `${output}, picture and codes` : output],
    ])}`,
  );
}
