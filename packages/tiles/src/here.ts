import type { Data, Places, Plan, Runner, RunProgress, RunWatch } from './plan.js';

/** Runs plans in this process, tile after tile. The threads of the engine share the work of each tile. */
export function runHere(places: Places): Runner {
  return {
    async run<Request extends Data, Result>(plan: Plan<Request, Result>, request: Request, watch: RunWatch = {}) {
      const { signal } = watch;
      const tell = risingProgress(watch.onProgress);
      const passes = plan.passes(request, places);
      let before = 0;
      let answers: readonly Data[] = [];
      try {
        for (;;) {
          signal?.throwIfAborted();
          const next = await passes.next(answers);
          if (next.done) {
            tell({ fraction: 1, pass: 'done', done: 0, tiles: 0 });
            return next.value;
          }
          const { name, work, argument, tiles, share } = next.value;
          const got: Data[] = [];
          for (const tile of tiles) {
            signal?.throwIfAborted();
            const onFraction = (fraction: number) => {
              const whole = before + (share * (got.length + fraction)) / tiles.length;
              tell({ fraction: whole, pass: name, done: got.length, tiles: tiles.length });
            };
            onFraction(0);
            got.push(await plan.work[work](request, { tile, argument, signal, onFraction }, places));
          }
          before += share;
          tell({ fraction: before, pass: name, done: got.length, tiles: got.length });
          answers = got;
        }
      } finally {
        // After an error or an abort, the plan may release what it holds.
        await passes.return(undefined as never);
      }
    },
  };
}

/** Tells progress that never falls and is at most 1; shares are approximate. */
function risingProgress(onProgress: RunWatch['onProgress']): (progress: RunProgress) => void {
  let furthest = 0;
  return (progress) => {
    furthest = Math.max(furthest, Math.min(1, progress.fraction));
    onProgress?.({ ...progress, fraction: furthest });
  };
}
