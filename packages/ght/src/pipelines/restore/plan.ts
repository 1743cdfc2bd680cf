/**
 * Restoration as passes: the loop of `operators/loop.ts`, for every operator.
 *
 *     read → start → (data → prior) for each step → result
 *
 * `read` also finds out what is not given. A deblurring whose first step leaves the range of the data (`excess`) starts again.
 *
 * `prior` works on parts of the picture, which is exact because a denoiser has a margin. `start` and `data` work on whole planes, one per
 * part: the Fourier transform of a blur, the eigenvectors of a reduction and the conjugate gradients of the start of inpainting reach
 * across the whole picture, and have no formulation in parts with the same bits. So the result has the same bits for any number of parts
 * and any operator, and a plane must fit in memory a few times.
 *
 * Between passes the planes are in a store. Each step writes under names of its own, so that any pass may be repeated.
 */
import { blockExtents, frameOf, type PlanesFrame } from '../../denoisers/frame.js';
import { priors } from '../../denoisers/groups/recipes.js';
import { placementOf, tileSide, tilesOf } from '../../denoisers/tiles.js';
import type { EngineInfo, LoadedDenoiser } from '../../engines/engine.js';
import type { Samples } from '../../image/image.js';
import { allOf, gridCell, gridLength } from '../../image/rectangle.js';
import {
  dataStep,
  dualStep,
  excessOf,
  type LoopStep,
  lastStep,
  loopSteps,
  type RestorationEntry,
  type Schedule,
} from '../../operators/loop.js';
import type { Plane } from '../../operators/operator.js';
import { drive, watchOver } from '../../work.js';
import { memberOf, nothing, number, refuse } from '../check.js';
import { partSide, partSize, watchOf } from '../denoise/plan.js';
import { denoiseTiles, loadDenoiser, recipeFor } from '../denoise/planes.js';
import { definePass, type Perform, type Plan, workByName } from '../plan.js';
import type { RestoreContext } from './context.js';
import {
  checkDataAnswer,
  checkDataArgument,
  checkKnown,
  checkPriorArgument,
  checkResultArgument,
  checkStepArgument,
  type DataAnswer,
  type DataArgument,
  type KnownImage,
  type PriorArgument,
  type ResultArgument,
  type StepArgument,
} from './messages.js';
import { type RestoreResult, restorationRecipe } from './options.js';
import { MOST_UNITS, type RestorationProblem } from './problem.js';

/** The shares of the passes; those of `data` and `prior` are shares of a step. */
const SHARES = { read: 0.05, start: 0.04, result: 0.02, data: 0.3, prior: 0.7 } as const;

/**
 * The most that a picture may leave the range of the data, as a share of that range ({@link excessOf}): more is a kernel that does not
 * fit. With such a kernel it may leave it by half as much. The noise is assumed this many times as strong then, from at least this
 * deviation in units of the loop, and how often.
 */
const [MOST_EXCESS, MOST_OF_MISFIT] = [0.006, 0.003];
const [RAISE, LEAST_RAISED, MOST_RAISES] = [2, 0.5, 6];

const read = definePass<RestoreContext, null, KnownImage>({
  ...{ name: 'read', argument: nothing, answer: checkKnown },
  async work(context, { signal, onFraction }) {
    const found = await context.find({ signal, onFraction });
    const { unit, operator, planes } = await context.open(found, signal);
    const { width, height } = operator.picture;
    return { ...found, unit, picture: { width, height }, channels: planes.length };
  },
});

const start = definePass<RestoreContext, StepArgument, null>({
  ...{ name: 'start', argument: checkStepArgument, answer: nothing },
  async work(context, { part: c, argument: { known, k }, signal, onFraction }) {
    const opened = await context.open(known, signal);
    const plane = memberOf(opened.planes, c, 'part');
    const first = await drive(opened.start(plane, c), { signal, onFraction });
    await context.planes.write(nameOf('z', k, c), allOf(opened.operator.picture), first);
    return null;
  },
});

