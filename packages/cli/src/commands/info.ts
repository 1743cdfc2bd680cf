import type { Command } from 'commander';
import { checkImage, patchGrid } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { jsonFlag, patchFlags, representOptions } from '../flags.js';
import { readImage } from '../io/index.js';
import { representMemory } from '../memoryLimit.js';
import { imageLine, imageSummary } from '../output/summary.js';
import { bytes, count, facts, measure } from '../output/table.js';

/** `ght info`. */
export function infoCommand(program: Command, context: Context): void {
  const command = program
    .command('info')
    .summary('size, depth and range of an image, and the memory a run would need')
    .description('Prints what an image file holds and how much memory representing it would need.')
    .argument('<IMAGE>', 'the image');
  patchFlags(command);
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght info photo.png
  ght info photo.png --stride 1 --json`,
    )
    .action((path: string, flags: Flags) => runInfo(path, flags, context));
}

async function runInfo(path: string, flags: Flags, { print }: Context): Promise<void> {
  const file = await readImage(path);
  const { image, format } = file;
  checkImage(image);
  const options = representOptions(flags);
  const patch = options.patch ?? 8;
  const grid = patchGrid(image.width, image.height, patch, options.stride ?? patch);
  const patches = grid.count * image.planes.length;
  const memory = Math.ceil(representMemory(image, options));
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const plane of image.planes) {
    for (const value of plane) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  if (flags.json) {
    const range = [least, most];
    print(JSON.stringify({ task: 'info', format, image: imageSummary(file), range, patches, memoryBytes: memory }));
    return;
  }
  print(
    `${imageLine(path, file)}\n${facts([
      ['format', format],
      ['alpha', image.alpha ? 'yes, passed through' : 'no'],
      ['range', `${sample(least)} to ${sample(most)} (full scale for PSNR: ${sample(image.peak)})`],
      ['patches', `${count(patches)} of ${patch}×${patch}`],
      ['memory', `about ${bytes(memory)} for a run`],
    ])}`,
  );
}

/** Formats a sample; the samples of most files are whole numbers. */
function sample(value: number): string {
  return Number.isInteger(value) ? String(value) : measure(value);
}
