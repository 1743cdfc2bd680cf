/**
 * The search for the price λ of joint OMP, wherever the paths are followed: in one memory, on a GPU or in parts of an image. λ is
 * estimated from samples, all paths are followed once in a bracket around it, and the exact λ is selected among the prices in the
 * bracket (`bracket.ts`). With effort 2, all patches are then pursued again with restarts, near that λ.
 */
import { passes, type Watch, watchOver } from '../../work.js';
import {
  around,
  type Bracket,
  depthOf,
  moved,
  nearby,
  ONCE,
  OPEN,
  type Sample,
  samplesOf,
  shareOf,
  type Tries,
} from './bracket.js';
import { type Effort, RESTARTS, type Spending } from './joint-omp.js';

/** Paths of patches, which are followed within a bracket. */
export interface PathFollower<Selected extends object> {
  /** Follows all paths. `pass` returns the watch of the next pass over them; there may be several. */
  follow(bracket: Bracket, tries: Tries, pass: () => Watch | undefined): Promise<void>;
  /** H_S among the prices in the bracket, or on which side of it λ lies. */
  select(bracket: Bracket): Promise<Selected | 'above' | 'below'>;
}

/** Follows paths within a bracket, which is moved until λ is in it, and selects λ. */
export async function findPrice<Selected extends object>(
  paths: PathFollower<Selected>,
  S: Spending,
  first: Bracket,
  tries: Tries,
  watch?: Watch,
): Promise<Selected> {
  const pass = passes(watch, 0.9);
  let bracket = first;
  for (let moves = 0; ; moves++) {
    await paths.follow(bracket, tries, pass);
    const selected = await paths.select(bracket);
    if (typeof selected !== 'string') return selected;
    bracket = moved(bracket, selected, moves, S);
  }
}

/** The bracket in which λ of P patches is expected. `priceOf` returns λ of a sample, with at most `deep` atoms per patch. */
export async function estimateBracket(
  P: number,
  S: Spending,
  longest: number,
  priceOf: (sample: Sample, share: Spending, deep: number, bracket: Bracket, watch?: Watch) => Promise<number>,
  watch?: Watch,
): Promise<Bracket> {
  let bracket = OPEN;
  for (const [i, sample] of samplesOf(P).entries()) {
    const part = watchOver(watch, i / 2, (i + 1) / 2);
    const lambda = await priceOf(sample, shareOf(S, sample, P), depthOf(S, P, bracket, longest), bracket, part);
    bracket = around(lambda, S, sample, longest);
  }
  return bracket;
}

/** λ of all patches, with restarts from effort 2 on. `shares` are the fractions of the progress after the first paths and after the restarts. */
export async function searchPrice<Selected extends { readonly threshold: number }>(
  paths: PathFollower<Selected>,
  S: Spending,
  effort: Effort,
  bracket: Bracket,
  watch?: Watch,
  [from, first, restarted]: readonly [number, number, number] = [0, 1, 1],
): Promise<Selected> {
  const selected = await findPrice(paths, S, bracket, ONCE, watchOver(watch, from, first));
  const lambda = selected.threshold;
  if (effort === 1 || !isInside(lambda)) return selected;
  return findPrice(paths, S, nearby(lambda, S), { restarts: RESTARTS, lambda }, watchOver(watch, first, restarted));
}

/** Whether a price leaves some atoms out and some in, so that a better division is possible. */
export function isInside(lambda: number): boolean {
  return lambda > 0 && lambda < Number.POSITIVE_INFINITY;
}
