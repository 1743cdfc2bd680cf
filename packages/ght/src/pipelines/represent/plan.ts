/**
 * Representing images under one budget, as passes over their parts. Joint OMP with a fixed budget:
 *
 *     range → bracket → follow → rank, rank, rank → (follow → rank, rank, rank) → commit → codes → picture → finish
 *
 * The passes up to `commit` go over runs of patches. `follow` returns how many atoms are above a bracket of prices and counts those
 * inside by the first digit of their price, `rank` by the next digits, until the price λ of the last atom within the budget is known. (A
 * bracket without λ is followed by another one; the passes in brackets are for effort 2.) `commit` makes the codes at that price.
 * The passes after it go over rows of the pictures. What a run has followed, and its codes, are stored between passes.
 *
 * The iterations of the other solvers, swaps (effort 3) and refits go over all patches again, and a target needs a search over
 * budgets. These, and whole images, are solved in one place, which needs memory for the patches and their codes:
 *
 *     range → solve → codes → picture → finish
 */

import { decorrelation, isColour } from '../../image/colour.js';
import { checkPixels, type Samples } from '../../image/image.js';
import { allOf, gridCell, gridLength, type Rectangle, type Size } from '../../image/rectangle.js';
import { largestOf } from '../../image/scale.js';
import { psnrOf, rmseOfSquares, type Squares, squaresOver } from '../../measures/error.js';
import { drive, stretches, type Work } from '../../work.js';
import { nothing, whole as wholeNumber } from '../check.js';
import { definePass, type Plan, workByName } from '../plan.js';
import { type CodesBands, problemOf, type RepresentContext } from './context.js';
import {
  checkPicture,
  checkRangeArgument,
  checkSampleRange,
  checkSolved,
  checkSolvedArgument,
  type PictureAnswer,
  type Range,
  type SampleRange,
  type SolvedArgument,
  type SolvedResult,
} from './messages.js';
import { bandSize, countingAtoms, rebuiltBand, samplesOf } from './picture.js';
import { bracketPass, commitPass, followPass, rankPass, solveInParts } from './price.js';
import type { ImageProblem } from './problem.js';
import { codesOf, storeCodes } from './runs.js';
import { solveInOnePlace } from './solve-all.js';

/** What the codes of one image or several are, and how close they are to it. */
export interface Share {
  /** The number of patches in all planes. */
  readonly patches: number;
  /** The number of nonzeros used. */
  readonly nonzeros: number;
  /** Root mean square error per sample; for several parts it is summed part by part, so the last digits may differ. */
  readonly rmsePixel: number;
  /** Peak signal-to-noise ratio in dB, from `rmsePixel` and the full scale. */
  readonly psnr: number;
}

/** The result of representing images under one budget, apart from codes and pixels. */
export interface RepresentResult extends SolvedResult, Share {
  /** What each image got of it. */
  readonly images: readonly Share[];
}

/** The approximate shares of the passes. */
const SHARES = { range: 0.02, solve: 0.85, codes: 0.04, picture: 0.09 } as const;
/** The parts whose samples are scanned. */
const SCANNED = { width: 2048, height: 2048 } as const;
/** Patches of a band of codes, about. */
const BAND_PATCHES = 2 ** 16;

const rangePass = definePass<RepresentContext, null, SampleRange>({
  ...{ name: 'range', argument: nothing, answer: checkSampleRange },
  async work({ images, parts, whole, options }, { part, signal, onFraction }) {
    const [k, cell] = partAt(
      images.map(({ image }) => scannedParts(image, parts)),
      part,
    );
    const { image, planes } = images[k];
    const colour = isColour(planes, options.channels);
    const at = parts ? gridCell(image, SCANNED, cell) : allOf(image);
    const given = await image.read(at, signal);
    const { axes, ...range } = await drive(
      scan(given, at, { isWhole: whole !== undefined, colour, name: nameOf(images, k) }),
      {
        signal,
        onFraction,
      },
    );
    if (whole) whole.axes[k] = axes;
    return range;
  },
});

/** What errors call one of the images. */
function nameOf({ length }: RepresentContext['images'], k: number): string {
  return length > 1 ? `images[${k}]` : 'image';
}

/** The range of a part, and its planes in the axes in which they are represented. The full scale of whole images is given. */
export function* scan(
  planes: readonly Samples[],
  at: Rectangle,
  { isWhole, colour, name }: { readonly isWhole: boolean; readonly colour: boolean; readonly name: string },
): Work<SampleRange & { readonly axes: readonly Samples[] }> {
  yield* checkPixels({ ...at, planes, peak: 1 }, at, name);
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
  const axes = colour ? yield* decorrelation(planes) : planes;
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
    const bands = problem.images.map((_, k) => codesBands(problem, k));
    const [k, number] = partAt(bands.map(bandsOf), job.part);
    const { grid, rows } = bands[k];
    const perPlane = Math.ceil(grid.rows / rows);
    const [plane, row] = [Math.floor(number / perPlane), number % perPlane];
    const first = problem.images[k].first + plane * grid.count + row * rows * grid.columns;
    const patches = Math.min(rows, grid.rows - row * rows) * grid.columns;
    await context.images[k].codes?.write(
      { plane, row },
      await codesOf(context, problem, job)(first, patches),
      bands[k],
    );
    return null;
  },
});

