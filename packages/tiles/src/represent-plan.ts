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
import { type Codes, InputError, OptionError, psnrOf, type RepresentOptions, type Solution } from 'ght';
import {
  type Bracket,
  CHUNK,
  type ChunkRun,
  chunkRuns,
  count,
  drive,
  type Energies,
  emptyHistogram,
  estimatedBracket,
  FLOAT64_DIGITS,
  type Followed,
  followPart,
  gridOf,
  isFound,
  largestInPart,
  magnitudeOf,
  moved,
  narrow,
  nearby,
  ONCE,
  type PartedImage,
  type PartedProblem,
  partedProblem,
  partsReport,
  type RankSearch,
  RESTARTS,
  rankIn,
  rankSearch,
  rebuiltPart,
  rowsFor,
  settlePart,
  solveParts,
  type Tries,
} from 'ght/parts';
import type { Picture, Rectangle } from './picture.js';
import type { Data, Job, Pass, Places, Plan } from './plan.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** What is represented, and where the result goes. */
export type RepresentRequest = {
  /** The name of the image to read. */
  readonly input: string;
  /** The name of the picture to write, which was created before, and of the codes beside it. */
  readonly output: string;
  /** The options of `represent` but `signal` and `onProgress`. @default {} */
  readonly options?: { readonly [name: string]: Data | undefined };
  /** The side of a square of pixels that is worked on at once. @default 2048 */
  readonly tile?: number;
  /** The full scale, for the PSNR. @default that of the type of 8- and 16-bit samples, and the range of all others */
  readonly peak?: number;
};

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
const SHARES = {
  look: 0.02,
  estimate: 0.01,
  follow: 0.7,
  rank: 0.003,
  settle: 0.12,
  solve: 0.85,
  codes: 0.04,
  picture: 0.09,
} as const;
const SIDE = 2048;

/** The full scale and the largest sample, as all passes are told: [peak, most]. */
type Range = Float64Array;

/** How paths are followed: [low, mid, high, restarts, λ]. Numbers that may be infinite are sent in typed arrays. */
type Prices = Float64Array;

/** What every tile is told about the paths: which pass followed them, and how. */
interface FollowArgument {
  readonly range: Range;
  readonly pass: number;
  readonly prices: Prices;
}

/** What every tile is told about the codes: [λ], the run of patches in which the last atoms at λ are kept, and how many there. */
interface SettleArgument extends FollowArgument {
  readonly threshold: Float64Array;
  readonly lastRun: number;
  readonly ties: number;
}

/** The offers of a run of patches, counted by a digit: the buckets that are not empty. */
interface Counted {
  readonly buckets: Uint32Array;
  readonly counts: Uint32Array;
}

interface FollowAnswer extends Counted, Energies {
  readonly sure: number;
  readonly offered: number;
}

/** The plan of joint OMP. */
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

/** What the passes of a solver have found, and what the passes after them are told. */
interface Solved {
  readonly argument: { readonly range: Range };
  readonly result: Omit<Solution, 'codes' | 'engine'>;
}

/** The passes of joint OMP. */
async function* jointOmp({ problem, runs }: Opened, range: Range): AsyncGenerator<Pass, Solved, readonly Data[]> {
  const start = performance.now();
  const [estimate] = yield pass('estimate', SHARES.estimate, 1, { range });
  let found = yield* findPrice(problem, runs, range, pricesOf(bracketIn(estimate as Prices), ONCE), 0);
  const lambda = found.threshold;
  if (problem.settings.effort === 2 && lambda > 0 && lambda < Number.POSITIVE_INFINITY) {
    const prices = pricesOf(nearby(lambda, problem.S), { restarts: RESTARTS, lambda });
    found = yield* findPrice(problem, runs, range, prices, found.argument.pass + 1);
  }
  const { threshold, lastRun, ties, energies } = found;
  const argument: SettleArgument = { ...found.argument, threshold: Float64Array.of(threshold), lastRun, ties };
  const answers = yield pass('settle', SHARES.settle, runs.length, argument);
  const settled = told<{ errors: Float64Array; nonzeros: number }[]>(answers);
  const kept = settled.reduce((sum, each) => sum + each.nonzeros, 0);
  const errors = settled.map((each) => each.errors);
  const entry = { k: 1, ...partsReport(problem, energies, errors, threshold), kept, ms: performance.now() - start };
  const { solver } = problem.settings;
  const end = { rho: null, iterations: 1, stopReason: 'complete', history: [entry] } as const;
  return { argument, result: { solver, budget: problem.S, nonzeros: kept, rmse: entry.rmse, ...end } };
}

