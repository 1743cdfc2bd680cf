import { checkParts } from '../image/rectangle.js';
import type { Perform, Plan, RunProgress, RunWatch } from './plan.js';

/** Executes a plan in this process, part after part. The threads of the engine share the work of each part. */
export function runHere<Context, Result>(
  plan: Plan<Context, Result>,
  context: Context,
  { signal, onProgress }: RunWatch = {},
): Promise<Result> {
  const report = risingProgress(onProgress);
  let before = 0;
  const perform: Perform<Context> = async (pass, argument, { parts, share, name = pass.name }) => {
    checkParts(parts);
    const answers = [];
    for (let part = 0; part < parts; part++) {
      signal?.throwIfAborted();
      const onFraction = (fraction: number, step?: string) => {
        report({ fraction: before + (share * (part + fraction)) / parts, pass: name, step, done: part, parts });
      };
      onFraction(0);
      answers.push(await pass.work(context, { part, argument, signal, onFraction }));
    }
    before += share;
    report({ fraction: before, pass: name, done: parts, parts });
    return answers;
  };
  return plan.run(context, perform).then((result) => {
    report({ fraction: 1, pass: 'done', done: 0, parts: 0 });
    return result;
  });
}

/** Reports progress that never decreases and is at most 1, because shares are approximate. */
export function risingProgress(onProgress: RunWatch['onProgress']): (progress: RunProgress) => void {
  let furthest = 0;
  return (progress) => {
    furthest = Math.max(furthest, Math.min(1, progress.fraction));
    onProgress?.({ ...progress, fraction: furthest });
  };
}
