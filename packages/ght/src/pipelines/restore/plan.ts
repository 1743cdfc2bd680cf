/**
 * Restoration as passes: the loop of `operators/loop.ts`, for every operator.
 *
 *     read → start → (data → prior) for each step → result
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
  type LoopStep,
  lastStep,
  loopSteps,
  type RestorationEntry,
  type Schedule,
} from '../../operators/loop.js';
import type { Plane } from '../../operators/operator.js';
import { drive, type Watch, watchOver } from '../../work.js';
import { memberOf, nothing, number, refuse } from '../check.js';
import { partSide, partSize, watchOf } from '../denoise/plan.js';
import { denoiseTiles, recipeFor } from '../denoise/planes.js';
import { definePass, type Plan, workByName } from '../plan.js';
import { keepDenoised, type RestoreContext } from './context.js';
import {
  checkDataAnswer,
  checkDataArgument,
  checkKnown,
  checkPriorArgument,
  checkResultArgument,
  checkStartArgument,
  type DataAnswer,
  type DataArgument,
  type KnownImage,
  type PriorArgument,
  type ResultArgument,
  type StartArgument,
} from './messages.js';
import { type RestoreResult, restorationRecipes } from './options.js';
import { estimatedSigma, type FoundInput, MOST_UNITS, type RestorationProblem } from './problem.js';

/** The shares of the passes, where `diagnosis` is that of `read` if something has to be found; those of `data` and `prior` are shares of a step. */
const SHARES = { read: 0.01, diagnosis: 0.05, start: 0.04, result: 0.02, data: 0.3, prior: 0.7 } as const;

const read = definePass<RestoreContext, null, KnownImage>({
  ...{ name: 'read', argument: nothing, answer: checkKnown },
  async work(context, { signal, onFraction }) {
    const found = await diagnosed(context, { signal, onFraction });
    const { image, opened } = await context.open(found, signal);
    const { unit, operator, planes } = opened;
    const given = context.problem.sigma;
    const sigma = given ?? found?.sigma ?? (await drive(estimatedSigma(image, unit), { signal, onFraction }));
    const { width, height } = operator.picture;
    return { sigma, estimated: given === undefined, unit, picture: { width, height }, channels: planes.length, found };
  },
});

const start = definePass<RestoreContext, StartArgument, null>({
  ...{ name: 'start', argument: checkStartArgument, answer: nothing },
  async work(context, { part: c, argument: { known }, signal, onFraction }) {
    const { opened } = await context.open(known.found, signal);
    const plane = memberOf(opened.planes, c, 'part');
    const first = await drive(opened.start(plane, c), { signal, onFraction });
    await context.planes.write(nameOf('z', 0, c), allOf(opened.operator.picture), first);
    return null;
  },
});