const data = definePass<RestoreContext, DataArgument, DataAnswer>({
  ...{ name: 'data', argument: checkDataArgument, answer: checkDataAnswer },
  async work(context, { part: c, argument: { known, step, before }, signal, onFraction }) {
    const { planes: store } = context;
    const { picture } = known;
    const opened = await context.open(known, signal);
    const y = memberOf(opened.planes, c, 'part');
    const z = await store.take(nameOf('z', step.k - 1, c), picture);
    let u: Plane = new Float64Array(noiseOf(known) === 0 ? z.length : 0);
    let squares = 0;
    if (before) {
      if (u.length > 0) u = inFloat64(await store.take(nameOf('u', before.k, c), picture));
      const noisy = inFloat64(await store.take(nameOf('noisy', before.k, c), picture));
      squares = await drive(dualStep(noisy, z, u, before.shrink), { signal });
    }
    const noisy = await drive(dataStep(opened.operator, y, z, u, step.rho), { signal, onFraction });
    if (u.length > 0) await store.write(nameOf('u', step.k, c), allOf(picture), u);
    await store.write(nameOf('noisy', step.k, c), allOf(picture), noisy);
    return { extents: await drive(blockExtents([noisy], picture), { signal }), squares };
  },
});

const prior = definePass<RestoreContext, PriorArgument, null>({
  ...{ name: 'prior', argument: checkPriorArgument, answer: nothing },
  async work(context, job) {
    const { planes: store, tiles, denoisers } = context;
    const { known, k, framed, part } = job.argument;
    const { picture, channels } = known;
    if (tiles && (part.width % tiles.chunk.width !== 0 || part.height % tiles.chunk.height !== 0)) {
      throw refuse('argument.part', 'must be whole chunks of planes', `${part.width}×${part.height}`);
    }
    const inner = gridCell(picture, part, job.part);
    context.close?.();
    await denoisers.use(
      'prior',
      () => loadPrior(context, known),
      async (denoiser) => {
        const { width, height } = picture;
        const placements = tiles
          ? [placementOf(denoiser, inner, picture)]
          : tilesOf(denoiser, width, height, tileSide(denoiser, width, height, channels));
        const at = tiles ? placements[0].outer : inner;
        const planes = [];
        for (let c = 0; c < channels; c++) planes.push(await store.read(nameOf('noisy', k, c), at, picture));
        const denoised = await denoiseTiles(denoiser, { at, planes }, framed, placements, inner, watchOf(job));
        for (const [c, plane] of denoised.entries()) await store.write(nameOf('z', k, c), inner, plane);
      },
    );
    return null;
  },
});

/** How far the first plane after step k leaves the range of the data, as a share of it. */
const excess = definePass<RestoreContext, StepArgument, number>({
  ...{ name: 'excess', argument: checkStepArgument, answer: number },
  async work(context, { argument: { known, k }, signal, onFraction }) {
    const { picture } = known;
    const { planes } = await context.open(known, signal);
    const z = await context.planes.read(nameOf('z', k, 0), allOf(picture), picture);
    return drive(excessOf(planes[0], z), { signal, onFraction });
  },
});

const result = definePass<RestoreContext, ResultArgument, number>({
  ...{ name: 'result', argument: checkResultArgument, answer: number },
  async work(context, { argument: { known, last }, signal, onFraction }) {
    const { planes: store } = context;
    const { picture, channels } = known;
    const opened = await context.open(known, signal);
    const noise = noiseOf(known);
    const restored = [];
    let squares = 0;
    for (const [c, y] of opened.planes.entries()) {
      const watch = watchOver({ signal, onFraction }, c / channels, (c + 1) / channels);
      const z = await store.take(nameOf('z', last.k, c), picture);
      const u = noise === 0 ? inFloat64(await store.take(nameOf('u', last.k, c), picture)) : new Float64Array(0);
      const noisy = inFloat64(await store.take(nameOf('noisy', last.k, c), picture));
      squares += await drive(dualStep(noisy, z, u, last.shrink), { signal });
      restored.push(await drive(lastStep(opened.operator, y, z, noise), watch));
    }
    await context.write(await drive(opened.result(restored), { signal }), signal);
    return squares;
  },
});

