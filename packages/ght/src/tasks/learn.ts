import type { Samples } from '../image/image.js';
import { type ImageSource, type Learned, learnDictionary } from '../pipelines/learn/learn.js';
import { type LearnOptions, resolveLearnOptions } from '../pipelines/learn/options.js';

/**
 * Learns a dictionary for the patches of images, or for signals, under one global budget:
 *
 *     minimise ‖DZ − Y‖²_F over D and Z   subject to   ‖Z‖₀ ≤ S   and atoms of norm 1
 *
 * It alternates: joint OMP (option `solver`) codes a batch of patches with its share of the budget, then the atoms are fitted
 * to the codes. The dictionary that is best on patches held out from training is returned. To continue learning, pass it
 * as `initial`.
 *
 * Images are read once, one after the other; a random sample of their patches is kept (option `patches`). RGB is learned
 * as it is represented: luma and two chromas, which share the budget. Samples are in units of the first image's peak.
 * Signals are a typed array, one after the other, of as many samples as `initial` has rows, or as a patch has pixels.
 *
 * @param data - Images, which are read one after the other, or signals in one array, which may not change before the promise has settled.
 *
 * @example
 * ```js
 * import { learn } from 'ght';
 *
 * const plane = Float32Array.from({ length: 96 * 96 }, (_, i) => (i * i) % 251);
 * const images = [{ width: 96, height: 96, planes: [plane], peak: 255 }]; // or a generator that reads files
 * const options = { atoms: [12, 12], separable: true, budget: { perPatch: 5 }, iterations: 4 };
 * const { dictionary, initialRmse, rmse } = await learn(images, options);
 * console.log(dictionary.name, initialRmse, rmse);
 * ```
 */
export async function learn(data: ImageSource | Samples, options: LearnOptions = {}): Promise<Learned> {
  return learnDictionary(data, resolveLearnOptions(options));
}
