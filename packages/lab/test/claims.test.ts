/** Each claim is tested on data made to confirm it, to confirm it partly, and to refute it. */
import type { SolverName } from 'ght';
import { describe, expect, it } from 'vitest';
import { claims, judge } from '../src/claims.js';
import { contenders, tabled } from '../src/contenders.js';
import { fillings } from '../src/experiments/inpainting.js';
import type { Findings, Outcome } from '../src/index.js';

type Each = Partial<Record<SolverName, number>>;
const picture = { width: 1, height: 1, png: '' };

/** Differences between otherwise equal runs; `growth` and `iterations` are those at the largest budget. */
type Differences = Partial<Record<'rmse' | 'growth' | 'iterations', Each>>;

/** Runs at budgets 5, 10 and 30. */
function runs({ rmse = {}, growth = {}, iterations = {} }: Differences) {
  return [5, 10, 30].flatMap((s, i) =>
    contenders.map((solver) => ({
      solver,
      s,
      rmse: rmse[solver] ?? 10,
      iterations: i === 2 ? (iterations[solver] ?? 1) : 1,
      seconds: i === 2 ? (growth[solver] ?? 2) : 1,
    })),
  );
}

const synthetic = (mismatch: Each, rmse: Each, seconds: Each, options: Differences = {}): Findings['synthetic'] => ({
  ...{ N: 1, L: 1, P: 1, dictionaries: 1, budgets: [5, 10, 30] },
  runs: runs({ rmse, ...options }).map((run) => ({
    ...run,
    seconds: run.seconds * (seconds[run.solver] ?? 1),
    mismatch: mismatch[run.solver] ?? 0,
  })),
});
const megapixel = (options: Differences): Findings['megapixel'] => ({
  budgets: [5, 10, 30],
  images: [{ name: 'a', source: '', width: 8, height: 8, patches: 1, picture, runs: runs(options) }],
});
const twoPatches = (a: number, b: number, joint: number, even: number, needed: number): Findings['two-patches'] => {
  const atom = { down: 0, across: 0, coefficient: 1, picture };
  const coded = (atoms: number, error: number) => ({ atoms: Array(atoms).fill(atom), error, picture });
  return {
    ...{ image: 'a', budget: 8, patches: [], needed },
    joint: [coded(a, joint), coded(b, joint)],
    even: [coded(4, even), coded(4, even)],
  };
};
const heatmap = (correlation: number, rmse: number, rmsePixel: number): Findings['heatmap'] => ({
  ...{ image: 'a', width: 8, height: 8, patches: 1, s: 20, psnr: 40, iterations: 1, histogram: [] },
  ...{ correlation, rmse, rmsePixel, original: picture, atoms: picture, reconstruction: picture },
});
const closeUp = (ssim: number, rmse: number): Findings['close-up'] => ({
  ...{ image: 'a', s: 5, window: { left: 0, top: 0, width: 8, height: 8 }, original: picture },
  results: [
    { solver: 'omp', rmse: 10, psnr: 30, ssim: 0.9, picture },
    { solver: 'qpm', rmse, psnr: 30, ssim, picture },
  ],
});
const million = (slope: number, seconds: number, iterations: number): Findings['million'] => ({
  ...{ s: 10, sizes: [1024, 2048] },
  runs: [
    { solver: 'qpm', s: 10, rmse: 1, iterations: 100, seconds: 1, P: 2048 },
    { solver: 'admm', s: 10, rmse: 1, iterations, seconds, P: 2048 },
  ],
  slopes: [
    { solver: 'qpm', slope: 1 },
    { solver: 'admm', slope },
  ],
});
const convergence = (qpm: number[], ...admm: number[][]): Findings['convergence'] => ({
  ...{ P: 1, iterations: 100 },
  series: admm.flatMap((rmse, i) => [
    { solver: 'qpm' as const, s: 5 * (i + 1), rmse: qpm },
    { solver: 'admm' as const, s: 5 * (i + 1), rmse },
  ]),
});
/** Errors that reach `tenth` after ten iterations and `last` at the end. */
const falling = (tenth: number, last: number) =>
  Array.from({ length: 100 }, (_, i) => (i < 10 ? tenth + (9 - i) : last + ((tenth - last) * (99 - i)) / 90));
