/**
 * Denoising as passes over the parts of an image. The result has the same bits for any number of parts:
 *
 *     range → estimate → (coarse-extents → coarse → reestimate) → extents → denoise → finish
 *
 * The passes in brackets are for coloured noise that is estimated; the first two of them, for images with two scales. What a pass needs
 * to know about the whole image comes from the answers of the passes before it, which are small: ranges, sums and the noise.
 */
import { BLOCK, blockExtents, type Extent, frameOf, type PlanesFrame } from '../../denoisers/frame.js';
import { colourModel } from '../../denoisers/learned/shipped.js';
import { type Placement, placementOf, tileSide, tilesOf } from '../../denoisers/tiles.js';
import type { EngineInfo, LoadedDenoiser } from '../../engines/engine.js';
import type { Samples } from '../../image/image.js';
import { allOf, cut, gridCell, gridLength, gridOf, type Rectangle, type Size } from '../../image/rectangle.js';
import { hasTwoScales } from '../../noise/coloured/coarse.js';
import type { NoiseEstimate } from '../../noise/estimate.js';
import { drive } from '../../work.js';
import { memberOf, nothing, refuse } from '../check.js';
import { checkGivenNoise } from '../given-noise.js';
import { definePass, type Job, type Plan, workByName } from '../plan.js';
import { axesNoise, fromAxes, isEstimatedColour } from './axes.js';
import type { DenoiseContext } from './context.js';
import { hasDefects } from './defects.js';
import {
  diagnosisOf,
  find,
  type ImageRange,
  mergeRanges,
  type NoiseReport,
  planesFor,
  reportOf,
  scanRange,
  toWorkingUnits,
} from './findings.js';
import {
  type CoarseArgument,
  checkCoarseArgument,
  checkEstimate,
  checkEstimateArgument,
  checkExtents,
  checkFineArgument,
  checkKnownArgument,
  checkMeasured,
  checkNoise,
  checkRange,
  checkScalesArgument,
  type FineArgument,
  type ScalesArgument,
} from './messages.js';
import { apart, keepHidden, readVisible } from './opacity.js';
import { cleanPart, halfSize, type Known, partResult, type ReadDifferences, readSample, WholeReader } from './parts.js';
import { denoiseTiles, loadDenoiser } from './planes.js';
import { isForColour, qualityEffort } from './quality.js';
import { coarseDifferences, coarseSettings, fineEstimate, scaled } from './scales.js';

/** The result of denoising, apart from the pixels. */
export interface DenoiseResult extends NoiseReport {
  /** Whether the noise was estimated from the image. */
  readonly estimated: boolean;
  /** Whether the result differs from the input. */
  readonly changed: boolean;
  /** The engine that computed the result where the run began, and why it was chosen. */
  readonly engine: EngineInfo;
}

/** The shares of the passes that only read the image. */
const SHARES = { range: 0.02, extents: 0.02, finish: 0.02 } as const;
/** The share of an estimate that looks at the whole image. */
const ESTIMATE_SHARE = 0.08;
/** The most bytes that a part may need, if there are many. */
export const MOST_PART_BYTES = 2 ** 29;
/** The largest tiles of the half image: they are stored in pieces of this side. */
const PIECE = 512;

const range = definePass<DenoiseContext, null, ImageRange>({
  ...{ name: 'range', argument: nothing, answer: checkRange },
  async work(context, { part, signal, onFraction }) {
    const at = memberOf(measuredParts(context), part, 'part');
    const { planes, alpha } = apart(context.image, await context.image.read(at, signal));
    return drive(scanRange({ at, planes }, alpha), { signal, onFraction });
  },
});

const estimate = definePass<DenoiseContext, { readonly range: ImageRange; readonly peak: number }, Known>({
  ...{ name: 'estimate', argument: checkEstimateArgument, answer: checkNoise },
  async work({ image, reader, settings }, { argument: { range, peak }, signal, onFraction }) {
    checkGivenNoise(settings, range, peak);
    const { size, whole, ...sample } = await readSample(image, settings.sampled, async (at) => {
      const { planes, alpha } = await readVisible(image, at, range, signal);
      return alpha ? [...planes, alpha] : planes;
    });
    const { planes: given, alpha } = apart(image, sample.planes);
    const working = await drive(toWorkingUnits({ ...size, planes: given, alpha, peak }, range), { signal });
    const found = await drive(find(working, whole, range, settings), { signal, onFraction });
    const { planes, impulses, defects, estimate, bands } = found;
    if (whole && reader instanceof WholeReader) reader.keep({ planes, impulses, given, alpha, peak: working.peak });
    return { range, peak, defects, estimate, bands };
  },
});

