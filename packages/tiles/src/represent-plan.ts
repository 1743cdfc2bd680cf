/**
 * Representing an image as passes over it, with the codes of `represent` on the whole image. Joint OMP:
 *
 *     look → estimate → follow → rank, rank, rank → (follow → rank, rank, rank) → settle → codes → picture → finish
 *
 * The first passes go over runs of patches. `follow` says how many atoms are above a bracket of prices and counts those inside by
 * the first digit of their price, `rank` by the next digits, until the price λ of the last atom within the budget is known. (A
 * bracket without λ is followed by another one; the passes in brackets are for effort 2.) `settle` makes the codes at that price.
 * The passes after it go over rows of the picture. What a run has followed, and its codes, are in the scratch.
 *
 * The iterations of the other solvers go over all patches again and again, so these are solved in one place, which reads the
 * image part by part and needs memory for the patches and their codes:
 *
 *     look → solve → codes → picture → finish
 */
import { type Codes, InputError, psnrOf, type Solution } from 'ght';
import {
  drive,
  estimatedBracket,
  FLOAT64_DIGITS,
  gridOf,
  largestInPart,
  rankSearch,
  rebuiltPart,
  rowsFor,
} from 'ght/parts';
import { checkTile, data, partedImage, pass, told } from './pass.js';
import type { Picture, Rectangle } from './picture.js';
import type { Data, Job, Pass, Places, Plan } from './plan.js';
import { counted, jointOmp, type Solved } from './represent-price.js';
import {
  codesOf,
  follow,
  isJoint,
  type Opened,
  opened,
  openedBy,
  type Range,
  type RepresentRequest,
  SIDE,
  settle,
  solve,
  stored,
} from './represent-runs.js';
import type { Sink } from './sink.js';

export type { RepresentRequest } from './represent-runs.js';

/** The result of representing an image in tiles; codes and picture are in their stores. */
export interface RepresentedTiles extends Omit<Solution, 'codes' | 'engine'> {
  /** The number of patches in all planes. */
  readonly patches: number;
  /** Root mean square error per sample; it is summed tile by tile, so the last digits may differ from those of the untiled run. */
  readonly rmsePixel: number;
  /** Peak signal-to-noise ratio in dB, from `rmsePixel` and the full scale. */
  readonly psnr: number;
}

/** The approximate shares of the passes. */
const SHARES = { look: 0.02, solve: 0.85, codes: 0.04, picture: 0.09 } as const;

/** The plan of representing an image. */
export function representPlan(): Plan<RepresentRequest, RepresentedTiles> {
  return {
    name: 'represent',
    async *passes(request, places) {
      checkTile(request.tile);
      const source = await places.source(request.input);
      const { chunk } = await places.sink(request.output);
      const range = yield* rangeOf(request, source.picture);
      const at = opened(request, source, range);
      const { problem } = at;
      const bands = bandsOf(source.picture, chunk, request.tile);
      const layout = codesLayout(at, range[0]);
      await places.codes?.(request.output, layout);

      const solution = yield* isJoint(problem) ? jointOmp(at, range) : solved(range);
      const { argument } = solution;
      if (places.codes) yield pass('codes', SHARES.codes, problem.planes * codeBands(layout), argument);
      const squares = told<Float64Array[]>(yield pass('picture', SHARES.picture, bands.length, argument));
      yield pass('finish', 0, 1);
      await (await places.scratch(request.output)).clear();

      const { width, height, channels } = source.picture;
      let square = 0;
      for (let c = 0; c < channels; c++) square += squares.reduce((sum, own) => sum + own[c], 0);
      const rmsePixel = Math.sqrt(square / (width * height * channels));
      return { ...solution.result, patches: problem.P, rmsePixel, psnr: psnrOf(rmsePixel, range[0]) };
    },
    work: {
      async look(request, { tile, signal, onFraction }, places) {
        const source = await places.source(request.input);
        const planes = await partedImage(source, signal).read(lookedAt(source.picture)[tile]);
        let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (const plane of planes) {
          for (const value of plane) {
            if (!(Math.abs(value) <= 1e300)) throw notFinite(value);
            least = Math.min(least, value);
            greatest = Math.max(greatest, value);
          }
        }
        return Float64Array.of(least, greatest, await drive(largestInPart(planes), { signal, onFraction }));
      },
      async estimate(request, job, places) {
        const { problem, image } = await openedBy(request, job, places);
        const { low, mid, high } = await estimatedBracket(problem, image, job.signal);
        return Float64Array.of(low, mid, high);
      },
      async follow(request, job, places) {
        const { followed, energies } = await follow(request, job, places, job.tile);
        const { sure, offers } = followed;
        const digit = counted(offers, rankSearch(FLOAT64_DIGITS, 1));
        return data({ sure, offered: offers.length, ...digit, ...energies });
      },
      async rank(request, job, places) {
        const { prefix } = told<{ prefix: number[] }>(job.argument);
        const offers = (await stored(request, job, places, job.tile)).offers;
        return data(counted(offers, { ...rankSearch(FLOAT64_DIGITS, 1), prefix }));
      },
      async settle(request, job, places) {
        const { codes, errors } = await settle(request, job, places, job.tile);
        return data({ errors, nonzeros: codes.indptr[codes.P] });
      },
      async solve(request, job, places) {
        const { codes: _, engine: __, ...result } = await solve(request, job, places);
        return data(result);
      },
      async codes(request, job, places) {
        const store = await places.codes?.(request.output);
        if (!store) return null;
        const { image, tile } = store.layout;
        const perPlane = codeBands(store.layout);
        const [plane, row] = [Math.floor(job.tile / perPlane), job.tile % perPlane];
        const { columns, rows, count: patches } = image.grid;
        const first = plane * patches + row * tile.rows * columns;
        const number = Math.min(tile.rows, rows - row * tile.rows) * columns;
        await store.write({ plane, row, column: 0 }, await codesOf(request, job, places, first, number));
        return null;
      },
      async picture(request, job, places) {
        const at = await openedBy(request, job, places);
        const sink = await places.sink(request.output);
        return writeBand(request, job, places, at, sink);
      },
      async finish(request, { signal }, places) {
        await (await places.sink(request.output)).finish(signal);
        return null;
      },
    },
  };
}

