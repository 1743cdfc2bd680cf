import type { Command } from 'commander';
import { checkImage, patchGrid } from 'ght';
import { type Resolution, rangeOf, representMemory } from 'ght-images';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { jsonFlag, patchFlags, representOptions } from '../flags.js';
import { type InputFlags, inputFlags, onlyPage, openChosen, pagesFlag } from '../inputFlags.js';
import { pixelsOf } from '../memoryLimit.js';
import { imageLine, imageSummary } from '../output/summary.js';
import { bytes, count, facts, measure } from '../output/table.js';

/** `ght info`. */
export function infoCommand(program: Command, context: Context): void {
  const command = program
    .command('info')
    .summary('size, depth and range of an image, and the memory a run would need')
    .description('Prints what an image file holds and how much memory representing it would need.')
    .argument('<IMAGE>', 'the image; - is standard input');
  patchFlags(pagesFlag(inputFlags(command)));
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght info photo.png
  ght info photo.png --stride 1 --json`,
    )
    .action((path: string, flags: Flags & InputFlags) => runInfo(path, flags, context));
}

async function runInfo(path: string, flags: Flags & InputFlags, { print }: Context): Promise<void> {
  // Of several pages the first tells most of what there is to know.
  const pages = await openChosen(path, { pages: { first: 0, last: 0 }, ...flags });
  const file = await onlyPage(pages);
  const { image, format, metadata } = file;
  checkImage(image);
  const options = representOptions(flags);
  const patch = options.patch ?? 8;
  const grid = patchGrid(image.width, image.height, patch, options.stride ?? patch);
  const patches = grid.count * image.planes.length;
  const memory = Math.ceil(representMemory(pixelsOf(image), options));
  const [least, most] = rangeOf(image.planes);
  if (flags.json) {
    const range = [least, most];
    const resolution = metadata?.resolution ?? null;
    print(
      JSON.stringify({
        ...{ task: 'info', format, image: imageSummary(file), pages: pages.count, resolution, range, patches },
        memoryBytes: memory,
      }),
    );
    return;
  }
  print(
    `${imageLine(path, file)}\n${facts([
      ['format', pages.count > 1 ? `${format}, ${count(pages.count)} pages` : format],
      ...(metadata?.resolution ? [['resolution', pixelsPer(metadata.resolution)] as const] : []),
      ['alpha', image.alpha ? 'yes, passed through' : 'no'],
      ['range', `${sample(least)} to ${sample(most)} (full scale for PSNR: ${sample(image.peak)})`],
      ['patches', `${count(patches)} of ${patch}×${patch}`],
      ['memory', `about ${bytes(memory)} for a run`],
    ])}`,
  );
}

/** `300 × 300 pixels per inch`. */
function pixelsPer({ x, y, unit }: Resolution): string {
  const number = (value: number) => String(Number(value.toPrecision(6)));
  return `${number(x)} × ${number(y)} pixels${unit === 'none' ? ', without a unit' : ` per ${unit}`}`;
}

/** Formats a sample; the samples of most files are whole numbers. */
function sample(value: number): string {
  return Number.isInteger(value) ? String(value) : measure(value);
}
