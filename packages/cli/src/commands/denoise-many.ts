/** Denoises several files, one after the other. */
import { dirname } from 'node:path';
import { OptionError } from 'ght';
import { silent } from '../flags.js';
import { type Skipped, skippedMessage } from '../io/batch.js';
import { type BatchFile, formatOfName, imageExtensions, noteNotKeptIn } from '../io/index.js';
import { oneLine } from '../output/line.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { denoiseFile, type Task } from './denoise-file.js';
import type { Outcome } from './denoised.js';
import { OutputFolders } from './output-folder.js';
import { eachFile, sayFailed } from './several.js';
import { NoiseByCamera } from './shared-noise.js';

/** Denoises all files of a batch into a folder. Files of the same camera and settings share one estimate of the noise. */
export async function denoiseMany(batch: readonly BatchFile[], skipped: readonly Skipped[], task: Task): Promise<void> {
  const { flags, context } = task;
  const folders = new OutputFolders();
  await folders.make(flags.output, 'must be a folder for several images');
  const display = progressDisplay('denoise', silent(flags));
  const inputs = batch.map(({ input }) => input);
  const noise = task.options && (await NoiseByCamera.of(inputs, flags, task.options, context.signal));
  let written = 0;
  const { done, failed } = await eachFile(batch, context, async ({ input, output }, i) => {
    const onProgress: ProgressDisplay['onProgress'] = ({ fraction }) =>
      display.onProgress({ fraction: (i + fraction) / batch.length, doing: input });
    onProgress({ fraction: 0 });
    checkName(input, output);
    await folders.make(dirname(output));
    const shared = await noise?.sharedBy(input, (read, files) =>
      display.onProgress({ fraction: i / batch.length, doing: `noise of ${files} files, ${read} read` }),
    );
    // What is not kept is said once for all files.
    const quiet = { ...context, note: () => {} };
    const one = { ...task, context: quiet, shared };
    const { outcome } = await denoiseFile(input, output, one, { onProgress, stop: () => {} });
    written++;
    context.stopped.note = `${written} of ${batch.length} images were written to ${flags.output}`;
    return { input, output, outcome };
  }).finally(async () => {
    display.stop();
    await folders.removeEmpty();
  });
  const lost = done.map(({ outcome }) => outcome.notKept ?? []);
  noteNotKeptIn(flags.output, lost, context.note);
  if (flags.json) {
    const files = done.map(({ input, output, outcome }) => ({ input, output, ...outcome.summary }));
    context.print(JSON.stringify({ task: 'denoise', files, failed, skipped }));
    return;
  }
  for (const { input, outcome } of done) context.print(`${oneLine(input)}: ${outcome.noise}`);
  context.print(`wrote ${done.length} of ${batch.length} images to ${oneLine(flags.output)}`);
  const left = skippedMessage(skipped);
  if (left !== undefined) context.print(oneLine(left));
  if (done.length > 0) context.print(countChanged(done.map(({ outcome }) => outcome)));
  sayFailed(failed);
}

/** How many images changed, and advice for those that did not, or perhaps not enough. */
function countChanged(outcomes: readonly Outcome[]): string {
  const changed = outcomes.filter((outcome) => outcome.changed).length;
  const advised = outcomes.flatMap(({ advice }) => advice ?? []);
  const lines = [...new Set(advised)].map((advice) => {
    return `${advised.filter((each) => each === advice).length} of ${outcomes.length}: ${advice}`;
  });
  return [`${changed} changed, ${outcomes.length - changed} left as they were`, ...lines].join('\n');
}

/** With several files, a result has the name of its input, so its extension must be one that can be written. */
function checkName(input: string, output: string): void {
  if (formatOfName(output) !== undefined) return;
  const rule = `must end in ${imageExtensions.join(', ')} to be one of several`;
  throw new OptionError('IMAGE', rule, input, 'rename it, use --format, or denoise it by itself');
}