/** The pass of all other solvers. */
async function* solved(range: Range): AsyncGenerator<Pass, Solved, readonly Data[]> {
  const [result] = yield pass('solve', SHARES.solve, 1, { range });
  return { argument: { range }, result: told<Solved['result']>(result) };
}

/** Writes rows of the picture, and gives the sum of the squared differences from the image for each plane. */
async function writeBand(
  request: RepresentRequest,
  job: Job,
  places: Places,
  { problem }: Opened,
  sink: Sink,
): Promise<Float64Array> {
  const source = await places.source(request.input);
  const { picture } = source;
  const band = bandsOf(picture, sink.chunk, request.tile)[job.tile];
  const { first, rows } = rowsFor(problem, band);
  const { columns, count: perPlane } = problem.grid;
  const codes: Codes[] = [];
  for (let plane = 0; plane < problem.planes; plane++) {
    codes.push(await codesOf(request, job, places, plane * perPlane + first * columns, rows * columns));
  }
  const squares = new Float64Array(problem.planes);
  const width = sink.chunk.width * Math.max(1, Math.floor((request.tile ?? SIDE) / sink.chunk.width));
  for (const block of gridOf(band, { width, height: band.height })) {
    const at = { ...block, top: band.top };
    const { planes } = await drive(rebuiltPart(problem, at, codes, first), { signal: job.signal });
    const given = await source.read(at, job.signal);
    for (const [c, plane] of planes.entries()) {
      for (let i = 0; i < plane.length; i++) squares[c] += (plane[i] - given[c][i]) ** 2;
    }
    await sink.write(at, [...planes, ...given.slice(picture.channels)]);
    job.onFraction?.((at.left + at.width) / band.width);
  }
  return squares;
}

/** The rows of the picture that are written at once: whole chunks of the sink. */
function bandsOf({ width, height }: Picture, chunk: Sink['chunk'], tile: number = SIDE): Rectangle[] {
  const chunks = Math.max(1, Math.floor(tile ** 2 / width / chunk.height));
  return gridOf({ width, height }, { width, height: chunks * chunk.height });
}

/** The parts in which samples are looked at. */
function lookedAt(picture: Picture): Rectangle[] {
  return gridOf(picture, { width: SIDE, height: SIDE });
}

/** The full scale and the largest sample. Those of 8- and 16-bit samples need no look at the image. */
async function* rangeOf({ peak }: RepresentRequest, picture: Picture): AsyncGenerator<Pass, Range, readonly Data[]> {
  const { sample, depth } = picture;
  const full = 2 ** depth - 1;
  if (sample === 'uint' && depth <= 16 && (peak ?? full) >= full) return Float64Array.of(peak ?? full, full);
  const looked = told<Float64Array[]>(yield pass('look', SHARES.look, lookedAt(picture).length));
  let [least, greatest, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const own of looked) {
    least = Math.min(least, own[0]);
    greatest = Math.max(greatest, own[1]);
    most = Math.max(most, own[2]);
  }
  return Float64Array.of(peak ?? (greatest > least ? greatest - least : 1), most);
}

/** The layout of the codes: bands of whole rows of patches. */
function codesLayout({ problem }: Opened, peak: number) {
  const { grid, dictionary, planes } = problem;
  const rows = Math.max(1, Math.min(grid.rows, Math.round(2 ** 16 / grid.columns)));
  return { image: { grid, dictionary, peak }, planes, tile: { columns: grid.columns, rows } };
}

function codeBands({ image, tile }: ReturnType<typeof codesLayout>): number {
  return Math.ceil(image.grid.rows / tile.rows);
}

function notFinite(value: number): InputError {
  return new InputError('image', 'must have samples that are finite numbers', value, 'repair the image first');
}