const coarseExtents = definePass<DenoiseContext, { readonly known: Known }, Extent[][]>({
  ...{ name: 'coarse-extents', argument: checkKnownArgument, answer: checkExtents },
  async work(context, { part, argument: { known }, signal }) {
    const half = memberOf(measuredParts(context, halfSize(context.image)), part, 'part');
    return drive(blockExtents(await context.reader.halves(known, half, signal), half), { signal });
  },
});

const coarse = definePass<DenoiseContext, CoarseArgument, null>({
  ...{ name: 'coarse', argument: checkCoarseArgument, answer: nothing },
  async work(context, job) {
    await denoiseCoarse(context, job);
    return null;
  },
});

const reestimate = definePass<DenoiseContext, ScalesArgument, NoiseEstimate>({
  ...{ name: 'reestimate', argument: checkScalesArgument, answer: checkEstimate },
  async work(context, job) {
    const { image, reader, settings } = context;
    const { known } = job.argument;
    const { signal } = job;
    let { peak } = known;
    // Channels and axes are read together, window by window: the estimate needs both.
    const { size, ...sample } = await readSample(image, settings.sampled, async (at) => {
      const part = await reader.axes(known, at, differencesOf(context, job), signal);
      peak = part.peak;
      return [...part.planes, ...part.axes, ...(part.alpha ? [part.alpha] : [])];
    });
    const { planes, alpha } = apart(image, sample.planes);
    const [channels, axes] = [planes.slice(0, planes.length / 2), planes.slice(planes.length / 2)];
    return drive(fineEstimate({ ...size, planes: channels, alpha, peak }, axes, known.estimate), job);
  },
});

const extents = definePass<DenoiseContext, ScalesArgument, { readonly extents: Extent[][]; readonly impulses: number }>(
  {
    ...{ name: 'extents', argument: checkScalesArgument, answer: checkMeasured },
    async work(context, job) {
      const { signal, argument } = job;
      const at = memberOf(measuredParts(context), job.part, 'part');
      const differences = differencesOf(context, job);
      const { axes, impulses } = await context.reader.axes(argument.known, at, differences, signal);
      return { extents: await drive(blockExtents(axes, at), { signal }), impulses };
    },
  },
);

const denoise = definePass<DenoiseContext, FineArgument, null>({
  ...{ name: 'denoise', argument: checkFineArgument, answer: nothing },
  async work(context, job) {
    const { step, changed } = job.argument;
    const { chunk } = context.tiles ?? { chunk: step };
    if (step.width % chunk.width !== 0 || step.height % chunk.height !== 0) {
      throw refuse('argument.step', 'must be whole chunks of the output', `${step.width}×${step.height}`);
    }
    const inner = gridCell(context.image, step, job.part);
    // An interrupted run has written the same samples.
    if (await context.output.has(inner)) return null;
    await context.output.write(inner, changed ? await finishedPart(context, job, inner) : undefined, job.signal);
    return null;
  },
});

const finish = definePass<DenoiseContext, null, null>({
  ...{ name: 'finish', argument: nothing, answer: nothing },
  async work({ output }, { signal }) {
    await output.finish(signal);
    return null;
  },
});

