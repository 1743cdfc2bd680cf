/**
 * The work on runs of patches: what a run has followed and its codes are put into the scratch, and computed again if they are no
 * longer there.
 */
import type { Codes, RepresentOptions, Solution } from 'ght';
import {
  type Bracket,
  CHUNK,
  type ChunkRun,
  chunkRuns,
  type Followed,
  followPart,
  type PartedImage,
  type PartedProblem,
  partedProblem,
  settlePart,
  solveParts,
  type Tries,
} from 'ght/parts';
import { data, partedImage, told } from './pass.js';
import type { Data, Job, Places } from './plan.js';
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

/** The side of a square that is worked on at once, if none is given. */
export const SIDE = 2048;

/** The full scale and the largest sample, as all passes are told: [peak, most]. */
export type Range = Float64Array;

/** How paths are followed: [low, mid, high, restarts, λ]. Numbers that may be infinite are sent in typed arrays. */
export type Prices = Float64Array;

/** What every tile is told about the paths: which pass followed them, and how. */
export interface FollowArgument {
  readonly range: Range;
  readonly pass: number;
  readonly prices: Prices;
}

/** What every tile is told about the codes: [λ], the run of patches in which the last atoms at λ are kept, and how many there. */
export interface SettleArgument extends FollowArgument {
  readonly threshold: Float64Array;
  readonly lastRun: number;
  readonly ties: number;
}

export const bracketIn = ([low, mid, high]: Prices): Bracket => ({ low, mid, high });
export const triesIn = ([, , , restarts, lambda]: Prices): Tries => ({ restarts, lambda });
export const pricesOf = ({ low, mid, high }: Bracket, { restarts, lambda }: Tries): Prices =>
  Float64Array.of(low, mid, high, restarts, lambda);

/** What the work of a tile needs. */
export interface Opened {
  readonly image: PartedImage;
  readonly problem: PartedProblem;
  readonly runs: readonly ChunkRun[];
}

export function opened(
  { options = {}, tile = SIDE }: RepresentRequest,
  source: Source,
  range: Range,
  signal?: AbortSignal,
) {
  const { channels } = source.picture;
  const image = partedImage(source, signal);
  const problem = partedProblem(image, channels, options as RepresentOptions, range[0], range[1]);
  return { image, problem, runs: chunkRuns(problem, (tile / problem.grid.stride) ** 2) };
}

export async function openedBy(request: RepresentRequest, { argument, signal }: Job, places: Places): Promise<Opened> {
  return opened(request, await places.source(request.input), told<{ range: Range }>(argument).range, signal);
}

export function isJoint({ settings }: PartedProblem): boolean {
  return settings.solver === 'joint-omp';
}

/** Follows the paths of a run and stores them. */
export async function follow(request: RepresentRequest, job: Job, places: Places, run: number) {
  const { problem, image, runs } = await openedBy(request, job, places);
  const { pass, prices } = told<FollowArgument>(job.argument);
  const result = await followPart(problem, image, runs[run], bracketIn(prices), triesIn(prices), job);
  const scratch = await places.scratch(request.output);
  await scratch.put(followedKey(pass, run), data(result.followed));
  return result;
}

/** What a run has followed, once more if it is no longer there. */
export async function stored(request: RepresentRequest, job: Job, places: Places, run: number): Promise<Followed> {
  const { pass } = told<FollowArgument>(job.argument);
  const known = await (await places.scratch(request.output)).get(followedKey(pass, run));
  if (known) return told<Followed>(known);
  return (await follow(request, { ...job, onFraction: undefined }, places, run)).followed;
}

/** Makes the codes of a run and stores them. */
export async function settle(request: RepresentRequest, job: Job, places: Places, run: number) {
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
export async function solve(request: RepresentRequest, job: Job, places: Places): Promise<Solution> {
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
export async function codesOf(
  request: RepresentRequest,
  job: Job,
  places: Places,
  first: number,
  P: number,
): Promise<Codes> {
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

const followedKey = (pass: number, run: number) => `followed-${pass}-${run}`;
const codesKey = (run: number) => `codes-${run}`;
