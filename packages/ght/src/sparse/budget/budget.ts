import { notNegative, OptionError, oneOf, positive, wholeNumber } from '../../errors.js';

/** The number of nonzeros that may be used, given in one of five ways. */
export type Budget =
  | {
      /** s atoms per patch on average, from 0 to L: S = s·P. */
      readonly perPatch: number;
    }
  | {
      /** S nonzeros in total, from 0 to L·P. */
      readonly total: number;
    }
  | {
      /** The smallest S whose RMSE per patch (as the paper defines it) is at most this, in the units of the input. */
      readonly rmse: number;
    }
  | {
      /** The smallest S whose reconstruction reaches this PSNR, in dB. */
      readonly psnr: number;
      /**
       * The largest integer that a sample of a file holds, such as 255: the PSNR is then that of samples rounded and clipped
       * to 0 … 255, as the file has them. For images only.
       *
       * @default the samples as they are
       */
      readonly largestInteger?: number;
    }
  | {
      /** As many atoms as noise of this standard deviation justifies, in the units of the input. */
      readonly sigma: number;
      /**
       * How σ becomes a budget. `residual`: the smallest S whose residual is no larger than the noise, ‖DZ − Y‖² ≤ NPσ².
       * `threshold`: the number of coefficients that stand out from the noise, counted without a search.
       *
       * @default `residual` for patches that overlap by half or more, `threshold` for all others
       */
      readonly rule?: NoiseRule;
    };

/** The rules by which a noise level becomes a budget. */
export const noiseRules = ['residual', 'threshold'] as const;

/** The name of a rule by which a noise level becomes a budget. */
export type NoiseRule = (typeof noiseRules)[number];

type Noise = Extract<Budget, { readonly sigma: number }>;
type Level = Extract<Budget, { readonly psnr: number }>;

/**
 * A budget in one of three forms: a number of nonzeros, the fewest that reach an RMSE per patch, or those that stand out
 * from the noise.
 */
export type Goal = { readonly S: number } | { readonly rmse: number } | { readonly sigma: number };

/** Checks a budget and resolves it for P patches of N samples over L atoms, full scale `peak`. */
export function resolveBudget(budget: Budget, N: number, L: number, P: number, peak: number): Goal {
  const object = typeof budget === 'object' && budget !== null ? (budget as Noise & Level) : {};
  const { rule = 'threshold', largestInteger = 1, ...kinds } = object as Partial<Noise & Level>;
  const given = Object.entries(kinds);
  if (given.length !== 1) {
    const rule = 'must have exactly one of perPatch, total, rmse, psnr, sigma';
    throw new OptionError('budget', rule, budget, 'for example { perPatch: 10 }');
  }
  const [kind, value] = given[0];
  oneOf('budget.rule', rule, noiseRules);
  if (kind !== 'sigma' && 'rule' in budget) {
    throw new OptionError('budget.rule', `cannot be combined with ${kind}`, rule, 'it belongs to sigma');
  }
  wholeNumber('budget.largestInteger', largestInteger, 1, 2 ** 32 - 1, 'use 255 for 8 bits, 65535 for 16');
  if (kind !== 'psnr' && 'largestInteger' in budget) {
    const rule = `cannot be combined with ${kind}`;
    throw new OptionError('budget.largestInteger', rule, largestInteger, 'it belongs to psnr');
  }
  switch (kind) {
    case 'perPatch':
      if (!(typeof value === 'number' && value >= 0 && value <= L)) {
        const rule = `must be from 0 to the ${L} atoms of the dictionary`;
        throw new OptionError('budget.perPatch', rule, value, `use an average such as ${Math.min(10, L)}`);
      }
      return { S: Math.round(value * P) };
    case 'total':
      return { S: wholeNumber('budget.total', value, 0, L * P, `there are ${L} atoms × ${P} patches; use fewer`) };
    case 'rmse':
      return { rmse: notNegative('budget.rmse', value, 'give the error per patch in input units') };
    case 'psnr':
      // ‖DZ − Y‖² = P·rmse² is spread over N·P samples.
      return {
        rmse: peak * 10 ** (-positive('budget.psnr', value, 'give a level in dB such as 35') / 20) * Math.sqrt(N),
      };
    case 'sigma':
      notNegative('budget.sigma', value, 'give the noise level in input units');
      return rule === 'threshold' ? { sigma: value } : { rmse: value * Math.sqrt(N) };
    default:
      throw new OptionError('budget', 'must have one of perPatch, total, rmse, psnr, sigma', kind, 'check the name');
  }
}

/** The number of atoms to assume for an estimate: S if it is given, else half the samples, which reaches most targets. */
export function expectedAtoms(goal: Goal, N: number, P: number): number {
  return 'S' in goal ? goal.S : (N * P) / 2;
}
