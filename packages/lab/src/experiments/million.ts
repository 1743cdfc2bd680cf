import { overcompleteDct, type SolverName, solve } from 'ght';
import { count } from 'ght/format';
import { catalogue } from '../catalogue.js';
import { contenders, optionsOf, runOf, weightOf } from '../contenders.js';
import { naturalPatches } from '../images.js';
import { type Experiment, pacer, type Run, type Setting } from '../setting.js';

/** Figure 7: the time as a function of the number of patches. */
export interface Million {
  readonly s: number;
  readonly sizes: readonly number[];
  readonly runs: readonly (Run & { readonly P: number })[];
  /** The exponent of P in the time of each solver; 1 is linear. */
  readonly slopes: readonly { readonly solver: SolverName; readonly slope: number }[];
}

const PER_PATCH = 10;
/** Runs with fewer patches are repeated and the fastest is used, since a few milliseconds are easily disturbed. */
const REPEAT_BELOW = 2 ** 15;

export const million: Experiment<Million> = {
  ...catalogue.million,
  seconds: { full: 150, quick: 9 },
  describe: ({ sizes, s }) =>
    `P = ${count(sizes[0])} to ${count(sizes[sizes.length - 1])} random 8×8 patches of natural ` +
    `images over the 64×100 overcomplete DCT, s = ${s}. The exponent of P is fitted by least squares to the logarithms.`,
  run,
};

async function run(setting: Setting): Promise<Million> {
  const sizes = Array.from({ length: setting.quick ? 5 : 11 }, (_, i) => 2 ** (10 + i));
  const D = overcompleteDct(8, 10);
  const total = contenders.reduce((sum, solver) => sum + weightOf(solver, PER_PATCH), 0);
  const pace = pacer(setting, total * sizes.reduce((sum, P) => sum + repeats(P) * P, 0));
  const all = naturalPatches(setting.collection, sizes[sizes.length - 1], setting.seed);
  const runs: (Run & { P: number })[] = [];
  for (const P of sizes) {
    const Y = all.subarray(0, 64 * P);
    for (const solver of contenders) {
      const options = {
        ...optionsOf(solver, 'natural'),
        threads: setting.threads,
        budget: { perPatch: PER_PATCH },
        peak: 255,
      };
      let best: Run | undefined;
      for (let i = 0; i < repeats(P); i++) {
        const result = await pace(P * weightOf(solver, PER_PATCH), (watch) => solve(D, Y, { ...options, ...watch }));
        const run = runOf(result, PER_PATCH);
        if (!best || run.seconds < best.seconds) best = run;
      }
      runs.push({ ...(best as Run), P });
    }
  }
  const slopes = contenders.map((solver) => ({ solver, slope: slope(runs.filter((run) => run.solver === solver)) }));
  return { s: PER_PATCH, sizes, runs, slopes };
}

function repeats(P: number): number {
  return P < REPEAT_BELOW ? 3 : 1;
}

/** The slope of log(seconds) over log(P), by least squares. */
function slope(runs: readonly { readonly P: number; readonly seconds: number }[]): number {
  const x = runs.map(({ P }) => Math.log(P));
  const y = runs.map(({ seconds }) => Math.log(Math.max(seconds, 1e-6)));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const xy = x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0);
  return xy / x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
}
