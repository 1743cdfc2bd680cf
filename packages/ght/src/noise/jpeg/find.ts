/**
 * Finds the JPEG that an image once was from its pixels: where its blocks begin, and the quantisation steps of its coefficients.
 *
 * Coefficients lie on combs (comb.ts) only in blocks of the grid of the JPEG. So all 64 origins of the grid are
 * compared, first on a few blocks, then the best of them on more. An origin is accepted if
 *
 * - its T is so large that it would occur by chance once in e^40 images,
 * - it has twice the evidence per coefficient of any other origin, because pictures with repeated parts or few grey
 *   levels have combs everywhere (in 2,700 pictures that were not JPEGs, half of them white noise, the ratio was at most 1.43),
 * - and its combs are as narrow as decoding leaves them.
 *
 * On that grid, each frequency has its own histogram and its most likely step. Chroma is tried with each kind of
 * subsampling. If nearly all coefficients of a frequency are 0, its step cannot be found. It is taken from the standard table
 * that is nearest to the known steps.
 *
 * Processing after decoding matters. Noise, resizing and filters of any kind destroy the combs, and then no JPEG is found.
 * A crop, a rotation by 90° and other lossless operations preserve them.
 */
import type { Work } from '../../work.js';
import { dct8x8 } from '../coloured/dct8.js';
import type { JpegInfo } from '../model.js';
import { type Enlargement, type Pixels, pixelsPerSample, readChroma, readComponent } from './blocks.js';
import { type Combs, combsOf, Histograms, type Score } from './comb.js';
import { distanceFrom, nearestQuality, standardTable } from './tables.js';

/** The evidence required for a grid, and then for the step of a frequency or a kind of subsampling. */
const CERTAIN = 40;
const CERTAIN_STEP = 8;
/**
 * The required evidence, as a share of that of undisturbed combs. Nearly all decoded files have 0.9 or more. Files that were
 * sharpened afterwards, or got noise of one grey level, have up to 0.66.
 */
const EXPLAINED = 0.8;
/** Origins are compared on squares that contain a block of every origin: all origins on 48 squares, the best ones on 400. */
const SQUARE = 15;
const SQUARES = 48;
const MORE_SQUARES = 400;
const BEST_ORIGINS = 8;
/** The number of blocks from which steps are found: more do not make them clearer. */
const LUMA_BLOCKS = 4096;
const CHROMA_BLOCKS = 1536;
/** The mean evidence above which no other kind of subsampling is tried: wrong ones have less than 1. */
const CLEAR = 1.5;
/** The number of pixels on which kinds of subsampling are compared. */
const TRIAL_PIXELS = 96 * 256;
/** The largest distance of the chroma steps from the standard table of the quality of luma, if they have the same quality. */
const SAME_QUALITY = 0.1;
/** The number of blocks from which those with the most change are chosen. */
const SCANNED_BLOCKS = 8192;
/** Blocks between two yields: about a millisecond. */
const BLOCKS_PER_YIELD = 256;
/** The deviation of the errors of decoding: in rounded samples, and in chroma after inverting the interpolation. */
const ROUNDED = 0.32;
const INTERPOLATED = 0.48;

/** How chroma may have been enlarged, along a row and along a column. */
const ENLARGEMENTS: readonly (readonly [Enlargement, Enlargement])[] = [
  [1, 1],
  ['linear', 'linear'],
  [2, 2],
  ['linear', 1],
  [2, 1],
  [1, 'linear'],
  [1, 2],
  [4, 1],
];

function combsFor(enlargement: readonly Enlargement[]): Combs {
  return combsOf(enlargement.includes('linear') ? INTERPOLATED : ROUNDED);
}

type Point = readonly [x: number, y: number];

/**
 * Finds the JPEG that an image of 8-bit samples once was: R, G and B, or one grey plane, as they were decoded. Undefined if
 * none is found, and for any other number of planes. Samples of another range must be scaled to 0..255 first.
 */
