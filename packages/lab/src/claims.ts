/**
 * The claims of the paper, in its order, each with the rule that decides it. Only the claims and the rules are written here:
 * the measurements and the outcomes are computed from the findings.
 */
import type { SolverName } from 'ght';
import { count } from 'ght/format';
import { competitors, PAPER_RHO, paperSolvers, titleOf } from './contenders.js';
import {
  average,
  digits,
  fillingGains,
  find,
  flatInBudget,
  flatRule,
  forBoth,
  gains,
  grade,
  gradeAll,
  largestRise,
  matches,
  nearest,
  of,
  perIteration,
  pick,
  share,
  sum,
} from './evidence.js';
import type { ExperimentName, Findings } from './experiments/index.js';
import { paperSigmas, paperTables } from './paper.js';
import type { Outcome, Verdict } from './report.js';

interface Claim<Name extends ExperimentName> {
  readonly experiment: Name;
  readonly where: string;
  readonly claim: string;
  readonly rule: string;
  /** Whether it is about time, which depends on what else the machine does. */
  readonly timing?: boolean;
  judge(data: Findings[Name]): { readonly measured: string; readonly outcome: Outcome };
}

/** The verdicts on all claims that the findings can decide. */
export function judge(findings: Partial<Findings>): Verdict[] {
  return claims.flatMap(({ judge, timing = false, ...claim }: Claim<ExperimentName>) => {
    const data = findings[claim.experiment];
    if (data === undefined) return [];
    const { measured, outcome } = judge(data as never);
    return [{ ...claim, measured: measured.replace(/(^|[ (])-(?=\d)/g, '$1−'), outcome, timing }];
  });
}

/** Type-checks each entry of the list against its own experiment. */
function claim<Name extends ExperimentName>(entry: Claim<Name>): Claim<Name> {
  return entry;
}

export const claims = [
  claim({
    experiment: 'two-patches',
    where: 'Section 1.1, Figure 1',
    claim: 'Sharing a budget of 8 atoms gives more of them to the patch with more structure, and a better result.',
    rule: 'Confirmed: patch A gets more atoms than B and the squared error of both together is lower than with 4 + 4. Partly: only the error is lower.',
    judge({ joint, even }) {
      const total = (coded: readonly { error: number }[]) => coded.reduce((sum, { error }) => sum + error ** 2, 0);
      const [a, b] = joint.map(({ atoms }) => atoms.length);
      const lower = total(joint) < total(even);
      const errors = (coded: readonly { error: number }[]) => coded.map(({ error }) => digits(error)).join(' and ');
      return {
        measured: `${a} + ${b} atoms: errors ${errors(joint)} per pixel for A and B; 4 + 4 atoms: ${errors(even)}`,
        outcome: grade(lower && a > b, lower),
      };
    },
  }),
  claim({
    experiment: 'two-patches',
    where: 'Section 1.1',
    claim: 'One atom represents the flat patch well; the other needs at least 7 for an equal error.',
    rule: 'Confirmed: patch A needs 7 atoms or more to be as close as B with one. Partly: more than the 4 it is given patch-wise.',
    judge: ({ needed }) => ({ measured: `A needs ${needed} atoms`, outcome: grade(needed >= 7, needed > 4) }),
  }),
  claim({
    experiment: 'heatmap',
    where: 'Section 1.2, Figure 2',
    claim: 'The global budget goes to the high-frequency portions of the image.',
    rule: 'Confirmed: the rank correlation of atoms per patch with the energy of the patch about its mean is at least 0.7. Partly: at least 0.4.',
    judge: ({ correlation }) => ({
      measured: `rank correlation ${correlation.toFixed(2)}`,
      outcome: grade(correlation >= 0.7, correlation >= 0.4),
    }),
  }),
  claim({
    experiment: 'heatmap',
    where: 'Figure 2',
    claim: 'A megapixel image with S = 20P is reconstructed with an RMSE of less than 1.',
    rule: 'Confirmed: the RMSE per patch, as the paper defines it, is below 1. Partly: only the RMSE per pixel is.',
    judge: ({ rmse, rmsePixel, image }) => ({
      measured: `${image}: ${digits(rmse)} per patch, ${digits(rmsePixel)} per pixel`,
      outcome: grade(rmse < 1, rmsePixel < 1),
    }),
  }),
  claim({
    experiment: 'synthetic',
    where: 'Section 3.1, Figure 3',
    claim: 'Both global algorithms match the leading algorithm, CoSaMP, in support mismatch.',
    rule: 'Confirmed: both miss at most 0.02 more of the support than CoSaMP at every s. Partly: one of them does.',
    judge: ({ runs }) => matches(runs, 'mismatch', (theirs) => theirs + 0.02, 'missed'),
  }),
  claim({
    experiment: 'synthetic',
    where: 'Section 3.1, Figure 3',
    claim: 'Both match CoSaMP in reconstruction error.',
    rule: 'Confirmed: at every s the RMSE of both is at most 1.1 times that of CoSaMP, plus 0.01 for rounding and stopping. Partly: one of them.',
    judge: ({ runs }) => matches(runs, 'rmse', (theirs) => 1.1 * theirs + 0.01, 'RMSE'),
  }),
  claim({
    experiment: 'synthetic',
    where: 'Section 3.1, Figure 3',
    claim: 'Both match the algorithm with the best computation time, OMP.',
    timing: true,
    rule: 'Confirmed: over all s both take at most twice the time of OMP. Partly: at most five times.',
    judge({ runs }) {
      const time = (solver: SolverName) => sum(of(runs, solver).map(({ seconds }) => seconds));
      const ratios = paperSolvers.map((solver) => time(solver) / time('omp'));
      return {
        measured: forBoth(ratios, (ratio, title) => `${title} ${digits(ratio)} times OMP`),
        outcome: grade(Math.max(...ratios) <= 2, Math.max(...ratios) <= 5),
      };
    },
  }),
  claim({
    experiment: 'synthetic',
    where: 'Section 3.1, Figure 3',
    claim: 'Unlike that of the competitors, their computation time does not increase with s.',
    timing: true,
    rule: flatRule,
    judge: (data) => flatInBudget([data]),
  }),
  claim({
    experiment: 'megapixel',
    where: 'Section 3.2, Figure 5',
    claim: 'Both global algorithms have a lower RMSE than every patch-wise one over the entire budget range.',
    rule: 'Confirmed: on every image at every s. Partly: in at least three quarters of these cases.',
    judge: ({ images }) => share(images, (at) => paperSolvers.every((solver) => at(solver) < nearest(at))),
  }),
  claim({
    experiment: 'megapixel',
    where: 'Section 3.2',
    claim: 'At s = 10 their RMSE is 78% to 350% lower than that of the nearest competitor.',
    rule: 'Counted as RMSE of the competitor / RMSE − 1. Confirmed: at least 78% on every image for both. Partly: somewhere.',
    judge({ images }) {
      const gains = images.flatMap(({ runs }) => {
        const at = (solver: SolverName) => pick(runs, solver, 10).rmse;
        return paperSolvers.map((solver) => 100 * (nearest(at) / at(solver) - 1));
      });
      const [least, most] = [Math.min(...gains), Math.max(...gains)];
      return { measured: `${least.toFixed(0)}% to ${most.toFixed(0)}%`, outcome: grade(least >= 78, most >= 78) };
    },
  }),
  claim({
    experiment: 'megapixel',
    where: 'Section 3.2',
    claim: 'GHT-ADMM outperforms GHT-QPM and all other competitors in RMSE.',
    rule: 'Confirmed: on every image at every s, among the algorithms of the paper. Partly: in at least three quarters of these cases.',
    judge: ({ images }) => share(images, (at) => at('admm') < at('qpm') && at('admm') < nearest(at)),
  }),
  claim({
    experiment: 'megapixel',
    where: 'Section 3.2, Figure 6',
    claim: 'OMP is the best of the competitors.',
    rule: 'Confirmed: it has the lowest RMSE of the three on every image at every s. Partly: in at least three quarters of these cases.',
    judge: ({ images }) => share(images, (at) => at('omp') <= nearest(at)),
  }),
  claim({
    experiment: 'megapixel',
    where: 'Section 3.2, Figure 5',
    claim: 'Their run times stay stable over the range of budgets, while those of the competitors increase steeply.',
    timing: true,
    rule: flatRule,
    judge: ({ images }) => flatInBudget(images),
  }),
  claim({
    experiment: 'close-up',
    where: 'Section 3.2, Figure 6',
    claim: 'At S = 5P GHT-QPM looks better than OMP.',
    rule: 'Confirmed: its structural similarity (SSIM) is higher and its RMSE lower. Partly: one of the two.',
    judge({ results }) {
      const [omp, qpm] = (['omp', 'qpm'] as const).map((name) => find(results, ({ solver }) => solver === name));
      return {
        measured: `SSIM ${qpm.ssim.toFixed(3)} and ${omp.ssim.toFixed(3)}, RMSE ${digits(qpm.rmse)} and ${digits(omp.rmse)}, for GHT-QPM and OMP`,
        outcome: gradeAll([qpm.ssim > omp.ssim, qpm.rmse < omp.rmse]),
      };
    },
  }),
  claim({
    experiment: 'million',
    where: 'Section 3.3, Figure 7',
    claim: 'The run time of both global algorithms is linear in P.',
    timing: true,
    rule: 'Confirmed: the exponents of P fitted to the times lie within 0.9 and 1.1. Partly: within 0.75 and 1.25.',
    judge({ slopes, sizes }) {
      const fitted = paperSolvers.map((name) => find(slopes, ({ solver }) => solver === name).slope);
      const within = (slack: number) => fitted.every((slope) => Math.abs(slope - 1) <= slack);
      const range = `P = ${count(sizes[0])} to ${count(sizes[sizes.length - 1])}`;
      return {
        measured: `${forBoth(fitted, (slope, title) => `${title} grows with exponent ${slope.toFixed(2)}`)} over ${range}`,
        outcome: grade(within(0.1), within(0.25)),
      };
    },
  }),
  claim({
    experiment: 'million',
    where: 'Section 3.3, Figure 7',
    claim: 'GHT-ADMM runs slightly slower than GHT-QPM.',
    timing: true,
    rule: 'Confirmed: at the largest P it takes longer, by at most half. Partly: only its time per iteration is longer.',
    judge({ runs, sizes }) {
      const largest = runs.filter(({ P }) => P === sizes[sizes.length - 1]);
      const [qpm, admm] = paperSolvers.map((name) => find(largest, ({ solver }) => solver === name));
      const slightly = (ratio: number) => ratio > 1 && ratio <= 1.5;
      const [whole, step] = [admm.seconds / qpm.seconds, perIteration(admm) / perIteration(qpm)];
      return {
        measured: `${digits(whole)} times as long (${admm.iterations} and ${qpm.iterations} iterations), per iteration ${digits(step)} times`,
        outcome: grade(slightly(whole), slightly(step)),
      };
    },
  }),
  claim({
    experiment: 'convergence',
    where: 'Section 3.3, Figure 8',
    claim: 'Both algorithms decrease ‖DZ − Y‖ from iteration to iteration.',
    rule: 'Confirmed: no iteration raises the RMSE by more than 0.1%. Partly: this holds for one of the two.',
    judge({ series }) {
      const rises = paperSolvers.map((name) =>
        Math.max(...series.filter(({ solver }) => solver === name).map(({ rmse }) => largestRise(rmse))),
      );
      return {
        measured: `largest rise ${forBoth(rises, (rise, title) => `${(100 * rise).toFixed(2)}% (${title})`)}`,
        outcome: gradeAll(rises.map((rise) => rise <= 1e-3)),
      };
    },
  }),
  claim({
    experiment: 'convergence',
    where: 'Section 3.3, Figure 8',
    claim: 'GHT-ADMM gives lower errors than GHT-QPM at all budgets.',
    rule: 'Confirmed: after the last iteration, at every budget. Partly: at one or more.',
    judge({ series }) {
      const ends = (name: SolverName) => series.filter(({ solver }) => solver === name);
      const pairs = ends('admm').map(({ s, rmse }) => {
        const other = find(ends('qpm'), (each) => each.s === s);
        return { s, ratio: (rmse.at(-1) ?? Number.NaN) / (other.rmse.at(-1) ?? Number.NaN) };
      });
      return {
        measured: `RMSE of GHT-ADMM over that of GHT-QPM: ${pairs.map(({ s, ratio }) => `${ratio.toFixed(3)} at ${s}P`).join(', ')}`,
        outcome: gradeAll(pairs.map(({ ratio }) => ratio < 1)),
      };
    },
  }),
  claim({
    experiment: 'convergence',
    where: 'Section 3.3, Figure 8',
    claim: 'Within as few as 10 iterations both algorithms have converged.',
    rule: 'Confirmed: after 10 iterations the RMSE is within 1% of that after the last one, for both at every budget. Partly: within 10%.',
    judge({ series }) {
      const left = paperSolvers.map((name) =>
        Math.max(
          ...series
            .filter(({ solver }) => solver === name)
            .map(({ rmse }) => Math.abs(rmse[9] / (rmse.at(-1) ?? Number.NaN) - 1)),
        ),
      );
      const worst = Math.max(...left);
      return {
        measured: `after 10 iterations ${forBoth(left, (share, title) => `${title} is up to ${(100 * share).toFixed(1)}%`)} from the end`,
        outcome: grade(worst <= 0.01, worst <= 0.1),
      };
    },
  }),
  claim({
    experiment: 'denoising',
    where: 'Section 3.4, Tables 1 to 3',
    claim: 'Both global algorithms denoise better than the patch-wise ones, above all at low to moderate noise.',
    rule: 'Confirmed: both are better on every image at σ ≤ 20, and their mean gain at the lowest σ is above that at the highest. Partly: in at least half of the cases at σ ≤ 20.',
    judge({ images, sigmas }) {
      const low = gains(
        images,
        sigmas.filter((sigma) => sigma <= 20),
      );
      const mean = (sigma: number) => average(gains(images, [sigma]));
      const wins = low.filter((gain) => gain > 0).length;
      const [first, last] = [sigmas[0], sigmas[sigmas.length - 1]];
      return {
        measured: `better in ${wins} of ${low.length} cases at σ ≤ 20; mean gain ${mean(first).toFixed(2)} dB at σ = ${first}, ${mean(last).toFixed(2)} dB at σ = ${last}`,
        outcome: grade(wins === low.length && mean(first) > mean(last), 2 * wins >= low.length),
      };
    },
  }),
  claim({
    experiment: 'denoising',
    where: 'Section 3.4',
    claim: 'At σ = 10 they outperform the nearest competitor by 2.7 to 4.9 dB.',
    rule: 'Confirmed: by at least 2.7 dB on every image for both. Partly: somewhere.',
    judge({ images }) {
      const ours = gains(images, [10]);
      const column = paperSigmas.indexOf(10);
      const theirs = paperTables.flatMap(({ psnr }) => {
        const at = (solver: SolverName) => psnr[solver]?.[column] ?? Number.NaN;
        return paperSolvers.map((solver) => at(solver) - Math.max(...competitors.map(at)));
      });
      const range = (values: number[]) => `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)} dB`;
      return {
        measured: `${range(ours)} (the paper's own tables: ${range(theirs)})`,
        outcome: grade(Math.min(...ours) >= 2.7, Math.max(...ours) >= 2.7),
      };
    },
  }),
  claim({
    experiment: 'denoising',
    where: 'Tables 1 to 3, boxed',
    claim: 'GHT-ADMM is the best at low noise (σ ≤ 10), GHT-QPM at high noise (σ ≥ 30).',
    rule: 'Confirmed: on every image, among the algorithms of the paper. Partly: one of the two halves holds.',
    judge({ images, sigmas }) {
      const best = (sigma: number) =>
        images.map(({ runs }) => {
          const column = runs.filter((run) => run.sigma === sigma);
          return column.reduce((most, run) => (run.psnr > most.psnr ? run : most)).solver;
        });
      const holds = (chosen: readonly number[], name: SolverName) =>
        chosen.every((sigma) => best(sigma).every((solver) => solver === name));
      const [low, high] = [sigmas.filter((sigma) => sigma <= 10), sigmas.filter((sigma) => sigma >= 30)];
      const named = (sigma: number) => [...new Set(best(sigma))].map((solver) => titleOf(solver)).join(' or ');
      return {
        measured: `best: ${[...low, ...high].map((sigma) => `${named(sigma)} at σ = ${sigma}`).join(', ')}`,
        outcome: gradeAll([holds(low, 'admm'), holds(high, 'qpm')]),
      };
    },
  }),
  claim({
    experiment: 'rho',
    where: 'Section 3',
    claim: 'ρ = 0.1 serves both algorithms in all experiments.',
    rule: 'Confirmed: with ρ = 0.1 the RMSE of both is within 5% of the best ρ tried. Partly: of one.',
    judge({ runs }) {
      const excess = paperSolvers.map((name) => {
        const rows = runs.filter(({ solver }) => solver === name);
        return (
          find(rows, ({ absolute }) => absolute === PAPER_RHO).rmse / Math.min(...rows.map(({ rmse }) => rmse)) - 1
        );
      });
      return {
        measured: forBoth(excess, (each, title) => `${title} ${(100 * each).toFixed(1)}% above its best ρ`),
        outcome: gradeAll(excess.map((each) => each <= 0.05)),
      };
    },
  }),
  claim({
    experiment: 'rho',
    where: 'Section 3',
    claim: 'Both algorithms are fairly robust to the choice of ρ.',
    rule: 'Confirmed: from a tenth of ρ = 0.1 to ten times it, the highest RMSE is at most 10% above the lowest, for both. Partly: for one.',
    judge({ runs }) {
      const spread = paperSolvers.map((name) => {
        const rows = runs.filter(({ solver, absolute }) => solver === name && absolute >= 0.01 && absolute <= 1);
        const rmse = rows.map((row) => row.rmse);
        return Math.max(...rmse) / Math.min(...rmse) - 1;
      });
      return {
        measured: forBoth(spread, (each, title) => `${title} spreads by ${(100 * each).toFixed(1)}%`),
        outcome: gradeAll(spread.map((each) => each <= 0.1)),
      };
    },
  }),
  claim({
    experiment: 'inpainting',
    where: 'Section 4',
    claim: 'The global budget can be applied to further tasks, such as inpainting.',
    rule: 'Joint OMP of the known pixels under one global budget. Confirmed: its PSNR is above that of biharmonic interpolation on every image and mask. Partly: in at least half of the cases.',
    judge: fillingGains,
  }),
];