const picturePass = definePass<RepresentContext, SolvedArgument, PictureAnswer>({
  ...{ name: 'picture', argument: checkSolvedArgument, answer: checkPicture },
  async work(context, job) {
    const { images, parts } = context;
    const { signal, onFraction } = job;
    const problem = problemOf(context, job.argument.range);
    const [k, part] = partAt(pictureParts(context), job.part);
    const { image, output } = images[k];
    const squares: Squares[] = [];
    const band = gridCell(image, bandSize(image, parts), part);
    const codes = countingAtoms(problem, k, band, codesOf(context, problem, job));
    for await (const { at, planes } of rebuiltBand(context, problem, k, band, codes.read, signal)) {
      squares.push(await drive(squaresOver(planes, await image.read(at, signal)), { signal }));
      await output.write(at, planes, signal);
      onFraction?.((at.left + at.width) / band.width);
    }
    return { ...sumOfSquares(squares), nonzeros: codes.nonzeros };
  },
});

const finishPass = definePass<RepresentContext, null, null>({
  ...{ name: 'finish', argument: nothing, answer: nothing },
  async work({ images }, { signal }) {
    for (const { output } of images) await output.finish(signal);
    return null;
  },
});

/** The plan of representing images. */
export const representPlan: Plan<RepresentContext, RepresentResult> = {
  name: 'represent',
  work: workByName(
    ...[rangePass, bracketPass, followPass, rankPass, commitPass, solvePass, codesPass, picturePass, finishPass],
  ),
  async run(context, perform) {
    const { images, parts } = context;
    const scanned = images.reduce((sum, { image }) => sum + scannedParts(image, parts), 0);
    const scan = { parts: scanned, share: SHARES.range };
    const range = context.range ?? rangeOf(context, await perform(rangePass, null, scan));
    const problem = problemOf(context, range);
    for (const [k, { codes }] of images.entries()) await codes?.begin(codesBands(problem, k));
    const { solver, effort, refit } = problem.settings;
    const inParts = parts !== undefined && solver === 'joint-omp' && effort < 3 && !refit;
    const { argument, result } =
      inParts && problem.S !== undefined
        ? await solveInParts(context, problem, range, perform)
        : { argument: { range }, result: (await perform(solvePass, { range }, { parts: 1, share: SHARES.solve }))[0] };
    if (images.some(({ codes }) => codes)) {
      const bands = problem.images.reduce((sum, _, k) => sum + bandsOf(codesBands(problem, k)), 0);
      await perform(codesPass, argument, { parts: bands, share: SHARES.codes });
    }
    const counts = pictureParts(context);
    const pictures = { parts: counts.reduce((sum, count) => sum + count, 0), share: SHARES.picture };
    const answers = await perform(picturePass, argument, pictures);
    await perform(finishPass, null, { parts: 1, share: 0 });
    await context.scratch.clear();
    const share = (of: typeof images, own: readonly PictureAnswer[], patches: number): Share => {
      const rmsePixel = rmseOfSquares(own, samplesOf(of));
      const nonzeros = own.reduce((sum, answer) => sum + answer.nonzeros, 0);
      return { patches, nonzeros, rmsePixel, psnr: psnrOf(rmsePixel, range[0]) };
    };
    const left = [...answers];
    const each = counts.map((count, k) => {
      const { grid, planes } = problem.images[k];
      return share([images[k]], left.splice(0, count), grid.count * planes);
    });
    return { ...result, ...share(images, answers, problem.P), images: each };
  },
};

/** The number of parts in which an image is scanned. */
function scannedParts(image: Size, parts: RepresentContext['parts']): number {
  return parts ? gridLength(image, SCANNED) : 1;
}

/** The number of bands of each picture. */
function pictureParts({ images, parts }: RepresentContext): number[] {
  return images.map(({ image }) => gridLength(image, bandSize(image, parts)));
}

/** The image that a part of a pass is of, if each image has this many, and which of its parts. */
function partAt(counts: readonly number[], part: number): readonly [image: number, part: number] {
  let own = wholeNumber(0, counts.reduce((sum, count) => sum + count, 0) - 1)(part, 'part');
  let k = 0;
  for (; own >= counts[k]; k++) own -= counts[k];
  return [k, own];
}

/** The full scale and the largest sample of all images, from the ranges of their parts. */
function rangeOf(context: RepresentContext, parts: readonly SampleRange[]): Range {
  const all = parts.reduce((one, other) => ({
    least: Math.min(one.least, other.least),
    greatest: Math.max(one.greatest, other.greatest),
    most: Math.max(one.most, other.most),
  }));
  return Float64Array.of(context.peakOf(all), all.most);
}

/** The codes of image k in bands of whole rows of patches. */
function codesBands({ images, dictionary, peak }: ImageProblem, k: number): CodesBands {
  const { grid, planes, colour } = images[k];
  const rows = Math.max(1, Math.min(grid.rows, Math.round(BAND_PATCHES / grid.columns)));
  return { grid, planes, colour, dictionary, peak, rows };
}

function bandsOf({ grid, planes, rows }: CodesBands): number {
  return planes * Math.ceil(grid.rows / rows);
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
