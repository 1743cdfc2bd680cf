/**
 * Denoising an image that is never in memory as a whole, with the bits of `denoise`. Each step reads a part of the image and returns
 * plain data or samples. What a step must know about the whole comes from the steps before it:
 *
 * 1. `lookAt` at every part, merged by `seenInAll`;
 * 2. `findInSample`: defects and noise;
 * 3. for estimated coloured noise of an image with two scales: `measureHalves` in every part, `denoiseHalves` of every tile, and
 *    `findAgain`, the noise after the coarse scale;
 * 4. `measure` in every part;
 * 5. `denoisePart` of every tile.
 */
import type { Denoiser, TileWatch } from '../denoisers/denoiser.js';
import { BLOCK, blockExtents, type Extent, frameOf, type PlanesFrame } from '../denoisers/frame.js';
import type { Placement } from '../denoisers/tiles.js';
import type { NoiseEstimate } from '../noise/estimate.js';
import type { ColouredNoise } from '../noise/model.js';
import { halfAround, halfOf } from '../signal/halves.js';
import type { Samples } from '../signal/image.js';
import {
  allOf,
  cut,
  emptyLike,
  gridOf,
  grown,
  type Part,
  place,
  type Rectangle,
  type Size,
} from '../signal/rectangle.js';
import { sampleLayout } from '../signal/sample.js';
import { drive } from '../work.js';
import { defectReach, hasDefects, type Repaired, withoutDefects } from './defects.js';
import { asGiven, type Findings, find, inUsualUnits, type Seen } from './denoise-findings.js';
import type { DenoiseSettings } from './denoise-options.js';
import { denoiseTiles } from './denoise-planes.js';
import {
  addDifferences,
  coarseDifferences,
  coarseNoise,
  fineEstimate,
  halvedPlanes,
  hasTwoScales,
} from './denoise-scales.js';
import { axesNoise, fromAxes, isEstimatedColour, toAxes } from './remove-noise.js';

/** An image that is read part by part. */
export interface PartedImage extends Size {
  /** The planes of a rectangle, without opacity. */
  read(at: Rectangle): Promise<readonly Samples[]>;
}

/** What is known about the whole image before its planes are measured; plain data. */
export interface Known extends Findings {
  readonly seen: Seen;
  /** The value that counts as full scale, in the units of the image. */
  readonly peak: number;
  /** The noise at half the size, if the image is denoised at two scales. */
  readonly coarse?: ColouredNoise;
}

/** The parts of an image that are looked at and measured: whole blocks, so that sums can be added in the order of blocks. */
export function measuredParts(size: Size): readonly Rectangle[] {
  return gridOf(size, { width: 4 * BLOCK, height: 4 * BLOCK });
}

/** The size of an image at half its size. */
export function halfSize({ width, height }: Size): Size {
  return { width: halfOf(width), height: halfOf(height) };
}

/** Finds the defects and the noise of an image, which is read as a whole or, if it is large, in a sample of windows. */
export async function findInSample(
  image: PartedImage,
  seen: Seen,
  peak: number,
  settings: DenoiseSettings,
): Promise<Known> {
  const { signal } = settings.planes;
  const { size, whole, planes } = await sampleOf(image, settings, (at) => image.read(at));
  const usual = await drive(inUsualUnits({ ...size, planes, peak }, seen), { signal });
  const { planes: repaired, defects, estimate } = await drive(find(usual, whole, seen, settings), { signal });
  const known = { seen, peak, defects, estimate };
  if (!isEstimatedColour(estimate.model, settings.told) || !hasTwoScales(image)) return known;
  const cleanAt = async (at: Rectangle) => (await cleanPart(image, known, at, signal)).planes;
  // Windows are repaired again, each with the pixels around it: in the sample they touch others.
  const clean = whole ? repaired : (await sampleOf(image, settings, cleanAt)).planes;
  const axes = await drive(toAxes(clean, estimate.model), { signal });
  const shape = { ...size, peak: usual.peak };
  const coarse = await drive(coarseNoise(axes, shape, estimate.levels, settings.strength), { signal });
  return { ...known, coarse };
}