/** The plan of denoising. */
export const denoisePlan: Plan<DenoiseContext, DenoiseResult> = {
  name: 'denoise',
  work: workByName(range, estimate, coarseExtents, coarse, reestimate, extents, denoise, finish),
  async run(context, perform) {
    const { image, settings } = context;
    const parts = measuredParts(context).length;
    const seen = mergeRanges(await perform(range, null, { parts, share: SHARES.range }));
    const peak = context.peakOf(seen);
    const planes = seen.copies ? 1 : seen.channels;
    const estimateShare = ESTIMATE_SHARE * Math.min(1, settings.sampled / (image.width * image.height));
    const [known] = await perform(estimate, { range: seen, peak }, { parts: 1, share: estimateShare });
    const kind = known.estimate.model.kind === 'coloured' ? 'coloured' : 'white';
    const again = isEstimatedColour(known.estimate.model, settings.given);
    let left = 1 - SHARES.range - SHARES.extents - SHARES.finish - estimateShare * (again ? 2 : 1);
    let found = known.estimate;
    let scales: CoarseArgument | undefined;
    const { coarse: coarseNoise } = known.estimate;
    if (coarseNoise && hasTwoScales(image)) {
      left -= SHARES.extents;
      const half = halfSize(image);
      const options = { parts: measuredParts(context, half).length, share: SHARES.extents };
      const framed = frameOfParts(
        context,
        half,
        await perform(coarseExtents, { known }, options),
        scaled(coarseNoise, settings.strength),
      );
      const denoiser = await context.denoisers.load('coarse', () => coarseDenoiser(context, planes));
      const side = partSide(denoiser, half, planes, context.tiles?.side);
      const piece = Math.min(side, PIECE);
      const step = context.tiles ? partSize(side, { width: piece, height: piece }) : half;
      scales = { known, framed, step };
      const fineEffort = qualityEffort(planesFor(found.model, seen, settings).quality, kind);
      const share = (left * denoiser.effort) / (denoiser.effort + 4 * fineEffort);
      left -= share;
      await perform(coarse, scales, { parts: gridLength(half, step), share });
    }
    if (again) [found] = await perform(reestimate, { known, coarse: scales }, { parts: 1, share: estimateShare });
    const measured = await perform(extents, { known, coarse: scales }, { parts, share: SHARES.extents });
    const noise = axesNoise(found.model, settings.strength, known.bands);
    const framed = frameOfParts(
      context,
      image,
      measured.map((each) => each.extents),
      noise,
    );
    const impulses = measured.reduce((sum, each) => sum + each.impulses, 0);
    const changed = framed.noisy.includes(true) || hasDefects(known.defects, impulses);
    const fineKnown = { ...known, estimate: found };
    const { quality, weights, colourWeights } = planesFor(found.model, seen, settings);
    // Given weights of the other model alone ask for that one.
    const isWanted = colourWeights !== undefined || weights === undefined;
    const forColour = isWanted && !known.bands && isForColour(quality, noise, seen);
    const colour = forColour && (await colourModel(colourWeights)) !== undefined;
    const fine = await context.denoisers.load('fine', () => fineDenoiser(context, fineKnown, planes, colour));
    const { tiles } = context;
    const step = tiles ? partSize(partSide(fine, image, planes, tiles.side), tiles.chunk) : allOf(image);
    const argument = { known: fineKnown, framed, step, changed, colour, coarse: scales };
    await perform(denoise, argument, { parts: gridLength(image, step), share: left });
    await perform(finish, null, { parts: 1, share: SHARES.finish });
    if (scales || settings.missing) await context.coarse?.clear();
    const report = reportOf(diagnosisOf(image, seen, known, impulses, settings), found.model, seen, settings);
    return { ...report, estimated: settings.given === undefined, changed, engine: fine.info };
  },
};

/** The parts of an image that are measured: whole blocks, so that sums can be added in the order of blocks. */
export function measuredParts(
  { tiles, image }: Pick<DenoiseContext, 'tiles'> & { readonly image: Size },
  size: Size = image,
): readonly Rectangle[] {
  return tiles ? gridOf(size, { width: 4 * BLOCK, height: 4 * BLOCK }) : [allOf(size)];
}

/** The frame of planes of this size with this noise, from the extents of their measured parts. */
function frameOfParts(
  context: DenoiseContext,
  size: Size,
  parts: readonly Extent[][][],
  noise: Parameters<typeof frameOf>[2],
): PlanesFrame {
  const columns = Math.ceil(size.width / BLOCK);
  const blocks: Extent[][] = [];
  for (const [p, { left, top, width, height }] of measuredParts(context, size).entries()) {
    for (const [b, block] of gridOf({ width, height }, { width: BLOCK, height: BLOCK }).entries()) {
      blocks[((top + block.top) / BLOCK) * columns + (left + block.left) / BLOCK] = parts[p][b];
    }
  }
  return frameOf(blocks, size.width * size.height, noise);
}

/** The side of parts that need at most about 512 MiB. */
export function partSide(denoiser: LoadedDenoiser, { width, height }: Size, planes: number, given?: number): number {
  return given ?? tileSide(denoiser, width, height, planes, MOST_PART_BYTES);
}

/** The size of parts of about this side that consist of whole chunks. */
export function partSize(side: number, chunk: Size): Size {
  const along = (length: number) => length * Math.max(1, Math.floor(side / length));
  return { width: along(chunk.width), height: along(chunk.height) };
}

function coarseDenoiser({ image, settings, tiles }: DenoiseContext, planes: number): Promise<LoadedDenoiser> {
  return loadDenoiser(halfSize(image), 'coloured', coarseSettings(settings.planes), tiles ? undefined : planes);
}

function fineDenoiser(
  { image, settings, tiles }: DenoiseContext,
  { estimate: { model }, range }: Known,
  planes: number,
  colour: boolean,
): Promise<LoadedDenoiser> {
  const kind = model.kind === 'coloured' ? 'coloured' : 'white';
  const chosen = { ...planesFor(model, range, settings), colour };
  return loadDenoiser(image, kind, chosen, tiles ? undefined : planes);
}

