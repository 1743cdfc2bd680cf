import type { EngineInfo } from '../../engines/engine.js';
import { InputError } from '../../errors.js';
import { decorrelation } from '../../image/colour.js';
import { checkPixels, checkSamples, checkShape, type Image, type Samples } from '../../image/image.js';
import { largestFinite, largestOf } from '../../image/scale.js';
import { type Signals, signalsIn } from '../../image/signals.js';
import { randomSource } from '../../math/random.js';
import type { Budget } from '../../sparse/budget/budget.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import { carriedOn } from '../../sparse/learning/momentum.js';
import { PatchSample } from '../../sparse/learning/sample.js';
import { dictionaryStep } from '../../sparse/learning/step.js';
import { addBatch, emptySums } from '../../sparse/learning/sums.js';
import { drive, watchOver } from '../../work.js';
import { type Solution, solveProblem } from '../solve/solve.js';
import { shiftedCodes, shiftedSignals, unitsOf } from '../solve/units.js';
import type { LearnEntry, LearnSettings } from './options.js';

/** What the images of a folder can be given as: read one after the other, so that only one has to be in memory. */
export type ImageSource = Image | Iterable<Image> | AsyncIterable<Image>;

/** A learned dictionary, and plain data about the run. */
export interface Learned {
  /** The dictionary with the lowest RMSE on the held-out patches. Its atoms have norm 1. */
  readonly dictionary: Dictionary;
  /** The budget it was learned for, in atoms per patch. */
  readonly perPatch: number;
  /** How many of the held-out patches use each atom. */
  readonly uses: Int32Array;
  /** RMSE per patch of the held-out patches with the learned dictionary. */
  readonly rmse: number;
  /** RMSE per patch of the held-out patches with the initial dictionary. */
  readonly initialRmse: number;
  /** The iteration that made the dictionary; 0 if none was better than the initial one. */
  readonly best: number;
  /** The number of training patches and of held-out patches. */
  readonly patches: { readonly training: number; readonly heldOut: number };
  /** One entry per iteration, in order. */
  readonly history: readonly LearnEntry[];
  /** The engine that computed the codes, and why it was chosen. */
  readonly engine: EngineInfo;
}

/** The share of the patches that judges the dictionary, and how many are enough for that. */
const HELD_OUT = { share: 1 / 8, most: 4096 };

/**
 * Learns a dictionary: codes of training patches and steps of the atoms in turn. It is not run in parts, because it holds a sample
 * of the patches whose size is bounded.
 */
export async function learnDictionary(data: ImageSource | Samples, settings: LearnSettings): Promise<Learned> {
  const sample = new PatchSample(settings.initial.N, capacityFor(data, settings), randomSource(settings.seed));
  const scale = await (ArrayBuffer.isView(data)
    ? offerSignals(data as Samples, sample, settings)
    : offerImages(data as ImageSource, sample, settings));
  const heldOut = Math.min(HELD_OUT.most, Math.floor(sample.size * HELD_OUT.share));
  const least = settings.initial.L;
  if (sample.size - heldOut < least || heldOut === 0) {
    const rule = `must have at least ${Math.max(8, Math.ceil(least / (1 - HELD_OUT.share)))} patches for ${least} atoms`;
    const what = ArrayBuffer.isView(data) ? 'signals' : 'images';
    throw new InputError(what, rule, sample.size, `give more ${what} or use fewer atoms`);
  }
  return alternate(sample.split(heldOut), scale, settings);
}

function capacityFor(data: ImageSource | Samples, { patches, initial }: LearnSettings): number {
  return ArrayBuffer.isView(data) ? Math.min(patches, Math.ceil((data as Samples).length / initial.N)) : patches;
}

/** The full scale of the patches, and the largest magnitude among their samples. */
interface Scale {
  readonly peak: number;
  readonly most: number;
}

/** Offers all signals to the sample. */
async function offerSignals(Y: Samples, sample: PatchSample, settings: LearnSettings): Promise<Scale> {
  const { N } = sample;
  checkSamples('data', Y);
  if (Y.length === 0 || Y.length % N !== 0) {
    const rule = `must be signals of ${N} samples each, as the initial dictionary has rows`;
    throw new InputError('data', rule, `${Y.length} samples`, 'give whole signals, or another initial dictionary');
  }
  const where = (i: number) => `data sample (row ${i % N}, signal ${Math.floor(i / N)})`;
  const most = await drive(largestFinite(Y, where), settings);
  if (Y.length <= N * sample.capacity) sample.keepAll(Y);
  else await drive(sample.offerSignals(signalsIn(Y, N)), settings);
  return { peak: most || 1, most };
}

/** Offers the patches of all images to the sample. */
async function offerImages(images: ImageSource, sample: PatchSample, settings: LearnSettings): Promise<Scale> {
  const { patch } = settings;
  if (patch ** 2 !== sample.N) {
    const remedy = 'give signals instead of images, or another dictionary';
    throw new InputError('initial', 'must have as many rows as a square patch has pixels', sample.N, remedy);
  }
  let peak: number | undefined;
  let most = 0;
  for await (const image of listOf(images)) {
    checkShape(image);
    await drive(checkPixels(image), settings);
    const planes = await drive(decorrelation(image.planes), settings);
    peak ??= image.peak;
    const scale = peak / image.peak;
    for (const plane of planes) most = Math.max(most, scale * (await drive(largestOf(plane), settings)));
    await drive(sample.offerPlanes(image, planes, patch, scale), settings);
  }
  if (peak === undefined) throw new InputError('images', 'must hold at least one image', 0, 'give some images');
  return { peak, most };
}

