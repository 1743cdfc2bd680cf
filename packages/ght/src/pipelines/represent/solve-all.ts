import { type Codes, someCodes } from '../../sparse/codes/codes.js';
import type { Watch } from '../../work.js';
import { type Solution, solveProblem } from '../solve/solve.js';
import type { RepresentContext } from './context.js';
import { pictureError } from './picture.js';
import { type ImageProblem, patchesIn, streamedPatches } from './problem.js';

/** Solves the problem of all patches. */
export async function solveInOnePlace(
  context: RepresentContext,
  problem: ImageProblem,
  { signal, onFraction }: Watch,
): Promise<Solution> {
  const { dictionary: D, budget, settings, peak, most } = problem;
  const { whole, images } = context;
  const Y = whole ? patchesIn(whole.axes, problem) : streamedPatches(problem, images, signal);
  const onProgress = whole
    ? settings.onProgress
    : onFraction && (({ fraction }: { fraction: number }) => onFraction(fraction));
  const reader = (codes: Codes) => async (first: number, P: number) => someCodes(codes, first, P);
  return solveProblem({
    ...{ D, Y, peak, most, budget, settings: { ...settings, signal, onProgress } },
    // A PSNR budget refers to the images: because of edges and overlap it differs from the PSNR of the patches.
    errorOf:
      'psnr' in budget
        ? async (codes) =>
            (await pictureError(context, problem, reader(codes), budget.largestInteger, signal)) * Math.sqrt(D.N)
        : undefined,
  });
}
