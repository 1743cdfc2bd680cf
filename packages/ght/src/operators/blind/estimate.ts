/**
 * Finds an unknown blur: of the Gaussians, disks and straight motions up to some size, the one that explains the spectrum of the
 * picture best (`fit.ts`), first on a coarse grid of sizes and angles, then around the best of each kind.
 */
import type { Work } from '../../work.js';
import { type BlurKernel, type BlurShape, shapedKernel } from '../kernel.js';
import type { Plane, Size } from '../operator.js';
import { fitSpectrum, frequenciesOf, type SpectrumFit } from './fit.js';
import { blurResponse, type PowerSpectrum, powerSpectrum, windowSide } from './spectrum.js';

/** A blur that was found. */
export type BlurEstimate = BlurShape & {
  /** How certain the kind is, from 0 to 1: the share of the likelihood among the kinds. */
  readonly confidence: number;
};

/** Why no blur was found. */
export type NoBlurReason = 'sharp' | 'flat' | 'too-small';

/** What explains a spectrum, and at which cost. */
interface Candidate<Shape extends BlurShape = BlurShape> {
  readonly shape: Shape;
  readonly cost: number;
}

/** A kernel that blurs nothing. */
const POINT: BlurKernel = { width: 1, height: 1, data: [1] };
/** A motion has one number more than the others: what it has to gain by it. */
const MOTION_COST = 2;
/** The cost of each pixel of the deviation of a kernel: of blurs that explain a spectrum equally well, the smaller one does less harm. */
const SIZE_COST = 1.5;
/** Smaller blurs are those of sharp photographs. */
const SHARP = { gaussian: 0.65, disk: 0.9, motion: 2.5 } as const;
/** A picture whose power at low frequencies is below this, in units of the loop, shows nothing. */
const FLAT = 1;

/** The blur of a plane, or why there is none. `floor` is the variance of errors that hide the spectrum, such as those of a JPEG. */
export function* estimateBlur(plane: Plane, size: Size, floor = 0): Work<BlurEstimate | NoBlurReason> {
  const side = windowSide(size);
  if (side === undefined) return 'too-small';
  const spectrum = above(yield* powerSpectrum(plane, size, side), floor);
  if (spectrum.power[2] + spectrum.power[2 * side] < FLAT + 2 * floor) return 'flat';
  const search = searchOf(spectrum);
  const none = yield* search.costOf(POINT);
  const best: Candidate[] = [
    yield* bestGaussian(search, side),
    yield* bestDisk(search, side),
    yield* bestMotion(search, side),
  ];
  best.sort((a, b) => a.cost - b.cost);
  const [{ shape, cost }] = best;
  if (none <= cost || isSharp(shape)) return 'sharp';
  const weights = best.reduce((sum, other) => sum + Math.exp(cost - other.cost), 0);
  return { ...shape, confidence: 1 / weights };
}

/** Whether a plane is explained better without any blur, or by that of sharp photographs, than by a kernel. */
export function* looksSharp(plane: Plane, size: Size, kernel: BlurKernel, floor = 0): Work<boolean> {
  const side = windowSide(size);
  if (side === undefined || Math.max(kernel.width, kernel.height) > side) return false;
  const { costOf } = searchOf(above(yield* powerSpectrum(plane, size, side), floor));
  const sharpest = Math.min(yield* costOf(POINT), yield* costOf(shapedKernel({ kind: 'gaussian', sigma: 0.45 })));
  // A narrow kernel does no harm to a sharp picture, and costs about the same.
  return sharpest + CLEARLY < (yield* costOf(kernel));
}

/** A blur whose cost is this many times the least so far, and more, will not become the best one. */
const HOPELESS = 1.5;
/** By how much a sharp picture has to cost less than a blurred one to be pointed out. */
const CLEARLY = 40;

function isSharp(shape: BlurShape): boolean {
  if (shape.kind === 'gaussian') return shape.sigma < SHARP.gaussian;
  return shape.kind === 'disk' ? shape.radius < SHARP.disk : shape.length < SHARP.motion;
}

