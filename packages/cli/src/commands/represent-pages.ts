import type { Progress, Representation } from 'ght';
import { OptionError } from 'ght';
import type { Context } from '../context.js';
import type { ChosenPages } from '../input-flags.js';
import { type ImageFile, pagesResult, writeResults } from '../io/index.js';
import { oneLine } from '../output/line.js';
import { imageLine, imageSummary, summarise } from '../output/summary.js';
import { count, decibels, table } from '../output/table.js';
import type { RepresentFlags } from './represent-flags.js';

/** A page, and what represents it. */
interface Represented {
  readonly file: ImageFile;
  readonly result: Representation;
  readonly seconds: number;
}

/** Represents the pages of a file one by one, each under the budget; the results become a TIFF of as many pages. */
export async function representPages(
  path: string,
  { numbers, whole, format }: ChosenPages,
  flags: RepresentFlags,
  { print, note }: Context,
  representPage: (number: number, onProgress?: (progress: Progress) => void) => Promise<Represented>,
): Promise<void> {
  for (const [flag, file] of Object.entries({
    ...{ '--heatmap': flags.heatmap, '--codes': flags.codes, '--history': flags.history },
  })) {
    if (file === undefined) continue;
    throw new OptionError(flag, 'must be left out for several pages', file, 'choose one page with --pages');
  }
  const pages = flags.output === undefined ? undefined : pagesResult(flags.output, whole, flags.format ?? format);
  const done: Omit<Represented, 'result'>[] = [];
  const summaries: ReturnType<typeof summarise>[] = [];
  for (const number of numbers) {
    const { file, result, seconds } = await representPage(number);
    await pages?.add(result.image, file);
    done.push({ file, seconds });
    summaries.push(summarise('represent', result, { ...result, seconds, spread: flags.spread }));
  }
  const notKept = pages ? await writeResults([await pages.finish()], note) : [];
  if (flags.json) {
    const each = summaries.map(({ task: _, ...summary }, i) => {
      return { page: numbers[i], image: imageSummary(done[i].file), ...summary };
    });
    print(JSON.stringify({ task: 'represent', pages: each, notKept }));
    return;
  }
  const rows = summaries.map(({ nonzeros, psnr, seconds }, i) => [
    ...[`page ${numbers[i]}`, count(nonzeros), decibels(psnr ?? Number.POSITIVE_INFINITY), `${seconds.toFixed(2)} s`],
  ]);
  print(`${imageLine(path, done[0].file)}\n${table(['', 'nonzeros', 'PSNR', 'time'], rows)}`);
  if (flags.output) print(`wrote ${numbers.length} pages to ${oneLine(flags.output)}`);
}