/** The tiles of a part, and the rectangle that they need: one tile with its margin, or those of a whole image that fit in memory. */
export function tilesFor(
  { tiles, settings }: Pick<DenoiseContext, 'tiles' | 'settings'>,
  denoiser: LoadedDenoiser,
  inner: Rectangle,
  size: Size,
  planes: number,
): { readonly placements: readonly Placement[]; readonly outer: Rectangle } {
  if (tiles) {
    const placement = placementOf(denoiser, inner, size);
    return { placements: [placement], outer: placement.outer };
  }
  const { width, height } = size;
  const side = settings.planes.tile ?? tileSide(denoiser, width, height, planes);
  return { placements: tilesOf(denoiser, width, height, side), outer: inner };
}

/** Denoises one part of the half image, and stores what has changed. */
async function denoiseCoarse(context: DenoiseContext, job: Job<CoarseArgument>): Promise<void> {
  const { image, reader } = context;
  const { known, framed, step } = job.argument;
  const { signal } = job;
  const half = halfSize(image);
  const inner = gridCell(half, step, job.part);
  const count = framed.noisy.length;
  const differences = await context.denoisers.use(
    'coarse',
    () => coarseDenoiser(context, count),
    async (denoiser) => {
      const { placements, outer } = tilesFor(context, denoiser, inner, half, count);
      const planes = await reader.halves(known, outer, signal);
      const part = { at: outer, planes };
      const denoised = await denoiseTiles(denoiser, part, framed, placements, inner, watchOf(job));
      const halves = planes.map((plane) => cut(plane, outer, inner));
      await drive(coarseDifferences(halves, denoised), { signal });
      return halves;
    },
  );
  if (reader instanceof WholeReader) await reader.addCoarse(known, differences, signal);
  else await context.coarse?.write(inner, differences, step);
}

/** Reads the differences of the coarse scale. A tile that was lost is computed again. */
function differencesOf(context: DenoiseContext, job: Job<ScalesArgument>): ReadDifferences | undefined {
  const { coarse: argument } = job.argument;
  const { coarse: store, image } = context;
  if (!argument || !store) return undefined;
  const compute = (part: number) => denoiseCoarse(context, { part, argument, signal: job.signal });
  return (at) => store.read(at, argument.framed.noisy.length, halfSize(image), argument.step, compute);
}

/** What is written of a part: its denoised planes, with its transparent pixels as they were, and its opacity. */
async function finishedPart(
  context: DenoiseContext,
  job: Job<FineArgument>,
  inner: Rectangle,
): Promise<readonly Samples[]> {
  const { image } = context;
  const { signal } = job;
  const planes = await denoisePart(context, job, inner);
  if (!image.alpha) return planes;
  const given = apart(image, await image.read(inner, signal));
  return [...(await drive(keepHidden(planes, given), { signal })), given.alpha as Samples];
}

/** The denoised planes of a part, in the units of the image. */
async function denoisePart(
  context: DenoiseContext,
  job: Job<FineArgument>,
  inner: Rectangle,
): Promise<readonly Samples[]> {
  const { reader, settings, image, tiles } = context;
  const { known, framed, colour } = job.argument;
  const { signal } = job;
  if (!framed.noisy.includes(true)) return cleanPart(reader, known, inner, image, settings.keepGrain, signal);
  const count = framed.noisy.length;
  return context.denoisers.use(
    'fine',
    () => fineDenoiser(context, known, count, colour),
    async (denoiser) => {
      const { placements, outer } = tilesFor(context, denoiser, inner, image, count);
      const { axes, given } = await reader.axes(known, outer, differencesOf(context, job), signal);
      const part = { at: outer, planes: axes };
      const { estimate, bands } = known;
      // Coloured noise is that of all bands at the brightness of the first.
      const alone = bands !== undefined && estimate.model.kind !== 'coloured';
      const denoised = await denoiseTiles(denoiser, part, framed, placements, inner, watchOf(job), alone);
      const back = fromAxes(denoised, estimate.model, tiles ? undefined : axes, bands);
      const planes = await drive(back, { signal });
      const at = { at: outer, planes: given };
      return drive(partResult(planes, at, inner, known, settings.keepGrain), { signal });
    },
  );
}

/** The progress of a part. */
export function watchOf({ signal, onFraction }: Job<unknown>) {
  return {
    signal,
    onProgress: ({ fraction, pass }: { readonly fraction: number; readonly pass: string }) =>
      onFraction?.(fraction, pass),
  };
}