function listOf(images: ImageSource): Iterable<Image> | AsyncIterable<Image> {
  const many =
    typeof images === 'object' && images !== null && (Symbol.iterator in images || Symbol.asyncIterator in images);
  return many ? (images as Iterable<Image> | AsyncIterable<Image>) : [images as Image];
}

/** Patches for a step, per atom and at least: a separable dictionary has fewer numbers to fit. */
const PATCHES_PER_STEP = { dense: 16, separable: 8, least: 1024 };
/** How many times as many steps the first iteration has: rough steps are enough to improve the initial dictionary. */
const FIRST_STEPS = 2;
/** What earlier patches count for in a step, as measured: more makes it slow, less makes dense atoms noisy. */
const KEEP = { dense: 0.3, separable: 0 };

/** The number of steps in which iteration k uses its patches, and what those of earlier steps count for. */
function onlineSteps({ L, factors }: Dictionary, patches: number, k: number) {
  const kind = factors ? 'separable' : 'dense';
  const each = Math.max(PATCHES_PER_STEP.least, (PATCHES_PER_STEP[kind] * L) / (k === 1 ? FIRST_STEPS : 1));
  return { parts: Math.max(1, Math.round(patches / each)), keep: KEEP[kind] };
}

/** Codes and dictionary steps in turn, over batches of the training patches. */
async function alternate(
  { heldOut, training }: ReturnType<PatchSample['split']>,
  { peak, most }: Scale,
  settings: LearnSettings,
): Promise<Learned> {
  const { iterations, signal, onProgress, onBest } = settings;
  const size = Math.min(settings.batch, training.P);
  // Atoms have no unit, so a step can use one in which squares neither overflow nor underflow.
  const unit = unitsOf(settings.initial, most)?.y ?? 0;
  let last: LearnEntry | undefined;
  const report = (fraction: number) => {
    const done = ((last?.k ?? 0) + fraction) / iterations;
    onProgress?.({ fraction: Math.min(1, done), ...(last && { k: last.k, rmse: last.heldOut }) });
  };
  const code = (
    D: Dictionary,
    Y: Signals,
    budget: Budget,
    [from, to]: readonly [number, number],
    expectedPrice?: number,
  ): Promise<Solution> => {
    const onFraction = ({ fraction }: { readonly fraction: number }) => report(from + (to - from) * fraction);
    const coding = { ...settings.coding, expectedPrice, onProgress: onFraction };
    return solveProblem({ D, Y, peak, most, budget, settings: coding });
  };

  let D = settings.initial;
  const start = await code(D, heldOut, settings.budget, [0, 0]);
  // A target is resolved with the initial dictionary, and the budget is held from there.
  const budget = 'perPatch' in settings.budget ? settings.budget : { perPatch: start.nonzeros / heldOut.P };
  let best = resultOf(D, start, 0);
  const history: LearnEntry[] = [];
  // A step changes the price of an atom little, so it is looked for where it was.
  let price = start.history[0].threshold ?? undefined;
  const sums = emptySums(D);
  let from = D;
  for (let k = 1; k <= iterations; k++) {
    const begin = performance.now();
    const { parts, keep } = onlineSteps(D, size, k);
    let error = 0;
    for (let i = 0; i < parts; i++) {
      const done = (share: number) => (0.9 * (i + share)) / parts;
      const [first, end] = [i, i + 1].map((part) => Math.floor((part * size) / parts));
      const batch = training.batch((k - 1) * size + first, end - first);
      const Y = new Float64Array(batch.N * batch.P);
      batch.read(0, Y);
      const signals = signalsIn(Y, batch.N);
      const { codes, rmse, history: steps } = await code(from, signals, budget, [done(0), done(0.8)], price);
      price = steps[0].threshold ?? undefined;
      error += batch.P * rmse ** 2;
      const watch = (start: number, stop: number) => watchOver({ signal, onFraction: report }, done(start), done(stop));
      if (unit !== 0) shiftedSignals(batch, -unit).read(0, Y);
      await drive(addBatch(sums, Y, shiftedCodes(codes, -unit), keep), watch(0.8, 0.9));
      const next = await drive(dictionaryStep(from, sums), watch(0.9, 1));
      from = carriedOn(next, D);
      D = next;
    }
    const rmse = Math.sqrt(error / size);
    const judged = await code(D, heldOut, budget, [0.9, 1]);
    // Momentum that has led uphill is given up for one step.
    if (judged.rmse >= (last?.heldOut ?? start.rmse)) from = D;
    last = { k, rmse, heldOut: judged.rmse, ms: performance.now() - begin };
    history.push(last);
    report(0);
    if (judged.rmse < best.rmse) {
      best = resultOf(D, judged, k);
      await onBest?.(best.dictionary, last);
    }
  }
  return {
    ...best,
    perPatch: budget.perPatch,
    initialRmse: start.rmse,
    patches: { training: training.P, heldOut: heldOut.P },
    history,
    engine: start.engine,
  };
}

function resultOf(D: Dictionary, { codes, rmse }: Solution, best: number) {
  return { dictionary: D, uses: usesOf(codes), rmse, best };
}

/** How many patches use each atom. */
function usesOf({ L, indices }: Codes): Int32Array {
  const uses = new Int32Array(L);
  for (const l of indices) uses[l]++;
  return uses;
}
