/**
 * Representing an image as passes over its parts. Joint OMP with a fixed budget:
 *
 *     range → bracket → follow → rank, rank, rank → (follow → rank, rank, rank) → commit → codes → picture → finish
 *
 * The passes up to `commit` go over runs of patches. `follow` returns how many atoms are above a bracket of prices and counts those
 * inside by the first digit of their price, `rank` by the next digits, until the price λ of the last atom within the budget is known. (A
 * bracket without λ is followed by another one; the passes in brackets are for effort 2.) `commit` makes the codes at that price.
 * The passes after it go over rows of the picture. What a run has followed, and its codes, are stored between passes.
 *
 * The iterations of the other solvers, swaps (effort 3) and refits go over all patches again, and a target needs a search over
 * budgets. These, and any image in one part, are solved in one place, which needs memory for the patches and their codes:
 *
 *     range → solve → codes → picture → finish
 */

import { decorrelation } from '../../image/colour.js';
import { checkPixels, type Samples } from '../../image/image.js';
import { allOf, gridCell, gridLength, type Rectangle } from '../../image/rectangle.js';
import { largestOf } from '../../image/scale.js';
import { psnrOf, rmseOfSquares, type Squares, squaresOver } from '../../measures/error.js';
import { drive, stretches, type Work } from '../../work.js';
import { nothing, whole as wholeNumber } from '../check.js';
import { definePass, type Plan, workByName } from '../plan.js';
import { type CodesBands, problemOf, type RepresentContext } from './context.js';
import {
  checkRangeArgument,
  checkSampleRange,
  checkSolved,
  checkSolvedArgument,
  checkSquares,
  type Range,
  type SampleRange,
  type SolvedArgument,
  type SolvedResult,
} from './messages.js';
import { bandSize, rebuiltBand } from './picture.js';
import { bracketPass, commitPass, followPass, rankPass, solveInParts } from './price.js';
import type { ImageProblem } from './problem.js';
import { codesOf, storeCodes } from './runs.js';
import { solveInOnePlace } from './solve-all.js';

/** The result of representing an image, apart from codes and pixels. */
export interface RepresentResult extends SolvedResult {
  /** The number of patches in all planes. */
  readonly patches: number;
  /** Root mean square error per sample; for several parts it is summed part by part, so the last digits may differ. */
  readonly rmsePixel: number;
  /** Peak signal-to-noise ratio in dB, from `rmsePixel` and the full scale. */
  readonly psnr: number;
}

/** The approximate shares of the passes. */
const SHARES = { range: 0.02, solve: 0.85, codes: 0.04, picture: 0.09 } as const;
/** The parts whose samples are scanned. */
const SCANNED = { width: 2048, height: 2048 } as const;
/** Patches of a band of codes, about. */
const BAND_PATCHES = 2 ** 16;

const rangePass = definePass<RepresentContext, null, SampleRange>({
  ...{ name: 'range', argument: nothing, answer: checkSampleRange },
  async work({ image, parts, whole }, { part, signal, onFraction }) {
    const at = parts ? gridCell(image, SCANNED, part) : allOf(image);
    const given = await image.read(at, signal);
    const { axes, ...range } = await drive(scan(given, at, whole !== undefined), { signal, onFraction });
    if (whole) whole.axes = axes;
    return range;
  },
});

/** The range of a part, and its planes in the axes in which they are represented. The full scale of a whole image is given. */
function* scan(
  planes: readonly Samples[],
  at: Rectangle,
  isWhole: boolean,
): Work<SampleRange & { readonly axes: readonly Samples[] }> {
  yield* checkPixels({ ...at, planes, peak: 1 }, at);
  let [least, greatest] = isWhole ? [0, 0] : [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const plane of isWhole ? [] : planes) {
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) {
        if (plane[i] < least) least = plane[i];
        if (plane[i] > greatest) greatest = plane[i];
      }
      yield to / plane.length;
    }
  }
  const axes = yield* decorrelation(planes);
  let most = 0;
  // Every pixel is in a patch, and mirroring only repeats pixels, so this is the largest sample of all patches.
  for (const plane of axes) most = Math.max(most, yield* largestOf(plane));
  return { least, greatest, most, axes };
}

const solvePass = definePass<RepresentContext, { readonly range: Range }, SolvedResult>({
  ...{ name: 'solve', argument: checkRangeArgument, answer: checkSolved },
  async work(context, job) {
    const problem = problemOf(context, job.argument.range);
    const solution = await solveInOnePlace(context, problem, job);
    if (context.whole) context.whole.solution = solution;
    else await storeCodes(context, problem, solution.codes);
    const { codes: _, engine: __, ...result } = solution;
    return result;
  },
});

