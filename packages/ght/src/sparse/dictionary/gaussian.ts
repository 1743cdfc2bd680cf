import { OptionError, wholeNumber } from '../../errors.js';
import { randomSource } from '../../math/random.js';
import { type Dictionary, denseDictionary } from './dictionary.js';

/** The paper's synthetic dictionary: independent normal entries of mean 0 and standard deviation 0.1, from a seed. */
export function gaussianDictionary(N = 100, L = 200, seed = 1, deviation = 0.1): Dictionary {
  wholeNumber('N', N, 1, 1e6, 'give the number of samples per signal');
  wholeNumber('L', L, 1, 1e6, 'give the number of atoms');
  if (N * L > 2 ** 28) {
    throw new OptionError('L', `must leave at most ${2 ** 28} entries`, `${N}×${L}`, 'give fewer atoms or samples');
  }
  const random = randomSource(seed);
  const entries = Float64Array.from({ length: N * L }, () => deviation * random.normal());
  return denseDictionary(N, L, entries, 'Gaussian');
}
