/**
 * Representing an image that is never in memory as a whole, with the codes of `represent`.
 *
 * Joint OMP works on parts, so that neither the patches nor the codes need to fit in memory. A part is a run of whole chunks of the patches, in the order of the untiled run: row by row, plane after plane. Parts are
 * followed within one bracket (`solvers/bracket.ts`) and tell how many atoms are above it and what the prices of those inside are.
 * From that λ is found for all parts, and each of them makes its codes.
 */
import type { Budget } from '../budget/budget.js';
import { resolveBudget } from '../budget/budget.js';
import type { Codes } from '../codes/codes.js';
import { reconstruction } from '../codes/reconstruct.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Energies, Followed, LoadedPart } from '../engines/engine.js';
import { outsideOf } from '../engines/engine.js';
import { chooseEngine } from '../engines/engines.js';
import { EnvironmentError, OptionError } from '../errors.js';
import { decorrelation, recorrelation } from '../signal/colour.js';
import type { Samples } from '../signal/image.js';
import type { PatchGrid } from '../signal/patches.js';
import { aggregation, extractRun, patchesOver, pixelsOf } from '../signal/patches.js';
import type { Part, Rectangle, Size } from '../signal/rectangle.js';
import { cut } from '../signal/rectangle.js';
import type { Floats, Signals } from '../signal/signals.js';
import type { Bracket, Sample, Tries } from '../solvers/bracket.js';
import { around, CHUNK, depthOf, OPEN, samplesOf, shareOf } from '../solvers/bracket.js';
import type { StepReport } from '../solvers/loop.js';
import { drive, type Watch, type Work } from '../work.js';
import type { PartedImage } from './denoise-parts.js';
import type { Settings } from './options.js';
import type { RepresentOptions } from './represent.js';
import { layOutPatches, settleRepresent } from './represent.js';
import type { Solution } from './solve.js';
import { solveProblem } from './solve.js';
import { shiftedCodes, shiftedDictionary, shiftedEntry, shiftedSignals, type Units, unitsOf } from './units.js';

/** What all parts have in common. */
export interface PartedProblem {
  readonly settings: Settings;
  /** The dictionary in the units of the user. */
  readonly dictionary: Dictionary;
  readonly grid: PatchGrid;
  readonly planes: number;
  /** Patches of all planes, and the chunks that they fill. */
  readonly P: number;
  readonly chunks: number;
  readonly budget: Budget;
  /** The number of nonzeros that may be used; 0 while it is not known. */
  readonly S: number;
  /** Atoms of a patch at most. */
  readonly longest: number;
  /** The units in which it is solved, if they are others. */
  readonly units: Units | undefined;
  /** The full scale, and the largest sample. */
  readonly peak: number;
  readonly most: number;
}

/** A run of whole chunks. */
export interface ChunkRun {
  readonly first: number;
  readonly chunks: number;
}

/** The problem of an image of this size, whose largest sample is `most` in the axes in which it is represented. */
export function partedProblem(
  size: Size,
  planes: number,
  options: RepresentOptions,
  peak: number,
  most: number,
): PartedProblem {
  const settings = settleRepresent(options);
  const joint = settings.solver === 'joint-omp';
  if (settings.effort === 3) {
    throw new OptionError('effort', 'must be 1 or 2 for an image in parts', settings.effort, 'use 2');
  }
  if (joint && settings.refit) {
    throw new OptionError('refit', 'must be left out for joint-omp in parts', true, 'joint OMP always fits its codes');
  }
  if (settings.spread) {
    throw new OptionError('spread', 'must be left out for an image in parts', true, 'remove it');
  }
  const { grid, D, budget } = layOutPatches(options, settings, size, planes, peak, most);
  const P = grid.count * planes;
  const goal = resolveBudget(budget, D.N, D.L, P, peak);
  const rmse = 'rmse' in goal && 'rmse' in budget && !joint;
  if (!('S' in goal) && !rmse) {
    const remedy = 'give { perPatch } or { total }, such as a part of the image needs';
    const kinds = joint ? 'perPatch or total' : 'perPatch, total or rmse';
    throw new OptionError('budget', `must be ${kinds} for ${settings.solver} in parts`, budget, remedy);
  }
  const chunks = Math.ceil(P / CHUNK);
  const longest = Math.min(D.N, D.L);
  const units = unitsOf(D, most);
  const S = 'S' in goal ? goal.S : 0;
  return { settings, dictionary: D, grid, planes, P, chunks, budget, S, longest, units, peak, most };
}

/** The runs of about so many patches that the patches are divided into. */
export function chunkRuns({ chunks }: PartedProblem, patches: number): ChunkRun[] {
  const each = Math.max(1, Math.round(patches / CHUNK));
  return Array.from({ length: Math.ceil(chunks / each) }, (_, i) => {
    return { first: i * each, chunks: Math.min(each, chunks - i * each) };
  });
}