/** The cost of a shape before the picture is looked at. */
function costBefore(shape: BlurShape): number {
  // The deviations of a disk and of a line are r/2 and ℓ/√12.
  if (shape.kind === 'gaussian') return SIZE_COST * shape.sigma;
  return shape.kind === 'disk'
    ? (SIZE_COST * shape.radius) / 2
    : MOTION_COST + (SIZE_COST * shape.length) / Math.sqrt(12);
}

function above({ side, power }: PowerSpectrum, floor: number): PowerSpectrum {
  return { side, power: power.map((value) => value + floor) };
}

/** Explains one spectrum by many kernels. */
interface Search {
  costOf(kernel: BlurKernel): Work<number>;
  /** The best of some shapes. */
  best<Shape extends BlurShape>(shapes: Iterable<Shape>, before?: Candidate<Shape>): Work<Candidate<Shape>>;
}

function searchOf(spectrum: PowerSpectrum): Search {
  const frequencies = frequenciesOf(spectrum.side);
  let first: SpectrumFit | undefined;
  let least = Number.POSITIVE_INFINITY;
  const costOf = function* (kernel: BlurKernel): Work<number> {
    const response = yield* blurResponse(kernel, spectrum.side);
    const fit = fitSpectrum(spectrum, response, frequencies, first?.unknowns, HOPELESS * least + CLEARLY);
    first ??= fit;
    least = Math.min(least, fit.cost);
    return fit.cost;
  };
  return {
    costOf,
    *best(shapes, before) {
      let best = before;
      for (const shape of shapes) {
        const cost = (yield* costOf(shapedKernel(shape))) + costBefore(shape);
        if (!best || cost < best.cost) best = { shape, cost };
        yield 0.5;
      }
      if (!best) throw new Error('there are no shapes to choose from');
      return best;
    },
  };
}

/** from, from + step, … up to `to`. */
function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step + 1.001) }, (_, i) => from + i * step);
}

function* bestGaussian({ best }: Search, side: number): Work<Candidate> {
  const gaussian = (sigma: number) => ({ kind: 'gaussian', sigma: Math.round(100 * sigma) / 100 }) as const;
  const coarse = yield* best(range(0.4, side / 16, 0.3).map(gaussian));
  const { sigma } = coarse.shape;
  return yield* best(
    [-0.2, -0.1, 0.1, 0.2].map((off) => gaussian(sigma + off)),
    coarse,
  );
}

function* bestDisk({ best }: Search, side: number): Work<Candidate> {
  const disk = (radius: number) => ({ kind: 'disk', radius }) as const;
  const coarse = yield* best(range(1, side / 9, 0.5).map(disk));
  const { radius } = coarse.shape;
  return yield* best(
    [-0.25, -0.125, 0.125, 0.25].map((off) => disk(radius + off)),
    coarse,
  );
}

function* bestMotion({ best }: Search, side: number): Work<Candidate> {
  const motion = (length: number, angle: number) =>
    ({ kind: 'motion', length, angle: (Math.round(2 * angle) / 2 + 180) % 180 }) as const;
  // The longer a line, the more its ends move with the angle: here by at most 0.4 pixels from one angle of the grid to the nearest.
  const grid = range(3, 0.4 * side, 2).flatMap((length) =>
    range(0, 179.9, 90 / length).map((angle) => motion(length, angle)),
  );
  const coarse = yield* best(grid);
  const around = (of: Candidate<ReturnType<typeof motion>>, turns: readonly number[], offs: readonly number[]) =>
    turns.flatMap((turn) => offs.map((off) => motion(of.shape.length + off, of.shape.angle + turn)));
  const near = yield* best(around(coarse, [-5, -2.5, 0, 2.5, 5], [-1, 0, 1]), coarse);
  return yield* best(around(near, [-1, 0, 1], [-0.5, 0, 0.5]), near);
}