/** The pass of all other solvers. */
async function* solved(range: Range): AsyncGenerator<Pass, Solved, readonly Data[]> {
  const [result] = yield pass('solve', SHARES.solve, 1, { range });
  return { argument: { range }, result: told<Solved['result']>(result) };
}

/** The passes that find λ from paths that are followed with these prices first. */
async function* findPrice(
  { S }: PartedProblem,
  runs: readonly ChunkRun[],
  range: Range,
  first: Prices,
  number: number,
): AsyncGenerator<Pass, Found, readonly Data[]> {
  let prices = first;
  for (let moves = 0; ; moves++) {
    const argument: FollowArgument = { range, pass: number + moves, prices };
    const name = `follow-${argument.pass}`;
    const share = moves === 0 && number === 0 ? SHARES.follow : 0;
    const answers = told<FollowAnswer[]>(yield { ...pass('follow', share, runs.length, argument), name });
    const [sure, offered] = [sumOf(answers, 'sure'), sumOf(answers, 'offered')];
    const bracket = bracketIn(prices);
    const rank = rankIn(bracket, S, sure, offered);
    const found = { argument, energies: answers, lastRun: runs.length, ties: 0 };
    if (rank === 'none') return { ...found, threshold: Number.POSITIVE_INFINITY };
    if (rank === 'all') return { ...found, threshold: 0 };
    if (rank === 'above' || rank === 'below') {
      prices = pricesOf(moved(bracket, rank, moves, S), triesIn(prices));
      continue;
    }
    let search = rankSearch(FLOAT64_DIGITS, rank);
    let parts: readonly Counted[] = answers;
    for (;;) {
      search = narrow(search, merged(search, parts));
      if (isFound(search)) break;
      const { prefix } = search;
      const next = `rank-${argument.pass}-${prefix.length}`;
      parts = told(yield { ...pass('rank', SHARES.rank, runs.length, { ...argument, prefix }), name: next });
    }
    const last = search.prefix[search.prefix.length - 1];
    return { ...found, threshold: magnitudeOf(search.prefix), ...lastOf(parts, last, rank - search.larger) };
  }
}

interface Found {
  readonly argument: FollowArgument;
  readonly energies: readonly Energies[];
  readonly threshold: number;
  readonly lastRun: number;
  readonly ties: number;
}

/** The run in which the last of the equal prices are kept, if so many of them are kept in all, and how many it keeps. */
function lastOf(parts: readonly Counted[], bucket: number, keep: number): { lastRun: number; ties: number } {
  let left = keep;
  for (const [run, { buckets, counts }] of parts.entries()) {
    const equal = counts[buckets.indexOf(bucket)] ?? 0;
    if (equal >= left) return { lastRun: run, ties: left };
    left -= equal;
  }
  throw new Error(`${left} of the prices at the threshold are missing`);
}

/** The prices that begin with the digits found, counted by the next digit. */
function counted(prices: Float64Array, search: RankSearch): Counted {
  const histogram = emptyHistogram(search);
  count(prices, search.prefix, histogram);
  const buckets = Uint32Array.from(histogram.keys()).filter((bucket) => histogram[bucket] > 0);
  return { buckets, counts: buckets.map((bucket) => histogram[bucket]) };
}