const denoising = (psnr: (solver: SolverName, sigma: number) => number): Findings['denoising'] => {
  const sigmas = [5, 10, 40];
  const all = sigmas.flatMap((sigma) => tabled.map((solver) => ({ solver, sigma, psnr: psnr(solver, sigma) })));
  const window = { left: 0, top: 0, width: 8, height: 8 };
  return {
    ...{ s: 10, sigmas, images: [{ name: 'a', width: 8, height: 8, noisy: [], runs: all }] },
    closeUp: { image: 'a', sigma: 10, window, clean: picture, noisy: picture, omp: picture, admm: picture },
  };
};
const rho = (qpm: number, admm: number): Findings['rho'] => ({
  ...{ s: 10, synthetic: { s: 20, normSquared: 1 }, normSquared: 5, images: ['a'] },
  runs: (['qpm', 'admm'] as const).flatMap((solver) =>
    [0.01, 0.1, 1].map((absolute) => {
      const rmse = absolute === 0.1 ? (solver === 'qpm' ? qpm : admm) : 10;
      return { solver, absolute, relative: absolute / 5, rmse, mismatch: 0 };
    }),
  ),
});
/** Two images with one mask; the PSNR of joint OMP on each, where biharmonic interpolation has 30 dB. */
const inpainting = (...jointOmp: number[]): Findings['inpainting'] => ({
  ...{ masks: [0.8], closeUp: { image: 'a', missing: 0.8, original: picture, known: picture, results: [] } },
  images: jointOmp.map((coded) => ({
    ...{ name: 'a', width: 8, height: 8 },
    runs: fillings.map((filling) => ({ missing: 0.8, filling, psnr: filling === 'joint-omp' ? coded : 30 })),
  })),
});
const global = (value: number): Each => ({ qpm: value, admm: value });

/** For each claim, identified by some of its words: data for confirmed, partly, not reproduced (undefined if impossible). */
const cases: [words: string, ...data: (Partial<Findings> | undefined)[]][] = [
  [
    'gives more of them',
    { 'two-patches': twoPatches(7, 1, 1, 2, 9) },
    { 'two-patches': twoPatches(4, 4, 1, 2, 9) },
    { 'two-patches': twoPatches(7, 1, 3, 2, 9) },
  ],
  [
    'at least 7 for',
    { 'two-patches': twoPatches(7, 1, 1, 2, 7) },
    { 'two-patches': twoPatches(7, 1, 1, 2, 5) },
    { 'two-patches': twoPatches(7, 1, 1, 2, 4) },
  ],
  ['high-frequency', { heatmap: heatmap(0.7, 1, 1) }, { heatmap: heatmap(0.5, 1, 1) }, { heatmap: heatmap(0.1, 1, 1) }],
  [
    'RMSE of less than 1',
    { heatmap: heatmap(1, 0.9, 0.1) },
    { heatmap: heatmap(1, 1.2, 0.9) },
    { heatmap: heatmap(1, 9, 1.1) },
  ],
  [
    'support mismatch',
    { synthetic: synthetic({ cosamp: 0.1 }, {}, {}) },
    { synthetic: synthetic({ qpm: 0.2, cosamp: 0.1 }, {}, {}) },
    { synthetic: synthetic({ ...global(0.2), cosamp: 0.1 }, {}, {}) },
  ],
  [
    'match CoSaMP in reconstruction',
    { synthetic: synthetic({}, global(5), {}) },
    { synthetic: synthetic({}, { qpm: 12, admm: 5 }, {}) },
    { synthetic: synthetic({}, global(12), {}) },
  ],
  [
    'best computation time',
    { synthetic: synthetic({}, {}, {}) },
    { synthetic: synthetic({}, {}, global(4)) },
    { synthetic: synthetic({}, {}, global(9)) },
  ],
  [
    'does not increase with s',
    { synthetic: synthetic({}, {}, {}, { growth: global(1) }) },
    { synthetic: synthetic({}, {}, {}, { growth: global(1.5) }) },
    { synthetic: synthetic({}, {}, {}, { growth: global(3) }) },
  ],
  [
    'over the entire budget range',
    { megapixel: megapixel({ rmse: global(5) }) },
    undefined,
    { megapixel: megapixel({ rmse: { qpm: 5, admm: 11 } }) },
  ],
  [
    '78% to 350%',
    { megapixel: megapixel({ rmse: global(5) }) },
    { megapixel: megapixel({ rmse: { qpm: 8, admm: 5 } }) },
    { megapixel: megapixel({ rmse: global(8) }) },
  ],
  [
    'outperforms GHT-QPM and all',
    { megapixel: megapixel({ rmse: { admm: 4, qpm: 5 } }) },
    undefined,
    { megapixel: megapixel({ rmse: { admm: 6, qpm: 5 } }) },
  ],
  [
    'best of the competitors',
    { megapixel: megapixel({ rmse: { omp: 9 } }) },
    undefined,
    { megapixel: megapixel({ rmse: { omp: 11 } }) },
  ],
  [
    'stay stable',
    { megapixel: megapixel({ growth: global(1.2) }) },
    { megapixel: megapixel({ growth: global(3), iterations: global(3) }) },
    { megapixel: megapixel({ growth: global(3) }) },
  ],
  [
    'looks better',
    { 'close-up': closeUp(0.95, 8) },
    { 'close-up': closeUp(0.85, 8) },
    { 'close-up': closeUp(0.85, 12) },
  ],
  ['linear in P', { million: million(1.05, 1, 1) }, { million: million(0.8, 1, 1) }, { million: million(1.5, 1, 1) }],
  [
    'slightly slower',
    { million: million(1, 1.2, 100) },
    { million: million(1, 0.7, 60) },
    { million: million(1, 0.5, 100) },
  ],
  [
    'from iteration to iteration',
    { convergence: convergence([3, 2], [3, 2]) },
    { convergence: convergence([3, 2], [2, 3]) },
    { convergence: convergence([2, 3], [2, 3]) },
  ],
  [
    'at all budgets',
    { convergence: convergence([3, 2], [3, 1], [3, 1]) },
    { convergence: convergence([3, 2], [3, 1], [3, 2.5]) },
    { convergence: convergence([3, 2], [3, 2.5]) },
  ],
  [
    'as few as 10',
    { convergence: convergence(falling(10, 9.95), falling(10, 9.95)) },
    { convergence: convergence(falling(10, 9.95), falling(10, 9.5)) },
    { convergence: convergence(falling(10, 5), falling(10, 9.95)) },
  ],
  [
    'denoise better',
    { denoising: denoising((solver, sigma) => (isGlobal(solver) ? 30 + 10 / sigma : 30)) },
    { denoising: denoising((solver) => (solver === 'qpm' ? 31 : 30)) },
    { denoising: denoising((solver) => (isGlobal(solver) ? 29 : 30)) },
  ],
  [
    '2.7 to 4.9 dB',
    { denoising: denoising((solver) => (isGlobal(solver) ? 33 : 30)) },
    { denoising: denoising((solver) => (solver === 'qpm' ? 33 : 30)) },
    { denoising: denoising((solver) => (isGlobal(solver) ? 32 : 30)) },
  ],
  [
    'best at low noise',
    { denoising: denoising((solver, sigma) => (solver === (sigma < 20 ? 'admm' : 'qpm') ? 33 : 30)) },
    { denoising: denoising((solver) => (solver === 'admm' ? 33 : 30)) },
    { denoising: denoising((solver) => (solver === 'omp' ? 33 : 30)) },
  ],
  ['serves both', { rho: rho(10, 10) }, { rho: rho(10, 20) }, { rho: rho(20, 20) }],
  ['fairly robust', { rho: rho(10, 10) }, { rho: rho(10, 20) }, { rho: rho(20, 20) }],
  [
    'such as inpainting',
    { inpainting: inpainting(31, 31) },
    { inpainting: inpainting(31, 29) },
    { inpainting: inpainting(29, 29) },
  ],
];