/** The largest magnitude of a part, in the axes in which it is represented. */
export function* largestInPart(planes: readonly Samples[]): Work<number> {
  let most = 0;
  for (const plane of yield* decorrelation(planes)) for (const value of plane) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * Solves the problem of all patches, which are read one part after the other. For every solver but joint OMP, whose memory is that of
 * the engine and of the codes.
 */
export function solveParts(problem: PartedProblem, image: PartedImage, watch: Watch = {}): Promise<Solution> {
  const { P, dictionary, budget, peak, most, settings } = problem;
  const { signal, onFraction } = watch;
  let ready: { readonly from: number; readonly signals: Signals } | undefined;
  const Y: Signals = {
    ...{ N: dictionary.N, P },
    async prepare(from, count) {
      ready = { from, signals: await readRuns(problem, image, planeRuns(problem, from, from + count), signal) };
    },
    read(from, into) {
      if (!ready) throw new Error('signals are read before they are ready');
      ready.signals.read(from - ready.from, into);
    },
  };
  const onProgress = onFraction && (({ fraction }: { readonly fraction: number }) => onFraction(fraction));
  return solveProblem({ D: dictionary, Y, peak, most, budget, settings: { ...settings, signal, onProgress } });
}

/** The bracket in which λ of all patches is expected, from the samples of the untiled run. */
export async function estimatedBracket(
  problem: PartedProblem,
  image: PartedImage,
  signal?: AbortSignal,
): Promise<Bracket> {
  const { P, S, longest } = problem;
  let bracket = OPEN;
  for (const sample of samplesOf(P)) {
    const signals = await readRuns(problem, image, sampledRuns(problem, sample), signal);
    const lambda = await inPart(problem, signals, { signal }, (part) =>
      part.price(shareOf(S, sample, P) as number, depthOf(S, P, bracket, longest), bracket, { signal }),
    );
    bracket = around(lambda, S, sample, longest);
  }
  return bracket;
}

/** Follows the paths of a part within a bracket. */
export async function followPart(
  problem: PartedProblem,
  image: PartedImage,
  run: ChunkRun,
  bracket: Bracket,
  tries: Tries,
  watch: Watch = {},
): Promise<{ readonly followed: Followed; readonly energies: Energies }> {
  const signals = await readPart(problem, image, run, watch.signal);
  const expected = (problem.S * signals.P) / problem.P;
  return inPart(problem, signals, watch, async (part) => {
    return { followed: await part.follow(bracket, tries, expected, watch), energies: part.energies };
  });
}

/** The codes of a part at the price that was found, and the squared errors of its chunks. */
export async function settlePart(
  problem: PartedProblem,
  image: PartedImage,
  run: ChunkRun,
  followed: Followed,
  threshold: number,
  ties: number,
  watch: Watch = {},
): Promise<{ readonly codes: Codes; readonly errors: Float64Array }> {
  const { units } = problem;
  const signals = await readPart(problem, image, run, watch.signal);
  const { codes, errors } = await inPart(problem, signals, watch, (part) =>
    part.settle(followed, threshold, ties, watch),
  );
  return { codes: units ? shiftedCodes(codes, units.y - units.d) : codes, errors };
}

/** Runs work on a part that is loaded into an engine. */
async function inPart<T>(
  { dictionary, units, settings, peak, most }: PartedProblem,
  signals: Signals,
  watch: Watch,
  work: (part: LoadedPart) => Promise<T>,
): Promise<T> {
  const { engine } = await chooseEngine(settings.engine, { reach: most / peak });
  if (!engine.loadPart) {
    const rule = 'must be wasm for an image in parts';
    throw new EnvironmentError('engine', rule, engine.name, 'use wasm on a host that has it, or represent the whole');
  }
  const D = units ? shiftedDictionary(dictionary, units.d) : dictionary;
  const Y = units ? shiftedSignals(signals, -units.y) : signals;
  const part = await engine.loadPart(D, Y, { threads: settings.threads }, { signal: watch.signal });
  try {
    return await work(part);
  } finally {
    part.dispose();
  }
}

/** Patches side by side in one row of a plane, or whole rows of patches: from patch `first` of all on. */
interface PatchRun {
  readonly first: number;
  readonly count: number;
}

/** The patches of a sample: runs within a row of a plane. */
function sampledRuns({ P, chunks, grid }: PartedProblem, { step, each }: Sample): PatchRun[] {
  const runs: PatchRun[] = [];
  for (let chunk = 0; chunk < chunks; chunk += step) {
    const end = Math.min(P, chunk * CHUNK + each);
    for (let first = chunk * CHUNK; first < end; ) {
      const left = grid.columns - (first % grid.columns);
      const count = Math.min(left, end - first);
      runs.push({ first, count });
      first += count;
    }
  }
  return runs;
}

/** The patches of a part: one run per plane. */
function readPart(problem: PartedProblem, image: PartedImage, run: ChunkRun, signal?: AbortSignal): Promise<Signals> {
  const end = Math.min(problem.P, (run.first + run.chunks) * CHUNK);
  return readRuns(problem, image, planeRuns(problem, run.first * CHUNK, end), signal);
}

/** The patches from number `from` to `end`, one run per plane. */
function planeRuns({ grid }: PartedProblem, from: number, end: number): PatchRun[] {
  const runs: PatchRun[] = [];
  for (let first = from; first < end; ) {
    const count = Math.min(end - first, grid.count - (first % grid.count));
    runs.push({ first, count });
    first += count;
  }
  return runs;
}

/** Reads the pixels of runs of patches, as signals one after the other. */
async function readRuns(
  { grid }: PartedProblem,
  image: PartedImage,
  runs: readonly PatchRun[],
  signal?: AbortSignal,
): Promise<Signals> {
  const { columns, count: perPlane } = grid;
  const N = grid.patch ** 2;
  const pieces: { from: number; first: number; count: number; at: Rectangle; plane: Samples }[] = [];
  let P = 0;
  for (const { first, count } of runs) {
    const inPlane = first % perPlane;
    const [top, bottom] = [Math.floor(inPlane / columns), Math.floor((inPlane + count - 1) / columns)];
    const wide = top < bottom;
    const patches = {
      left: wide ? 0 : inPlane % columns,
      top,
      width: wide ? columns : count,
      height: bottom - top + 1,
    };
    const at = pixelsOf(grid, patches);
    const planes = await drive(decorrelation(await image.read(at)), { signal });
    pieces.push({ from: P, first: inPlane, count, at, plane: planes[Math.floor(first / perPlane)] });
    P += count;
  }
  const read = (from: number, into: Floats) => {
    for (const piece of pieces) {
      const begin = Math.max(from, piece.from);
      const end = Math.min(from + into.length / N, piece.from + piece.count);
      if (begin >= end) continue;
      const own = into.subarray((begin - from) * N, (end - from) * N);
      extractRun(grid, piece.plane, piece.first + begin - piece.from, own, piece.at);
    }
  };
  return { N, P, read };
}

/**
 * The report of a run in the units of the user, from what all parts have answered, in their order: the energies and the squared
 * errors of their chunks.
 */
export function partsReport(
  { P, units }: PartedProblem,
  energies: readonly Energies[],
  errors: readonly Float64Array[],
  threshold: number,
): Pick<StepReport, 'rmse' | 'threshold'> {
  let error = 0;
  for (const own of errors) for (const chunk of own) error += chunk;
  const joined = (of: keyof Energies) => Float64Array.from(energies.flatMap((own) => Array.from(own[of])));
  const outside = outsideOf({ all: joined('all'), within: joined('within') });
  const entry = { k: 1, ms: 0, rmse: Math.sqrt((error + outside) / P), threshold, kept: 0 };
  const { rmse, threshold: shown } = units ? shiftedEntry(entry, units, true) : entry;
  return { rmse, threshold: shown };
}

/** The patches whose codes a rectangle of the picture is made of: rows of patches of each plane. */
export function rowsFor({ grid }: PartedProblem, at: Rectangle): { readonly first: number; readonly rows: number } {
  const { top, height } = patchesOver(grid, at);
  return { first: top, rows: height };
}

/**
 * A rectangle of the picture that codes show, in the axes of the image. `codes` has, for each plane, the codes of the rows of
 * patches from row `first` on, with all that `rowsFor` names.
 */
export function* rebuiltPart(
  { grid, dictionary }: PartedProblem,
  at: Rectangle,
  codes: readonly Codes[],
  first: number,
): Work<Part> {
  const { patch, stride, columns } = grid;
  const over = patchesOver(grid, at);
  const covered = {
    left: over.left * stride,
    top: over.top * stride,
    width: Math.min(grid.width, (over.left + over.width - 1) * stride + patch) - over.left * stride,
    height: Math.min(grid.height, (over.top + over.height - 1) * stride + patch) - over.top * stride,
  };
  const part: PatchGrid = {
    ...{ width: covered.width, height: covered.height, patch, stride },
    ...{ columns: over.width, rows: over.height, count: over.width * over.height },
  };
  const planes: Float64Array[] = [];
  for (const own of codes) {
    const all = reconstruction(dictionary, own);
    // The picture is put together one row of patches at a time.
    const read = (from: number, into: Floats) =>
      all.read((over.top - first + Math.floor(from / over.width)) * columns + over.left, into);
    const plane = yield* aggregation(part, { ...all, P: part.count, read });
    planes.push(cut(plane, covered, at));
  }
  return { at, planes: yield* recorrelation(planes, planes) };
}