/** What the loop has done. */
interface Loop {
  readonly known: KnownImage;
  readonly last: LoopStep;
  /** The number of the step before the first: those of attempts that were given up come before it. */
  readonly from: number;
  readonly history: readonly RestorationEntry[];
  /** When the last step ended, in milliseconds since the first began. */
  readonly ms: number;
}

/** The plan of a restoration. */
export const restorePlan: Plan<RestoreContext, RestoreResult> = {
  name: 'restore',
  work: workByName(read, start, data, prior, excess, result),
  async run(context, perform) {
    const { quality } = context.settings;
    const [found] = await perform(read, null, { parts: 1, share: SHARES.read });
    const denoiser = await context.denoisers.load('prior', () => loadPrior(context, found));
    const done = await boundedLoop(context, perform, found, denoiser);
    const { known, last } = done;
    const [squares] = await perform(result, { known, last }, { parts: 1, share: SHARES.result });
    await context.planes.clear();
    const { unit: _unit, picture: _picture, channels: _channels, ...findings } = known;
    const history = [...done.history, entryOf(known, last, done, squares)];
    return { ...findings, quality, history, engine: denoiser.info };
  },
};

/**
 * The loop. If its first picture leaves the range of the data, the kernel does not fit: frequencies that it removes are in the data, and
 * are amplified as if it had removed them. Then twice the noise is assumed, which amplifies less, until the picture stays within.
 */
async function boundedLoop(
  context: RestoreContext,
  perform: Perform<RestoreContext>,
  found: KnownImage,
  denoiser: LoadedDenoiser,
): Promise<Loop> {
  let known = found;
  for (let raised = 0; ; raised++) {
    const mayRaise = context.problem.bounded === true && raised < MOST_RAISES;
    const limit = mayRaise ? (raised === 0 ? MOST_EXCESS : MOST_OF_MISFIT) : undefined;
    const loop = await takeSteps(context, perform, known, denoiser, raised, limit);
    if (loop) return loop;
    const sigma = Math.max(RAISE * known.sigma, LEAST_RAISED * known.unit);
    const warning = { reason: 'kernel-misfit', before: found.sigma, sigma } as const;
    known = { ...found, sigma, warnings: [...found.warnings, warning] };
  }
}

/** The steps of the loop; undefined if the first one leaves the range of the data by more than a limit. */
async function takeSteps(
  context: RestoreContext,
  perform: Perform<RestoreContext>,
  known: KnownImage,
  denoiser: LoadedDenoiser,
  attempt: number,
  limit: number | undefined,
): Promise<Loop | undefined> {
  const { problem, settings, tiles } = context;
  const { picture, channels } = known;
  const { steps, least } = restorationRecipe(problem.task, settings.quality);
  const from = attempt * steps;
  const startOptions = {
    parts: channels,
    share: attempt === 0 ? SHARES.start : 0,
    name: attempt === 0 ? undefined : `start-${attempt}`,
  };
  await perform(start, { known, k: from }, startOptions);
  const part = tiles ? partSize(partSide(denoiser, picture, channels, tiles.side), tiles.chunk) : picture;
  const parts = gridLength(picture, part);
  const stepShare = (1 - SHARES.read - SHARES.start - SHARES.result) / steps;
  const history: RestorationEntry[] = [];
  const begin = performance.now();
  let ms = 0;
  let before: LoopStep | undefined;
  for (const each of loopSteps(scheduleOf(problem, known, steps, least))) {
    const step = { ...each, k: from + each.k };
    const { k } = step;
    context.onStep?.(each.k);
    // A first step that is repeated has had its share.
    const share = attempt > 0 && !before ? 0 : stepShare;
    const dataOptions = { parts: channels, share: SHARES.data * share, name: `data-${k}` };
    const answers = await perform(data, { known, step, before }, dataOptions);
    if (before) history.push(entryOf(known, before, { from, ms }, total(answers)));
    await release(context, known, k - 1, before ? undefined : ['z']);
    const priorOptions = { parts, share: SHARES.prior * share, name: `prior-${k}` };
    await perform(prior, { known, k, framed: frameFor(known, step, answers), part }, priorOptions);
    ms = performance.now() - begin;
    if (!before && limit !== undefined) {
      const [beyond] = await perform(excess, { known, k }, { parts: 1, share: 0, name: `excess-${k}` });
      if (beyond > limit) {
        await release(context, known, k);
        return undefined;
      }
    }
    before = step;
  }
  if (!before) throw new Error('the recipe has no steps');
  return { known, last: before, from, history, ms };
}