const codesPass = definePass<RepresentContext, SolvedArgument, null>({
  ...{ name: 'codes', argument: checkSolvedArgument, answer: nothing },
  async work(context, job) {
    const problem = problemOf(context, job.argument.range);
    const bands = codesBands(problem);
    const { columns, rows, count } = problem.grid;
    const perPlane = Math.ceil(rows / bands.rows);
    const number = wholeNumber(0, problem.planes * perPlane - 1)(job.part, 'part');
    const [plane, row] = [Math.floor(number / perPlane), number % perPlane];
    const first = plane * count + row * bands.rows * columns;
    const patches = Math.min(bands.rows, rows - row * bands.rows) * columns;
    await context.codes?.write({ plane, row }, await codesOf(context, problem, job)(first, patches), bands);
    return null;
  },
});

const picturePass = definePass<RepresentContext, SolvedArgument, Squares>({
  ...{ name: 'picture', argument: checkSolvedArgument, answer: checkSquares },
  async work(context, job) {
    const { image, output } = context;
    const { signal, onFraction } = job;
    const problem = problemOf(context, job.argument.range);
    const squares: Squares[] = [];
    const band = gridCell(image, bandSize(context), job.part);
    for await (const { at, planes } of rebuiltBand(context, problem, band, codesOf(context, problem, job), signal)) {
      squares.push(await drive(squaresOver(planes, await image.read(at, signal)), { signal }));
      await output.write(at, planes, signal);
      onFraction?.((at.left + at.width) / band.width);
    }
    return sumOfSquares(squares);
  },
});

const finishPass = definePass<RepresentContext, null, null>({
  ...{ name: 'finish', argument: nothing, answer: nothing },
  async work({ output }, { signal }) {
    await output.finish(signal);
    return null;
  },
});

/** The plan of representing an image. */
export const representPlan: Plan<RepresentContext, RepresentResult> = {
  name: 'represent',
  work: workByName(
    ...[rangePass, bracketPass, followPass, rankPass, commitPass, solvePass, codesPass, picturePass, finishPass],
  ),
  async run(context, perform) {
    const { image, planes, parts, codes } = context;
    const scan = { parts: parts ? gridLength(image, SCANNED) : 1, share: SHARES.range };
    const range = context.range ?? rangeOf(context, await perform(rangePass, null, scan));
    const problem = problemOf(context, range);
    const bands = codesBands(problem);
    await codes?.begin(bands);
    const { solver, effort, refit } = problem.settings;
    const inParts = parts !== undefined && solver === 'joint-omp' && effort < 3 && !refit;
    const { argument, result } =
      inParts && problem.S !== undefined
        ? await solveInParts(context, problem, range, perform)
        : { argument: { range }, result: (await perform(solvePass, { range }, { parts: 1, share: SHARES.solve }))[0] };
    const codeBands = problem.planes * Math.ceil(problem.grid.rows / bands.rows);
    if (codes) await perform(codesPass, argument, { parts: codeBands, share: SHARES.codes });
    const pictures = { parts: gridLength(image, bandSize(context)), share: SHARES.picture };
    const squares = await perform(picturePass, argument, pictures);
    await perform(finishPass, null, { parts: 1, share: 0 });
    await context.scratch.clear();
    const rmsePixel = rmseOfSquares(squares, image.width * image.height * planes);
    return { ...result, patches: problem.P, rmsePixel, psnr: psnrOf(rmsePixel, range[0]) };
  },
};

/** The full scale and the largest sample of an image, from the ranges of its parts. */
function rangeOf(context: RepresentContext, parts: readonly SampleRange[]): Range {
  const all = parts.reduce((one, other) => ({
    least: Math.min(one.least, other.least),
    greatest: Math.max(one.greatest, other.greatest),
    most: Math.max(one.most, other.most),
  }));
  return Float64Array.of(context.peakOf(all), all.most);
}

/** The codes in bands of whole rows of patches. */
function codesBands(problem: ImageProblem): CodesBands {
  const { rows, columns } = problem.grid;
  return { problem, rows: Math.max(1, Math.min(rows, Math.round(BAND_PATCHES / columns))) };
}

/** The sum of squares of parts, as one. */
function sumOfSquares(parts: readonly Squares[]): Squares {
  if (parts.length === 1) return parts[0];
  const unit = parts.reduce((largest, part) => Math.max(largest, part.unit), 0);
  const squares = parts[0].squares.map((_, c) =>
    parts.reduce((sum, part) => sum + part.squares[c] * (part.unit / unit) ** 2, 0),
  );
  return { unit, squares };
}
