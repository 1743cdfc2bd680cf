import { gaussianDictionary, overcompleteDct, represent, solve } from 'ght';
import { spectralNormSquared, supportMismatch } from 'ght/paper';
import { catalogue } from '../catalogue.js';
import { optionsOf, PAPER_RHO, type PaperSolver, paperSolvers } from '../contenders.js';
import { middles } from '../images.js';
import { type Experiment, pacer, type Setting } from '../setting.js';
import { sparseSignals } from './synthetic.js';

/** The effect of ρ. */
export interface Rho {
  readonly s: number;
  readonly synthetic: { readonly s: number; readonly normSquared: number };
  /** ‖D‖₂² of the 64×100 overcomplete DCT, the unit of a relative ρ. */
  readonly normSquared: number;
  readonly images: readonly string[];
  readonly runs: readonly {
    readonly solver: PaperSolver;
    /** ρ as in the formulas. */
    readonly absolute: number;
    /** In units of ‖D‖₂² of the DCT. */
    readonly relative: number;
    /** The RMSE per patch after the last iteration, averaged over the images. */
    readonly rmse: number;
    /** The support mismatch on synthetic signals. */
    readonly mismatch: number;
  }[];
}

const PER_PATCH = 10;
const SYNTHETIC = 20;

export const rho: Experiment<Rho> = {
  ...catalogue.rho,
  seconds: { full: 50, quick: 6 },
  describe: (data) =>
    `GHT-QPM and GHT-ADMM with ρ from ${data.runs[0].absolute} to ${data.runs.at(-1)?.absolute}: the RMSE at S = ` +
    `${data.s}P after 100 iterations, mean over ${data.images.join(', ')}, and the support missed on synthetic signals at ` +
    `s = ${data.synthetic.s}. The paper has ρ = ${PAPER_RHO}, that is ${(PAPER_RHO / data.normSquared).toPrecision(2)} ` +
    `‖D‖₂² for its DCT.`,
  run,
};

async function run(setting: Setting): Promise<Rho> {
  const values = setting.quick ? [0.01, 0.1, 0.5, 1] : [0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 3, 10];
  const images = setting.quick ? middles(setting.images) : setting.images;
  const normSquared = spectralNormSquared(overcompleteDct(8, 10));
  const D = gaussianDictionary(100, 200, setting.seed);
  const { Y, truth } = sparseSignals(D, 100, SYNTHETIC, setting.seed + 7);
  const pace = pacer(setting, 2 * values.length * (images.length + 1));
  const runs = [];
  for (const solver of paperSolvers) {
    for (const absolute of values) {
      const options = { ...optionsOf(solver, 'natural'), threads: setting.threads, rho: { absolute } };
      let rmse = 0;
      for (const { image } of images) {
        const budget = { perPatch: PER_PATCH };
        // The last iterate, not the best, so that a run that moves away from its best shows it.
        const { history } = await pace(1, (watch) => represent(image, { ...options, ...watch, budget, tolerance: 0 }));
        rmse += (history.at(-1)?.rmse ?? Number.NaN) / images.length;
      }
      const budget = { perPatch: SYNTHETIC };
      const { codes } = await pace(1, (watch) => solve(D, Y, { ...options, ...watch, threads: 1, budget, peak: 1 }));
      const mismatch = supportMismatch(codes, truth);
      runs.push({ solver, absolute, relative: absolute / normSquared, rmse, mismatch });
    }
  }
  return {
    s: PER_PATCH,
    synthetic: { s: SYNTHETIC, normSquared: spectralNormSquared(D) },
    normSquared,
    images: images.map(({ name }) => name),
    runs,
  };
}
