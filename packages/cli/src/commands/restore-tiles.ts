/** Restores an image in tiles, with the bits of the untiled run. */
import { estimateMemory, OptionError } from 'ght';
import { type ImageNames, type Picture, type RestoreRequest, restoredPicture, restoreTask } from 'ght-tiles';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { refuseOverwritingFiles } from '../io/index.js';
import { memorySizeIn, refuseTooLargeToRestore } from '../memory-limit.js';
import { progressDisplay } from '../output/progress.js';
import { pictureLine } from '../output/summary.js';
import { facts } from '../output/table.js';
import { refuseWithTiles } from '../tile-flags.js';
import { finer, loopRows, loopSummary, type RestorationFlags, type Task } from './restoration-flags.js';
import { runTiles } from './tiles.js';

export async function restoreInTiles(
  path: string,
  flags: RestorationFlags,
  context: Context,
  task: Task,
): Promise<void> {
  const { pages, axes, array, peak, reference, format, quality, engine, threads, output, tile } = flags;
  refuseWithTiles({
    '--pages': pages,
    '--axes': axes,
    '--array': array,
    '--peak': peak,
    '--reference': reference,
    '--format': format,
  });
  const asked = await task.inTiles();
  if (!asked) throw new OptionError('--method', 'must be groups for an image in tiles', 'paper', 'remove it');
  await refuseOverwritingFiles([{ path, parameter: 'IMAGE' }, ...task.inputs], [{ path: output, parameter: '-o' }]);
  const all = Object.entries({ ...asked.options, quality, engine, threads });
  const options = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  const limits = { quality, factor: task.factor, tiled: true };
  const pictureOf = (picture: Picture): Picture => {
    // Tiles have a limit of their own, but the data step needs whole planes.
    refuseTooLargeToRestore(memorySizeIn(picture), limits);
    const { metadata, ...result } = restoredPicture(picture, asked);
    return { ...result, ...(metadata && { metadata: finer(metadata, task.factor ?? 1) }) };
  };
  const request = (names: ImageNames, _: Picture, nameOf: (file: string) => string): RestoreRequest => {
    const what = asked.task === 'inpaint' && asked.mask !== undefined ? { mask: nameOf(asked.mask) } : {};
    return { ...asked, ...what, ...names, tile, options };
  };
  const memory = async (picture: Picture) => estimateMemory('restore', memorySizeIn(picture), limits);
  const start = performance.now();
  const display = progressDisplay(task.name, silent(flags));
  const stoppedNote = (zarr: string) => `nothing is complete in ${zarr} yet, and the same command begins again`;
  const run = { path, output, flags, task: restoreTask(), request, pictureOf, memory, stoppedNote };
  const { result, picture, by, notKept } = await runTiles(run, context, display).finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  if (flags.json) {
    const { metadata: _metadata, ...image } = picture;
    const { width, height } = restoredPicture(picture, asked);
    context.print(
      JSON.stringify({ task: task.name, image, width, height, ...loopSummary(result), by, seconds, notKept }),
    );
    return;
  }
  const where = by === 'here' ? `on the ${result.engine.name} engine` : `by workers, ${by}`;
  context.print(
    `${pictureLine(path, { ...picture, channels: picture.channels + Number(picture.alpha) })}\n${facts([
      ...loopRows(result),
      ['time', `${seconds.toFixed(2)} s in tiles, ${where}`],
      ['wrote', output],
    ])}`,
  );
}
