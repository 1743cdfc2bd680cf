import type { Image } from 'ght';
import type { ImageFormat } from 'ght-images';
import type { ChosenPages } from '../input-flags.js';
import { type ImageFile, pagesResult, writeResults } from '../io/index.js';
import type { ProgressDisplay } from '../output/progress.js';
import { facts } from '../output/table.js';
import type { Outcome } from './denoised.js';

/** Takes a result, with the file it was made of. */
export type Write = (image: Image, file: ImageFile) => Promise<void>;

/** Denoises a page, and hands over the result. */
export type DenoisePage = (
  number: number,
  write: Write,
  onProgress: ProgressDisplay['onProgress'],
) => Promise<{ readonly file: ImageFile; readonly outcome: Outcome }>;

/** Denoises the pages of a file one by one; the results become a TIFF of as many pages. */
export async function denoisePages(
  { numbers, whole, format: own }: ChosenPages,
  output: string,
  format: ImageFormat | undefined,
  denoisePage: DenoisePage,
  onProgress: ProgressDisplay['onProgress'],
  note: (text: string) => void,
): Promise<{ file: ImageFile; outcome: Outcome }> {
  const pages = pagesResult(output, whole, format ?? own);
  const done: { readonly file: ImageFile; readonly outcome: Outcome }[] = [];
  for (const [i, number] of numbers.entries()) {
    const add: Write = (image, file) => pages.add(image, file);
    const progress: ProgressDisplay['onProgress'] = ({ fraction }) =>
      onProgress({ fraction: (i + fraction) / numbers.length, doing: `page ${number}` });
    done.push(await denoisePage(number, add, progress));
  }
  const notKept = await writeResults([await pages.finish()], note);
  const outcomes = done.map(({ outcome }) => outcome);
  const lines = outcomes.map(({ noise }, i) => [`page ${numbers[i]}`, noise] as const);
  const advice = [...new Set(outcomes.flatMap((outcome) => outcome.advice ?? []))].join('; ');
  return {
    file: done[0].file,
    outcome: {
      summary: { pages: outcomes.map(({ summary }, i) => ({ page: numbers[i], ...summary })), notKept },
      notKept,
      facts: facts([...lines, ['wrote', `${numbers.length} pages to ${output}`]]),
      noise: lines.map(([page, noise]) => `${page}: ${noise}`).join('; '),
      changed: outcomes.some(({ changed }) => changed),
      ...(advice !== '' && { advice }),
    },
  };
}
