/**
 * Joint OMP on the kernels, in one pass over the patches (solvers/joint-omp.ts is its page, kernels/paths.ts its kernels).
 *
 * λ is estimated from a sample, then from a larger one, each time within a narrower bracket. The pass over all patches
 * follows every path once, at the lower end of the bracket, and gathers the prices of the few atoms that are bought inside
 * it; the exact λ is one of them. If it is not, the pass is repeated with another bracket.
 */
import type { Rank } from '../../../budget/rank.js';
import { nthLargest, quotas } from '../../../budget/rank.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import { chooseWorthwhile, isSettled, RESTARTS } from '../../../solvers/joint-omp.js';
import { cutFor, LEAST_GAIN, MOST_MOVES, PriceSearch } from '../../../solvers/swaps.js';
import { passes, type Watch, watchOver } from '../../../work.js';
import type { Job, Outcome, PathsJob } from './patch-jobs.js';
import type { ProblemMemory, Stream } from './problem-memory.js';
import { CHUNK } from './problem-memory.js';
import type { Team } from './team.js';

/** Patches of the samples. One is taken only if there are several times as many patches. */
const SAMPLES = [128, 1024];
const SEVERAL = 6;
/** Half the width of a bracket times √(patches of the sample): two and a half standard deviations of λ, as measured. */
const DEVIATION = 4;
/** How often a bracket is moved before whole paths are followed. */
const MOVES = 3;
/** Better paths move λ by less than this factor, as measured. */
const NEARBY = 0.9;
/** Room for codes and for offers, of the atoms that are expected. */
const ROOM = { codes: 1.15, offers: 0.4 };
/** Steps of a bracket in which offers are counted. */
const STEPS = 1024;
/** More than any chunk has. */
const ALL_TIES = 2 ** 31 - 1;