function merged(search: RankSearch, parts: readonly Counted[]): Float64Array {
  const histogram = new Float64Array(emptyHistogram(search).length);
  for (const { buckets, counts } of parts) {
    for (let i = 0; i < buckets.length; i++) histogram[buckets[i]] += counts[i];
  }
  return histogram;
}

/** What the work of a tile needs. */
interface Opened {
  readonly image: PartedImage;
  readonly problem: PartedProblem;
  readonly runs: readonly ChunkRun[];
}

function opened({ options = {}, tile = SIDE }: RepresentRequest, source: Source, range: Range, signal?: AbortSignal) {
  const { channels } = source.picture;
  const image = partedImage(source, signal);
  const problem = partedProblem(image, channels, options as RepresentOptions, range[0], range[1]);
  return { image, problem, runs: chunkRuns(problem, (tile / problem.grid.stride) ** 2) };
}

async function openedBy(request: RepresentRequest, { argument, signal }: Job, places: Places): Promise<Opened> {
  return opened(request, await places.source(request.input), told<{ range: Range }>(argument).range, signal);
}

function isJoint({ settings }: PartedProblem): boolean {
  return settings.solver === 'joint-omp';
}

/** Follows the paths of a run and stores them. */
async function follow(request: RepresentRequest, job: Job, places: Places, run: number) {
  const { problem, image, runs } = await openedBy(request, job, places);
  const { pass, prices } = told<FollowArgument>(job.argument);
  const result = await followPart(problem, image, runs[run], bracketIn(prices), triesIn(prices), job);
  const scratch = await places.scratch(request.output);
  await scratch.put(followedKey(pass, run), data(result.followed));
  return result;
}

/** What a run has followed, once more if it is no longer there. */
async function stored(request: RepresentRequest, job: Job, places: Places, run: number): Promise<Followed> {
  const { pass } = told<FollowArgument>(job.argument);
  const known = await (await places.scratch(request.output)).get(followedKey(pass, run));
  if (known) return told<Followed>(known);
  return (await follow(request, { ...job, onFraction: undefined }, places, run)).followed;
}

/** Makes the codes of a run and stores them. */
async function settle(request: RepresentRequest, job: Job, places: Places, run: number) {
  const { problem, image, runs } = await openedBy(request, job, places);
  const { threshold, lastRun, ties, pass } = told<SettleArgument>(job.argument);
  const followed = await stored(request, job, places, run);
  const quota = run < lastRun ? followed.offers.length : run === lastRun ? ties : 0;
  const result = await settlePart(problem, image, runs[run], followed, threshold[0], quota, job);
  const { indptr, indices, values } = result.codes;
  const scratch = await places.scratch(request.output);
  await scratch.put(codesKey(run), { indptr, indices, values });
  // It is not needed any more, unless the codes are lost.
  await scratch.put(followedKey(pass, run), null);
  return result;
}

/** Solves the problem of all patches and stores the codes of every run. */
async function solve(request: RepresentRequest, job: Job, places: Places): Promise<Solution> {
  const { problem, image, runs } = await openedBy(request, job, places);
  const solution = await solveParts(problem, image, job);
  const scratch = await places.scratch(request.output);
  const { indptr, indices, values } = solution.codes;
  for (const [run, { first, end }] of runs.map((each) => patchesIn(problem, each)).entries()) {
    const [from, to] = [indptr[first], indptr[end]];
    const own = indptr.slice(first, end + 1).map((position) => position - from);
    await scratch.put(codesKey(run), { indptr: own, indices: indices.slice(from, to), values: values.slice(from, to) });
  }
  return solution;
}

/** The numbers of the patches of a run: from `first` to `end`. */
function patchesIn(
  { P }: PartedProblem,
  { first, chunks }: ChunkRun,
): { readonly first: number; readonly end: number } {
  return { first: first * CHUNK, end: Math.min(P, (first + chunks) * CHUNK) };
}