export function* findJpeg(planes: Pixels['planes'], width: number, height: number): Work<JpegInfo | undefined> {
  if (planes.length !== 1 && planes.length !== 3) return undefined;
  const pixels: Pixels = { planes, width, height };
  const origin = yield* findOrigin(pixels);
  if (!origin) return undefined;

  const histograms = new Histograms();
  const places = mostActive(pixels, 'luma', { start: origin, size: [8, 8] }, LUMA_BLOCKS);
  const block = new Float64Array(64);
  for (const [n, place] of places.entries()) {
    if (n % BLOCKS_PER_YIELD === 0) yield 0.4 + (0.2 * n) / places.length;
    if (readComponent(pixels, 0, place, [8, 8], block)) histograms.add(dct8x8(block));
  }
  const { found, explained } = stepsOf(histograms, combsOf(ROUNDED));
  if (explained < EXPLAINED) return undefined;
  const quality = nearestQuality('luma', found);
  const luma = filled(found, standardTable('luma', quality));
  const coloured = planes.length === 3 && planes[0].some((red, n) => red !== planes[1][n] || red !== planes[2][n]);
  return { luma, ...(coloured && (yield* findChroma(pixels, origin, quality))), origin };
}

/** Where the grid begins. */
function* findOrigin(pixels: Pixels): Work<Point | undefined> {
  const squares: Float64Array[] = [];
  for (const place of mostActive(pixels, 'luma', { start: [0, 0], size: [SQUARE, SQUARE] }, SCANNED_BLOCKS)) {
    if (squares.length === SQUARES + MORE_SQUARES) break;
    const square = new Float64Array(SQUARE ** 2);
    if (readComponent(pixels, 0, place, [SQUARE, SQUARE], square)) squares.push(square);
  }
  const histograms = new Histograms();
  const block = new Float64Array(64);
  function score([x, y]: Point, used: readonly Float64Array[]): Score {
    histograms.clear();
    for (const square of used) {
      for (let j = 0; j < 8; j++) for (let i = 0; i < 8; i++) block[8 * j + i] = square[(y + j) * SQUARE + x + i];
      histograms.add(dct8x8(block));
    }
    return histograms.score(combsOf(ROUNDED));
  }
  const tried: { origin: Point; score: Score }[] = [];
  const few = squares.slice(0, SQUARES);
  for (let n = 0; n < 64; n++) {
    yield (0.3 * n) / 64;
    const origin = [n & 7, n >> 3] as const;
    tried.push({ origin, score: score(origin, few) });
  }
  const chosen = tried.sort((a, b) => b.score.mean - a.score.mean).slice(0, BEST_ORIGINS);
  for (const candidate of chosen) {
    yield 0.35;
    candidate.score = score(candidate.origin, squares);
  }
  const [best, second] = chosen.sort((a, b) => b.score.mean - a.score.mean);
  return best.score.T > CERTAIN && best.score.mean > 2 * second.score.mean ? best.origin : undefined;
}

/** Steps and subsampling of chroma. Steps that cannot be found are those of a standard quality. */
function* findChroma(pixels: Pixels, origin: Point, quality: number): Work<Pick<JpegInfo, 'chroma' | 'subsampling'>> {
  const histograms = new Histograms();
  const block = new Float64Array(64);
  let blocks = 0;
  function* count(start: Point, [across, down]: readonly [Enlargement, Enlargement], most: number): Work<void> {
    histograms.clear();
    const size = [8 * pixelsPerSample(across), 8 * pixelsPerSample(down)] as const;
    for (const place of mostActive(pixels, 'chroma', { start, size }, most)) {
      for (const component of [1, 2] as const) {
        if (++blocks % BLOCKS_PER_YIELD === 0) yield 0.8;
        if (readChroma(pixels, component, place, [across, down], block)) histograms.add(dct8x8(block));
      }
    }
  }
  let best: { mean: number; enlargement: readonly [Enlargement, Enlargement]; start: Point } | undefined;
  for (const enlargement of ENLARGEMENTS) {
    if (best && best.mean > CLEAR) break;
    const [columns, rows] = enlargement.map(pixelsPerSample);
    // The grid of chroma is coarser than that of luma, and may begin at any luma block.
    for (let n = 0; n < columns * rows; n++) {
      const start = [origin[0] + 8 * (n % columns), origin[1] + 8 * Math.floor(n / columns)] as const;
      yield* count(start, enlargement, TRIAL_PIXELS / (64 * columns * rows));
      const { T, mean } = histograms.score(combsFor(enlargement));
      if (T > CERTAIN_STEP && mean > (best?.mean ?? 0)) best = { mean, enlargement, start };
    }
  }
  if (!best) return { chroma: standardTable('chroma', quality), subsampling: [1, 1] };
  const { start, enlargement } = best;
  yield* count(start, enlargement, CHROMA_BLOCKS);
  const { found } = stepsOf(histograms, combsFor(enlargement));
  // Nearly all programs use the same quality for both tables.
  const same = distanceFrom('chroma', quality, found) < SAME_QUALITY;
  return {
    chroma: filled(found, standardTable('chroma', same ? quality : nearestQuality('chroma', found))),
    subsampling: [pixelsPerSample(enlargement[0]), pixelsPerSample(enlargement[1])],
  };
}