function isGlobal(solver: SolverName): boolean {
  return solver === 'qpm' || solver === 'admm';
}

const outcomes: Outcome[] = ['confirmed', 'partly', 'not reproduced'];

describe('the claims', () => {
  it('are all tested here', () => {
    for (const { claim } of claims)
      expect(
        cases.filter(([words]) => claim.includes(words)),
        claim,
      ).toHaveLength(1);
    expect(cases).toHaveLength(claims.length);
  });

  it.each(cases)('“… %s …” is judged by the data', (words, ...data) => {
    data.forEach((findings, i) => {
      if (findings === undefined) return;
      const verdict = judge(findings).find(({ claim }) => claim.includes(words));
      expect(verdict?.outcome, `${outcomes[i]}: ${verdict?.measured}`).toBe(outcomes[i]);
      expect(verdict?.measured).not.toMatch(/NaN|undefined|Infinity/);
    });
  });

  it('about time are marked as such: exactly those that are judged by seconds', () => {
    const timed = claims.flatMap(({ claim, ...rest }) => ('timing' in rest ? [claim] : []));
    expect(timed).toEqual(claims.map(({ claim }) => claim).filter((claim) => /time|slower/.test(claim)));
    const verdicts = judge({ million: million(1, 1, 1), rho: rho(10, 10) });
    expect(verdicts.filter(({ timing }) => timing).map(({ experiment }) => experiment)).toEqual(['million', 'million']);
  });

  it('about experiments that were not run are left out', () => {
    expect(judge({})).toEqual([]);
    expect(new Set(judge({ rho: rho(10, 10) }).map(({ experiment }) => experiment))).toEqual(new Set(['rho']));
  });

  it('cannot be judged if the findings lack their data', () => {
    expect(() => judge({ million: { ...million(1, 1, 1), slopes: [] } })).toThrow('the findings lack');
  });
});