/** The sample of an image, from windows that are read one after the other. */
async function sampleOf(image: Size, { sampled }: DenoiseSettings, read: PartedImage['read']) {
  const { size, whole, windows } = sampleLayout(image, sampled);
  let planes: readonly Samples[] | undefined;
  for (const { from, to } of windows) {
    const window = await read(from);
    planes ??= whole ? window : window.map((plane) => emptyLike(plane, size.width * size.height));
    for (const [c, plane] of planes.entries()) if (!whole) place(window[c], to, plane, allOf(size));
  }
  return { size, whole, planes: planes as readonly Samples[] };
}

/** Reads the differences at half the size, which {@link denoiseHalves} returned, in a rectangle of the half image. */
export type ReadDifferences = (at: Rectangle) => Promise<readonly Samples[]>;

/** A part of an image without its defects. */
interface Clean extends Repaired {
  /** The samples as they were read, of the same rectangle. */
  readonly given: readonly Samples[];
  readonly peak: number;
}

async function cleanPart(image: PartedImage, known: Known, at: Rectangle, signal?: AbortSignal): Promise<Clean> {
  const { seen, defects, peak } = known;
  const around = grown(at, defectReach(defects), image);
  const given = await image.read(around);
  const usual = await drive(inUsualUnits({ ...around, planes: given, peak }, seen), { signal });
  const repaired = await drive(withoutDefects({ at: around, planes: usual.planes }, defects, at), { signal });
  return { ...repaired, given: given.map((plane) => cut(plane, around, at)), peak: usual.peak };
}

/** The planes of a part as they are denoised, after the coarse scale if there is one. */
async function axesOf(
  image: PartedImage,
  { estimate, coarse }: Known,
  at: Rectangle,
  { planes }: Repaired,
  differences: ReadDifferences,
  signal?: AbortSignal,
): Promise<readonly Samples[]> {
  const axes = await drive(toAxes(planes, estimate.model), { signal });
  if (!coarse) return axes;
  const half = halfAround(at, image);
  const part: Part = { at: half, planes: await differences(half) };
  await drive(addDifferences({ at, planes: axes }, image, part), { signal });
  return axes;
}

/** The planes at half their size in a rectangle of the half image. */
async function halvesOf(image: PartedImage, known: Known, half: Rectangle, signal?: AbortSignal) {
  const at = grown(
    { left: 2 * half.left, top: 2 * half.top, width: 2 * half.width, height: 2 * half.height },
    0,
    image,
  );
  const { planes } = await cleanPart(image, known, at, signal);
  return drive(halvedPlanes(await drive(toAxes(planes, known.estimate.model), { signal }), at), { signal });
}

/** The sums and ranges of the blocks of a part of the half image. */
export async function measureHalves(
  image: PartedImage,
  known: Known,
  half: Rectangle,
  signal?: AbortSignal,
): Promise<Extent[][]> {
  return drive(blockExtents(await halvesOf(image, known, half, signal), half), { signal });
}

/** What denoising changes in the part of the half image that a tile keeps. */
export async function denoiseHalves(
  image: PartedImage,
  known: Known,
  framed: PlanesFrame,
  tile: Placement,
  denoiser: Denoiser,
  watch: TileWatch,
): Promise<readonly Float32Array[]> {
  const { inner, outer } = tile;
  const planes = await halvesOf(image, known, outer, watch.signal);
  const denoised = await denoiseTiles(denoiser, { at: outer, planes }, framed, [tile], inner, watch);
  const halves = planes.map((plane) => cut(plane, outer, inner));
  await drive(coarseDifferences(halves, denoised), watch);
  return halves;
}