const data = definePass<RestoreContext, DataArgument, DataAnswer>({
  ...{ name: 'data', argument: checkDataArgument, answer: checkDataAnswer },
  async work(context, { part: c, argument: { known, step, before }, signal, onFraction }) {
    const { planes: store } = context;
    const { picture, found } = known;
    const { opened } = await context.open(found, signal);
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

const result = definePass<RestoreContext, ResultArgument, number>({
  ...{ name: 'result', argument: checkResultArgument, answer: number },
  async work(context, { argument: { known, last }, signal, onFraction }) {
    const { planes: store } = context;
    const { picture, channels, found } = known;
    const { opened } = await context.open(found, signal);
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

/** The plan of a restoration. */
export const restorePlan: Plan<RestoreContext, RestoreResult> = {
  name: 'restore',
  work: workByName(read, start, data, prior, result),
  async run(context, perform) {
    const { problem, settings, tiles } = context;
    const { steps } = restorationRecipes[problem.task][settings.quality];
    const readShare = problem.diagnose ? SHARES.diagnosis : SHARES.read;
    const [known] = await perform(read, null, { parts: 1, share: readShare });
    const { sigma, estimated, unit, picture, channels, found } = known;
    await perform(start, { known }, { parts: channels, share: SHARES.start });
    const denoiser = await context.denoisers.load('prior', () => loadPrior(context, known));
    const part = tiles ? partSize(partSide(denoiser, picture, channels, tiles.side), tiles.chunk) : picture;
    const parts = gridLength(picture, part);
    const share = (1 - readShare - SHARES.start - SHARES.result) / steps;
    const history: RestorationEntry[] = [];
    const begin = performance.now();
    let ms = 0;
    const note = ({ k, sigma, rho }: LoopStep, squares: number) => {
      const gap = Math.sqrt(squares / (channels * picture.width * picture.height));
      history.push({ k, sigma: unit * sigma, rho, gap: unit * gap, ms });
    };
    let before: LoopStep | undefined;
    for (const step of loopSteps(scheduleOf(problem, known, steps))) {
      const { k } = step;
      context.onStep?.(k);
      const dataOptions = { parts: channels, share: SHARES.data * share, name: `data-${k}` };
      const answers = await perform(data, { known, step, before }, dataOptions);
      if (before) note(before, total(answers));
      await release(context, known, k - 1);
      const priorOptions = { parts, share: SHARES.prior * share, name: `prior-${k}` };
      await perform(prior, { known, k, framed: frameFor(known, step, answers), part }, priorOptions);
      ms = performance.now() - begin;
      before = step;
    }
    if (!before) throw new Error('the recipe has no steps');
    const [squares] = await perform(result, { known, last: before }, { parts: 1, share: SHARES.result });
    note(before, squares);
    await context.planes.clear();
    const { reduction, noise } = found ?? {};
    const report = { ...(reduction && { reduction }), ...(noise && { noise }) };
    return { sigma, estimated, ...report, quality: settings.quality, history, engine: denoiser.info };
  },
};

/** Finds what is not known about the image. Planes without the noise that was removed are kept for the passes after it. */
async function diagnosed(context: RestoreContext, watch: Watch): Promise<FoundInput | undefined> {
  const { problem, settings } = context;
  if (!problem.diagnose) return undefined;
  const image = await context.image(watch.signal);
  const { found, denoised } = await problem.diagnose(image, settings, watch);
  if (denoised) await keepDenoised(image, denoised, context.planes);
  return found;
}

/** The name of a plane: z, u, or the x + u that the prior denoises, after step k. */
function nameOf(plane: 'z' | 'u' | 'noisy', k: number, c: number): string {
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

/** Frees the planes of step k, which the data step after it has used. */
function release({ planes }: RestoreContext, known: KnownImage, k: number): Promise<void> {
  const channels = Array.from({ length: known.channels }, (_, c) => c);
  const kinds =
    k === 0 ? (['z'] as const) : noiseOf(known) === 0 ? (['z', 'u', 'noisy'] as const) : (['z', 'noisy'] as const);
  const names = kinds.flatMap((kind) => channels.map((c) => nameOf(kind, k, c)));
  return planes.release(names, known.picture);
}

const inFloat64 = (plane: Samples): Plane => (plane instanceof Float64Array ? plane : Float64Array.from(plane));

/** The deviation of the noise, in units of the loop. */
function noiseOf({ sigma, unit }: KnownImage): number {
  return Math.min(sigma / unit, MOST_UNITS);
}

function scheduleOf({ first, last }: RestorationProblem, known: KnownImage, steps: number): Schedule {
  const sigma = noiseOf(known);
  const end = Math.max(last, sigma);
  return { sigma, first: Math.max(first, end), last: end, steps };
}

/** The engine of a restoration whose prior was given. */
const OWN: EngineInfo = { name: 'own', threads: 1 };

/** The prior for the picture of the loop: loaded once for all steps, so that its memory is made once. */
async function loadPrior({ problem, settings }: RestoreContext, { picture }: KnownImage): Promise<LoadedDenoiser> {
  const { prior: own, quality, engine, threads } = settings;
  if (!own) return recipeFor(priors[restorationRecipes[problem.task][quality].prior], picture, { engine, threads });
  const { margin, alignment, least, effort, passes } = own;
  return {
    ...{ margin, alignment, least, effort, passes, info: OWN },
    bytes: (...size) => own.bytes(...size),
    run: (tile, watch) => own.run(tile, watch),
  };
}