/** The prices at which paths are followed: λ is expected at `mid`, and lies between the others. */
type Bracket = Pick<PathsJob, 'low' | 'mid' | 'high'>;
const OPEN: Bracket = { low: 0, mid: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** How often patches are pursued again, and the price at which their paths are compared. */
type Tries = Pick<PathsJob, 'restarts' | 'lambda'>;
const ONCE: Tries = { restarts: 0, lambda: 0 };

/** The first patches of every step-th chunk, how many those are, and how far they are followed. */
interface Sample {
  readonly step: number;
  readonly each: number;
  readonly patches: number;
  readonly atMost: number;
}

/** What H_S keeps: the atoms above the threshold, and so many of those at it. */
interface Selected {
  readonly threshold: number;
  readonly kept: number;
  readonly ties: number;
  /** How many at the threshold are not kept. */
  readonly surplus: number;
}

/** What a pass has settled, and what each thread had. */
interface Settled extends Selected {
  readonly outcomes: readonly Outcome[];
}

/** The codes that were found, their price and how many atoms they have. */
interface Found {
  readonly codes: Stream;
  readonly threshold: number;
  readonly kept: number;
}

/** Joint OMP on one loaded problem. */
export class JointOmp {
  #draft: Stream;
  #prices = 0;
  readonly #bounds: number;
  readonly #ties: number;
  readonly #row: number;
  #offers: PathsJob['offers'];

  constructor(
    private readonly memory: ProblemMemory,
    private readonly team: Team<Job, Outcome>,
  ) {
    const { N, L, P, chunks } = memory.layout;
    this.#row = Math.min(N, L);
    this.#draft = memory.stream();
    this.#bounds = memory.take(8 * P);
    this.#ties = memory.take(4 * chunks);
    this.#offers = { places: memory.take(8 * chunks), out: [], room: 0 };
  }

  /** Finds the codes, with the room of `out`; gives them, λ and the number of atoms. */
  async run(S: Spending, effort: Effort, out: Stream, watch?: Watch): Promise<Found> {
    const { P } = this.memory.layout;
    // How far the work is after each part: the first paths, the restarts, the codes, the swaps.
    const [paths, restarts, codes] = [
      [0.8, 0.8, 1],
      [0.15, 0.9, 1],
      [0.05, 0.3, 0.35],
    ][effort - 1];
    const estimated = paths / 4;
    let bracket = OPEN;
    let done = 0;
    for (const n of SAMPLES.filter((n) => P >= SEVERAL * n)) {
      // A rough estimate needs no whole paths.
      const deep = typeof S === 'number' && bracket === OPEN ? 4 * Math.ceil(S / P) + 4 : this.#row;
      const sample = this.#sample(n, deep);
      const { threshold } = await this.#settle(S, sample, bracket, ONCE, watchOver(watch, done, done + estimated / 2));
      done += estimated / 2;
      bracket = this.#around(threshold, S, sample.patches);
    }
    const all = this.#sample(P, this.#row);
    let settled = await this.#settle(S, all, bracket, ONCE, watchOver(watch, done, paths));
    const lambda = settled.threshold;
    const improvable = lambda > 0 && lambda < Number.POSITIVE_INFINITY;
    if (effort > 1 && improvable) {
      const high = typeof S === 'number' ? lambda / NEARBY : Number.POSITIVE_INFINITY;
      const near = { low: lambda * NEARBY, mid: lambda, high };
      settled = await this.#settle(S, all, near, { restarts: RESTARTS, lambda }, watchOver(watch, paths, restarts));
    }
    const kept = await this.#commit(settled, out, watchOver(watch, restarts, codes));
    const found = { codes: out, threshold: settled.threshold, kept };
    return effort === 3 && improvable ? this.#swap(found, watchOver(watch, codes, 1)) : found;
  }

  /** Better codes with as many atoms: solvers/swaps.ts. */
  async #swap({ codes, threshold, kept: S }: Found, watch?: Watch): Promise<Found> {
    const { memory } = this;
    const { P, scratches } = memory.layout;
    if (this.#prices === 0) this.#prices = memory.take(8 * P);
    const prices = this.#prices;
    const forget = () => memory.floats(prices, 2 * P).fill(-1);
    forget();
    const price = new PriceSearch(S, threshold);
    const least = LEAST_GAIN * threshold;
    let source = codes;
    let kept = S;
    const pass = passes(watch, 0.5);
    const search = async (moves: number, lambda: number) => {
      const out = source === codes ? this.#draft : codes;
      memory.widen(out, Math.ceil((ROOM.codes * S) / scratches.length) + 2 * CHUNK * this.#row);
      for (;;) {
        const outcomes = await this.team.run({ kind: 'swap', source, out, prices, moves, lambda, least }, pass());
        kept = sum(outcomes, 'written');
        if (!outcomes.some(({ overflowed }) => overflowed)) break;
        memory.widen(out, 2 * out.capacity);
        // The prices are those of codes that had no room.
        forget();
      }
      source = out;
    };
    do await search(MOST_MOVES, price.lambda);
    while (!price.isFound(kept));
    const losses = () => memory.floats(prices, 2 * P).filter((_, i) => i % 2 === 0);
    while (kept > S) await search(0, cutFor(losses(), kept - S));
    // The other stream is free again.
    if (source !== codes) this.#draft = codes;
    return { codes: source, threshold: price.lambda, kept };
  }

  #sample(n: number, deep: number): Sample {
    const { P, chunks } = this.memory.layout;
    const step = Math.max(1, Math.floor(chunks / n));
    const each = Math.min(CHUNK, n === P ? CHUNK : Math.ceil(n / chunks));
    let patches = 0;
    for (let chunk = 0; chunk < chunks; chunk += step) patches += Math.min(each, P - chunk * CHUNK);
    return { step, each, patches, atMost: Math.min(deep, this.#row) };
  }

  /** A bracket around the λ of a sample. How many atoms are worth a price is found from the prices of all of them. */
  #around(lambda: number, S: Spending, patches: number): Bracket {
    const width = Math.min(0.5, DEVIATION / Math.sqrt(patches));
    if (typeof S === 'number')
      return lambda > 0 ? { low: lambda * (1 - width), mid: lambda, high: lambda / (1 - width) } : OPEN;
    const mid = Math.min(lambda, S.price * Math.log(patches * this.#row));
    return { ...OPEN, low: mid * (1 - width), mid };
  }

  /** Follows the paths of a sample within a bracket, moved as long as λ is not in it, and finds λ. */
  async #settle(S: Spending, sample: Sample, first: Bracket, tries: Tries, watch?: Watch): Promise<Settled> {
    const { P } = this.memory.layout;
    const share = typeof S === 'number' ? Math.ceil((S * sample.patches) / P) : S;
    const pass = passes(watch, 0.9);
    let bracket = first;
    for (let moves = 0; ; moves++) {
      const outcomes = await this.#follow(share, sample, bracket, tries, pass);
      const selected = this.#select(share, sample, bracket, outcomes);
      if (typeof selected !== 'string') return { ...selected, outcomes };
      if (moves === MOVES) bracket = OPEN;
      else if (selected === 'above') bracket = { low: bracket.high, mid: bracket.high, high: Number.POSITIVE_INFINITY };
      else
        bracket = {
          low: bracket.low / 4,
          mid: bracket.low / 2,
          high: typeof S === 'number' ? bracket.low : bracket.high,
        };
    }
  }

  /** Runs the pass, with more room where there was too little. */
  async #follow(
    S: Spending,
    sample: Sample,
    bracket: Bracket,
    tries: Tries,
    pass: () => Watch | undefined,
  ): Promise<readonly Outcome[]> {
    const { memory } = this;
    const threads = memory.layout.scratches.length;
    const most = sample.patches * sample.atMost;
    const expected = typeof S === 'number' ? Math.min(S, most) : most / 4;
    const chunk = CHUNK * this.#row;
    const whole = bracket.high === Number.POSITIVE_INFINITY;
    let codes = bracket.mid === Number.POSITIVE_INFINITY ? 0 : (ROOM.codes * expected) / threads;
    let offers = (whole ? (bracket.low === 0 ? most : 2 * expected) : ROOM.offers * expected) / threads;
    for (;;) {
      memory.widen(this.#draft, Math.ceil(codes) + 2 * chunk);
      this.#widenOffers(Math.ceil(offers) + 2 * chunk);
      const { step, each, atMost } = sample;
      const job = {
        kind: 'paths',
        step,
        each,
        atMost,
        ...bracket,
        ...tries,
        bounds: this.#bounds,
        out: this.#draft,
        offers: this.#offers,
      } as const;
      const outcomes = await this.team.run(job, pass());
      if (!outcomes.some(({ overflowed }) => overflowed)) return outcomes;
      codes = 2 * Math.max(codes, chunk);
      offers = 2 * Math.max(offers, chunk);
    }
  }

  #widenOffers(room: number): void {
    if (room <= this.#offers.room) return;
    const out = this.memory.layout.scratches.map(() => this.memory.take(8 * room));
    this.#offers = { ...this.#offers, out, room };
  }

  /** H_S among the offers, or on which side of the bracket λ lies. */
  #select(
    S: Spending,
    { patches }: Sample,
    bracket: Bracket,
    outcomes: readonly Outcome[],
  ): Selected | 'above' | 'below' {
    const { low } = bracket;
    const parts = outcomes.map(({ near }, thread) => this.memory.doubles(this.#offers.out[thread], near));
    if (typeof S !== 'number') {
      const candidates = patches * this.#row;
      const chosen = chooseWorthwhile(parts, S.price, candidates);
      return isSettled(chosen, S, low, candidates) ? { ...chosen, ties: ALL_TIES, surplus: 0 } : 'below';
    }
    const [sure, offered] = [sum(outcomes, 'sure'), sum(outcomes, 'near')];
    const rank = S - sure;
    if (S === 0) return { threshold: Number.POSITIVE_INFINITY, kept: 0, ties: 0, surplus: 0 };
    if (rank < 1) return 'above';
    if (rank > offered && low > 0) return 'below';
    if (rank >= offered && low === 0) return { threshold: 0, kept: sure + offered, ties: ALL_TIES, surplus: 0 };
    const { threshold, larger, equal } = nthOffer(parts, rank, bracket);
    return { threshold, kept: S, ties: rank - larger, surplus: equal - (rank - larger) };
  }

  /** Writes the codes that were selected; gives the number of their atoms. */
  async #commit(settled: Settled, out: Stream, watch?: Watch): Promise<number> {
    const { memory } = this;
    this.#placeTies(settled);
    memory.widen(out, Math.max(...settled.outcomes.map(({ written, near }) => written + near)) + CHUNK);
    const { threshold } = settled;
    const [bounds, ties, offers, source] = [this.#bounds, this.#ties, this.#offers, this.#draft];
    return sum(await this.team.run({ kind: 'settle', threshold, bounds, ties, offers, source, out }, watch), 'written');
  }

  /** Of the atoms at the threshold the first are kept, in the order of the patches: how many in each chunk. */
  #placeTies({ threshold, ties, surplus }: Selected): void {
    const { memory } = this;
    const { chunks } = memory.layout;
    const quota = memory.words(this.#ties, chunks).fill(ALL_TIES);
    if (surplus === 0) return;
    const places = memory.words(this.#offers.places, 2 * chunks);
    const equal = Array.from(quota, (_, chunk) => {
      const [from, end] = [places[2 * chunk], places[2 * chunk + 1]];
      return memory.doubles(from, (end - from) / 8).reduce((count, price) => count + (price === threshold ? 1 : 0), 0);
    });
    quota.set(quotas(equal, ties));
  }
}

/** The n-th largest of the offers in a bracket. They are counted in steps of it, and only those of one step compared. */
function nthOffer(parts: readonly Float64Array[], n: number, { low, high }: Bracket): Rank {
  if (high === Number.POSITIVE_INFINITY) return nthLargest(parts, n);
  const stepOf = (price: number) =>
    Math.max(0, Math.min(STEPS - 1, Math.floor((STEPS * (price - low)) / (high - low))));
  const counts = new Int32Array(STEPS);
  for (const part of parts) for (let i = 0; i < part.length; i++) counts[stepOf(part[i])]++;
  let step = STEPS - 1;
  let above = 0;
  for (; above + counts[step] < n; step--) above += counts[step];
  const within = parts.map((part) => part.filter((price) => stepOf(price) === step));
  const { threshold, larger, equal } = nthLargest(within, n - above);
  return { threshold, larger: above + larger, equal };
}

function sum(outcomes: readonly Outcome[], of: 'written' | 'near' | 'sure'): number {
  return outcomes.reduce((total, outcome) => total + outcome[of], 0);
}