/** The noise after the coarse scale. */
export async function findAgain(
  image: PartedImage,
  known: Known,
  settings: DenoiseSettings,
  differences: ReadDifferences,
): Promise<NoiseEstimate> {
  const { signal } = settings.planes;
  let peak = known.peak;
  // Channels and axes are read together, window by window: the estimate needs both.
  const { size, planes } = await sampleOf(image, settings, async (at) => {
    const clean = await cleanPart(image, known, at, signal);
    peak = clean.peak;
    return [...clean.planes, ...(await axesOf(image, known, at, clean, differences, signal))];
  });
  const [channels, axes] = [planes.slice(0, planes.length / 2), planes.slice(planes.length / 2)];
  return drive(fineEstimate({ ...size, planes: channels, peak }, axes, known.estimate.jpeg), { signal });
}

/** The sums and ranges of the blocks of a part, and the number of impulses in it. */
export async function measure(
  image: PartedImage,
  known: Known,
  at: Rectangle,
  differences: ReadDifferences,
  signal?: AbortSignal,
): Promise<{ readonly extents: Extent[][]; readonly impulses: number }> {
  const clean = await cleanPart(image, known, at, signal);
  const axes = await axesOf(image, known, at, clean, differences, signal);
  return { extents: await drive(blockExtents(axes, at), { signal }), impulses: clean.impulses };
}

/** The frame of an image, from the extents of {@link measuredParts} in order. */
export function frameOfParts(
  size: Size,
  parts: readonly Extent[][][],
  noise: Parameters<typeof frameOf>[2],
): PlanesFrame {
  const columns = Math.ceil(size.width / BLOCK);
  const blocks: Extent[][] = [];
  for (const [p, { left, top, width, height }] of measuredParts(size).entries()) {
    for (const [b, block] of gridOf({ width, height }, { width: BLOCK, height: BLOCK }).entries()) {
      blocks[((top + block.top) / BLOCK) * columns + (left + block.left) / BLOCK] = parts[p][b];
    }
  }
  return frameOf(blocks, size.width * size.height, noise);
}

/** The frame of the half image. */
export function frameOfHalves(image: Size, parts: readonly Extent[][][], noise: ColouredNoise): PlanesFrame {
  return frameOfParts(halfSize(image), parts, noise);
}

/** The frame of an image with this noise. */
export function frameOfImage(
  image: Size,
  parts: readonly Extent[][][],
  { model }: NoiseEstimate,
  { strength }: DenoiseSettings,
): PlanesFrame {
  return frameOfParts(image, parts, axesNoise(model, strength));
}

/** Whether anything in the image is changed, given the number of its impulses. */
export function isChanged({ noisy }: PlanesFrame, { defects }: Findings, impulses: number): boolean {
  return noisy.includes(true) || hasDefects(defects, impulses);
}

/** The denoised planes of the part that a tile keeps, in the units of the image. */
export async function denoisePart(
  image: PartedImage,
  known: Known,
  framed: PlanesFrame,
  tile: Placement,
  denoiser: Denoiser,
  differences: ReadDifferences,
  { keepGrain }: DenoiseSettings,
  watch: TileWatch,
): Promise<readonly Samples[]> {
  const { signal } = watch;
  const noisy = framed.noisy.includes(true);
  const { inner } = tile;
  const outer = noisy ? tile.outer : inner;
  const clean = await cleanPart(image, known, outer, signal);
  let planes = clean.planes;
  if (noisy) {
    const axes = await axesOf(image, known, outer, clean, differences, signal);
    const denoised = await denoiseTiles(denoiser, { at: outer, planes: axes }, framed, [tile], inner, watch);
    planes = await drive(fromAxes(denoised, known.estimate.model), { signal });
  }
  const given = clean.given.map((plane) => cut(plane, outer, inner));
  return drive(asGiven(planes, { planes: given }, known.seen, keepGrain), { signal });
}
