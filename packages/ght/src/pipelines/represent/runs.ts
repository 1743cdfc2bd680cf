/**
 * The work on runs of patches. What a run has followed and its codes are kept in the scratch, and computed again if they are no
 * longer there. The codes of whole images are those of their solution.
 */

import type { Followed } from '../../engines/engine.js';
import { type Codes, joinCodes, someCodes } from '../../sparse/codes/codes.js';
import { type Bracket, CHUNK, type Tries } from '../../sparse/solvers/bracket.js';
import { accepted, whole as wholeNumber } from '../check.js';
import type { Job } from '../plan.js';
import { problemOf, type RepresentContext } from './context.js';
import {
  type CommitArgument,
  checkFollowedRun,
  checkRunCodes,
  type FollowArgument,
  type Prices,
  type SolvedArgument,
} from './messages.js';
import type { CodesReader } from './picture.js';
import { type ChunkRun, commitPart, followPart, type ImageProblem } from './problem.js';
import { solveInOnePlace } from './solve-all.js';

export const bracketIn = ([low, mid, high]: Prices): Bracket => ({ low, mid, high });
const triesIn = ([, , , restarts, lambda]: Prices): Tries => ({ restarts, lambda });
export const pricesOf = ({ low, mid, high }: Bracket, { restarts, lambda }: Tries): Prices =>
  Float64Array.of(low, mid, high, restarts, lambda);

/** The number of runs into which the patches are divided: about as many patches each as a part of the image has. */
export function runCount(context: RepresentContext, problem: ImageProblem): number {
  return Math.ceil(problem.chunks / chunksPerRun(context, problem));
}

/** A run of patches. */
function runAt(context: RepresentContext, problem: ImageProblem, index: number): ChunkRun {
  const each = chunksPerRun(context, problem);
  const first = wholeNumber(0, runCount(context, problem) - 1)(index, 'part') * each;
  return { first, chunks: Math.min(each, problem.chunks - first) };
}

function chunksPerRun({ parts }: RepresentContext, { images: [{ grid }], chunks }: ImageProblem): number {
  return parts ? Math.max(1, Math.round((parts.side / grid.stride) ** 2 / CHUNK)) : chunks;
}

/** Follows the paths of a run and stores them. */
export async function follow(context: RepresentContext, job: Job<FollowArgument>) {
  const { range, pass, prices } = job.argument;
  const problem = problemOf(context, range);
  const run = runAt(context, problem, job.part);
  const result = await followPart(problem, context.images, run, bracketIn(prices), triesIn(prices), job);
  await context.scratch.put(followedKey(pass, job.part), result.followed);
  return result;
}

/** What a run has followed; it is followed again if that is no longer there. */
export async function followedBy(context: RepresentContext, job: Job<FollowArgument>): Promise<Followed> {
  const stored = accepted(checkFollowedRun, await context.scratch.get(followedKey(job.argument.pass, job.part)));
  return stored ?? (await follow(context, { ...job, onFraction: undefined })).followed;
}

/** Makes the codes of a run and stores them. */
export async function commit(context: RepresentContext, job: Job<CommitArgument>) {
  const { range, threshold, lastRun, ties, pass } = job.argument;
  const problem = problemOf(context, range);
  const run = runAt(context, problem, job.part);
  const followed = await followedBy(context, job);
  const quota = job.part < lastRun ? followed.offers.length : job.part === lastRun ? ties : 0;
  const result = await commitPart(problem, context.images, run, followed, threshold[0], quota, job);
  await context.scratch.put(codesKey(job.part), stored(result.codes));
  // It is not needed any more, unless the codes are lost.
  await context.scratch.put(followedKey(pass, job.part), null);
  return result;
}

/** Stores the codes of all patches, run by run. */
export async function storeCodes(context: RepresentContext, problem: ImageProblem, codes: Codes): Promise<void> {
  for (let run = 0; run < runCount(context, problem); run++) {
    const { first, end } = patchesOf(problem, runAt(context, problem, run));
    await context.scratch.put(codesKey(run), stored(someCodes(codes, first, end - first)));
  }
}

/** Reads codes of patches that lie one after the other. */
export function codesOf(context: RepresentContext, problem: ImageProblem, job: Job<SolvedArgument>): CodesReader {
  const { whole } = context;
  return async (first, P) => {
    if (whole?.solution) return someCodes(whole.solution.codes, first, P);
    const parts: Codes[] = [];
    for (let run = 0; run < runCount(context, problem); run++) {
      const { first: begin, end } = patchesOf(problem, runAt(context, problem, run));
      const [from, to] = [Math.max(first, begin), Math.min(first + P, end)];
      if (from < to) parts.push(someCodes(await codesOfRun(context, problem, job, run), from - begin, to - from));
    }
    return joinCodes(parts);
  };
}

/** The codes of a run; they are computed again if they are no longer in the scratch. */
async function codesOfRun(
  context: RepresentContext,
  problem: ImageProblem,
  job: Job<SolvedArgument>,
  run: number,
): Promise<Codes> {
  const { first, end } = patchesOf(problem, runAt(context, problem, run));
  const P = end - first;
  const kept = accepted(checkRunCodes(P), await context.scratch.get(codesKey(run)));
  if (kept) return { L: problem.dictionary.L, P, ...kept };
  const { argument, signal } = job;
  if (argument.commit) return (await commit(context, { part: run, argument: argument.commit, signal })).codes;
  return someCodes((await solveInOnePlace(context, problem, { signal })).codes, first, P);
}

/** The numbers of the patches of a run: from `first` to `end`. */
function patchesOf({ P }: ImageProblem, { first, chunks }: ChunkRun) {
  return { first: first * CHUNK, end: Math.min(P, (first + chunks) * CHUNK) };
}

const stored = ({ indptr, indices, values }: Codes) => ({ indptr, indices, values });
const followedKey = (pass: number, run: number) => `followed-${pass}-${run}`;
const codesKey = (run: number) => `codes-${run}`;