/**
 * The steps found in histograms, 0 where none is found. Steps increase with frequency in every sensible table. A step of less
 * than half of that of a lower frequency is a false comb near 0, from the errors of decoding.
 *
 * `explained` is the evidence for the steps over the evidence that is expected after decoding alone. Frequencies along one axis
 * are left out: in a block that varies along one axis only, every row has the same error.
 */
function stepsOf(histograms: Histograms, combs: Combs): { readonly found: number[]; readonly explained: number } {
  const found = new Array<number>(64).fill(0);
  let [seen, most] = [0, 0];
  for (let f = 0; f < 64; f++) {
    const { step, evidence, expected } = histograms.step(f, combs);
    const [u, v] = [f & 7, f >> 3];
    const lower = found.filter((_, g) => g > 0 && (g & 7) <= u && g >> 3 <= v);
    if (evidence < CERTAIN_STEP || 2 * step < Math.max(0, ...lower)) continue;
    found[f] = step;
    if (u > 0 && v > 0) [seen, most] = [seen + evidence, most + expected];
  }
  return { found, explained: most > 0 ? seen / most : 0 };
}

function filled(found: readonly number[], standard: Uint8Array): Uint8Array {
  return standard.map((step, f) => found[f] || step);
}

/** Rectangles of one size on a grid; its spacing in pixels is their size in whole blocks. */
interface Grid {
  readonly start: Point;
  readonly size: Point;
}

/**
 * At most `most` places of a grid within the image, those with the most change first: the coefficients of flat blocks contain no
 * information. The change is measured on 16 pixels of each place, and in large images only at some of the places.
 */
function mostActive(
  { planes, width, height }: Pixels,
  change: 'luma' | 'chroma',
  { start, size }: Grid,
  most: number,
): Point[] {
  const [R, G = R, B = R] = planes;
  const [columns, rows] = [width, height].map((length, axis) => {
    return Math.max(0, Math.floor((length - start[axis] - size[axis]) / pitchOf(size[axis])) + 1);
  });
  const ranked: { place: Point; activity: number }[] = [];
  const places = columns * rows;
  for (let i = 0; i < Math.min(places, SCANNED_BLOCKS); i++) {
    const n = Math.floor((i * places) / Math.min(places, SCANNED_BLOCKS));
    const place = [
      start[0] + pitchOf(size[0]) * (n % columns),
      start[1] + pitchOf(size[1]) * Math.floor(n / columns),
    ] as const;
    let activity = 0;
    for (let v = 0; v < 4; v++) {
      const row = (place[1] + Math.floor((v * size[1]) / 4)) * width + place[0];
      for (let u = 1; u < 4; u++) {
        const at = row + Math.floor((u * size[0]) / 4);
        const green = G[at] - G[row];
        const red = R[at] - R[row] - green;
        const blue = B[at] - B[row] - green;
        activity += change === 'luma' ? Math.abs(3 * green + red + blue) : Math.abs(red) + Math.abs(blue);
      }
    }
    ranked.push({ place, activity });
  }
  ranked.sort((a, b) => b.activity - a.activity);
  return ranked.slice(0, most).map(({ place }) => place);
}

function pitchOf(size: number): number {
  return 8 * Math.ceil(size / 8);
}