/** The codes of patches that lie one after the other. */
async function codesOf(request: RepresentRequest, job: Job, places: Places, first: number, P: number): Promise<Codes> {
  const { problem, runs } = await openedBy(request, job, places);
  const scratch = await places.scratch(request.output);
  const parts: PatchesOf[] = [];
  for (const [run, { first: begin, end: last }] of runs.map((each) => patchesIn(problem, each)).entries()) {
    const [from, end] = [Math.max(first, begin), Math.min(first + P, last)];
    if (from >= end) continue;
    const codes = (await scratch.get(codesKey(run))) ?? (await codesAgain(request, job, places, run));
    parts.push({ from: from - begin, end: end - begin, at: from - first, codes: told<RunCodes>(codes) });
  }
  return joined(problem.dictionary.L, P, parts);
}

/** The codes of a run that are no longer in the scratch. */
async function codesAgain(request: RepresentRequest, job: Job, places: Places, run: number): Promise<Data> {
  const again = { ...job, onFraction: undefined };
  const { problem, runs } = await openedBy(request, job, places);
  if (isJoint(problem)) return data((await settle(request, again, places, run)).codes);
  const { codes } = await solve(request, again, places);
  const { first, end } = patchesIn(problem, runs[run]);
  return data(joined(codes.L, end - first, [{ from: first, end, at: 0, codes }]));
}

/** The codes of a run, as they are stored. */
type RunCodes = Pick<Codes, 'indptr' | 'indices' | 'values'>;

/** The patches from number `from` to `end` of some codes, which come to be those from `at` on. */
interface PatchesOf {
  readonly from: number;
  readonly end: number;
  readonly at: number;
  readonly codes: RunCodes;
}

function joined(L: number, P: number, parts: readonly PatchesOf[]): Codes {
  const total = parts.reduce((sum, { from, end, codes }) => sum + codes.indptr[end] - codes.indptr[from], 0);
  const indptr = new Int32Array(P + 1);
  const [indices, values] = [new Int32Array(total), new Float64Array(total)];
  let n = 0;
  for (const { from, end, at, codes } of parts) {
    const begin = codes.indptr[from];
    indices.set(codes.indices.subarray(begin, codes.indptr[end]), n);
    values.set(codes.values.subarray(begin, codes.indptr[end]), n);
    for (let p = from; p < end; p++) indptr[at + p - from + 1] = n + codes.indptr[p + 1] - begin;
    n += codes.indptr[end] - begin;
  }
  return { L, P, indptr, indices, values };
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

function partedImage(source: Source, signal?: AbortSignal): PartedImage {
  const { width, height, channels } = source.picture;
  return { width, height, read: async (at) => (await source.read(at, signal)).slice(0, channels) };
}

const followedKey = (pass: number, run: number) => `followed-${pass}-${run}`;
const codesKey = (run: number) => `codes-${run}`;

const bracketIn = ([low, mid, high]: Prices): Bracket => ({ low, mid, high });
const triesIn = ([, , , restarts, lambda]: Prices): Tries => ({ restarts, lambda });
const pricesOf = ({ low, mid, high }: Bracket, { restarts, lambda }: Tries): Prices =>
  Float64Array.of(low, mid, high, restarts, lambda);

/** What crosses to another machine: the steps take and return plain data, which their types do not say. */
const data = (value: unknown) => value as Data;
const told = <T>(argument: Data | readonly Data[]) => argument as unknown as T;

function pass(work: string, share: number, tiles: number, argument: unknown = null): Pass {
  return { name: work, work, argument: data(argument), tiles: Array.from({ length: tiles }, (_, tile) => tile), share };
}

function sumOf(answers: readonly FollowAnswer[], of: 'sure' | 'offered'): number {
  return answers.reduce((sum, answer) => sum + answer[of], 0);
}

function notFinite(value: number): InputError {
  return new InputError('image', 'must have samples that are finite numbers', value, 'repair the image first');
}

function checkTile(tile: number | undefined): void {
  if (tile === undefined || (Number.isInteger(tile) && tile >= 1)) return;
  throw new OptionError('tile', 'must be a whole number of at least 1', tile, 'give a side in pixels, such as 2048');
}