/** The entry of a step in the history; `squares` is ‖x − z‖². */
function entryOf(
  { unit, channels, picture }: KnownImage,
  { k, sigma, rho }: LoopStep,
  { from, ms }: Pick<Loop, 'from' | 'ms'>,
  squares: number,
): RestorationEntry {
  const gap = Math.sqrt(squares / (channels * picture.width * picture.height));
  return { k: k - from, sigma: unit * sigma, rho, gap: unit * gap, ms };
}

type PlaneKind = 'z' | 'u' | 'noisy';

/** The name of a plane: z, u, or the x + u that the prior denoises, after step k. */
function nameOf(plane: PlaneKind, k: number, c: number): string {
  return `${plane}-${k}-${c}`;
}

/** The frame in which the prior denoises the planes, from their extents. */
function frameFor({ picture, channels }: KnownImage, { sigma }: LoopStep, answers: readonly DataAnswer[]): PlanesFrame {
  const blocks = answers[0].extents.map((_, b) => answers.flatMap(({ extents }) => extents[b]));
  return frameOf(blocks, picture.width * picture.height, { sigma: new Array(channels).fill(sigma) });
}

/** ‖x − z‖² of all planes. */
function total(answers: readonly DataAnswer[]): number {
  return answers.reduce((sum, { squares }) => sum + squares, 0);
}

/** Frees the planes of step k, which the data step after it has used, or no step will use. */
function release(
  { planes }: RestoreContext,
  known: KnownImage,
  k: number,
  kinds: readonly PlaneKind[] = noiseOf(known) === 0 ? ['z', 'u', 'noisy'] : ['z', 'noisy'],
): Promise<void> {
  const channels = Array.from({ length: known.channels }, (_, c) => c);
  const names = kinds.flatMap((kind) => channels.map((c) => nameOf(kind, k, c)));
  return planes.release(names, known.picture);
}

const inFloat64 = (plane: Samples): Plane => (plane instanceof Float64Array ? plane : Float64Array.from(plane));

/** The deviation of the noise, in units of the loop. */
function noiseOf({ sigma, unit }: KnownImage): number {
  return Math.min(sigma / unit, MOST_UNITS);
}

function scheduleOf({ first, last }: RestorationProblem, known: KnownImage, steps: number, least = 0): Schedule {
  const sigma = noiseOf(known);
  const end = Math.max(last, least, sigma);
  return { sigma, first: Math.max(first, end), last: end, steps };
}

/** The engine of a restoration whose prior was given. */
const OWN: EngineInfo = { name: 'own', threads: 1 };

/** The prior for the picture of the loop: loaded once for all steps, so that its memory is made once. */
async function loadPrior({ problem, settings }: RestoreContext, { picture }: KnownImage): Promise<LoadedDenoiser> {
  const { prior: own, quality, engine, threads, worker, weights } = settings;
  const how = { engine, threads, worker, weights };
  if (!own) {
    const { prior } = restorationRecipe(problem.task, quality);
    if (prior === 'learned') return loadDenoiser(picture, 'white', { quality: prior, ...how });
    return recipeFor(priors[prior], picture, how);
  }
  const { margin, alignment, least, effort, passes } = own;
  return {
    ...{ margin, alignment, least, effort, passes, info: OWN },
    bytes: (...size) => own.bytes(...size),
    run: (tile, watch) => own.run(tile, watch),
  };
}
