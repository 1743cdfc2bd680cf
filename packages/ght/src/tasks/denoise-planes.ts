import type { Denoiser, TileProgress, TileWatch } from '../denoisers/denoiser.js';
import type { PlanesFrame, PlanesNoise } from '../denoisers/frame.js';
import { blockExtents, framedTile, frameOf, leaveFrame, planeFor } from '../denoisers/frame.js';
import { type Placement, tileSide, tilesOf } from '../denoisers/tiles.js';
import type { EngineInfo, LoadedDenoiser } from '../engines/engine.js';
import type { EngineName } from '../engines/engines.js';
import { chooseEngine, usualEngine } from '../engines/engines.js';
import { oneOf, wholeNumber } from '../errors.js';
import type { Step } from '../groups/recipes.js';
import type { Samples } from '../signal/image.js';
import { copyOf } from '../signal/image.js';
import { allOf, cut, type Part, type Rectangle, type Size, within } from '../signal/rectangle.js';
import { drive } from '../work.js';
import { type DenoiseQuality, denoiseQualities, qualityDenoiser, qualityExtent } from './denoise-quality.js';

/** Checked options for planes, with all defaults. */
export interface PlanesSettings {
  readonly quality: DenoiseQuality;
  readonly engine: EngineName;
  /** Undefined for the number of cores, or 1 for a small image. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TileProgress) => void;
  /** The side of the tiles. Undefined for one tile, or for tiles that need at most about a gibibyte. */
  readonly tile?: number;
}

/** Denoised planes, and the engine that computed them. */
export interface DenoisedPlanes {
  readonly planes: Samples[];
  /** Which planes had noise to remove; the others are copies of the input. */
  readonly noisy: readonly boolean[];
  readonly engine: EngineInfo;
}

/**
 * The approximate number of bytes that denoising needs in addition to the image: the result, and the passes of one tile.
 *
 * @param quality the quality that is used for denoising. @default 'balanced'
 * @param engine the engine that computes the result. @default 'auto'
 */
export function denoiseMemoryEstimate(
  width: number,
  height: number,
  channels: number,
  quality: DenoiseQuality = 'balanced',
  engine: EngineName = 'auto',
): number {
  for (const [name, value] of Object.entries({ width, height, channels })) {
    wholeNumber(name, value, 1, Number.POSITIVE_INFINITY, 'give the size of the image');
  }
  const { margin, bytes } = qualityExtent(usualEngine(engine), oneOf('quality', quality, denoiseQualities));
  const side = tileSide({ margin, bytes }, width, height, channels) + 2 * margin;
  return 4 * width * height * channels + bytes(Math.min(width, side), Math.min(height, side), channels);
}

/** The denoiser of a quality for an image of this size, on the engine that is chosen for it. */
export async function loadDenoiser(
  { width, height }: Size,
  noise: 'white' | 'coloured',
  { quality, engine: name, threads }: PlanesSettings,
): Promise<LoadedDenoiser> {
  const { engine, reason } = await chooseEngine(name);
  return qualityDenoiser(engine, quality, noise, width * height, { threads, reason });
}

/**
 * Removes noise from planes, with one global threshold over all of them: each is measured in units of its noise, separately at
 * every frequency if the noise is not white. Groups of patches are found on the first plane and used on all. Values may have any
 * scale, and are neither clipped nor rounded. A plane without noise is returned as a copy.
 */
export async function denoisePlanes(
  planes: readonly Samples[],
  width: number,
  height: number,
  noise: PlanesNoise,
  settings: PlanesSettings,
): Promise<DenoisedPlanes> {
  const whole = allOf({ width, height });
  const denoiser = await loadDenoiser(whole, 'sigma' in noise ? 'white' : 'coloured', settings);
  const denoised = await denoiseBy(denoiser, planes, width, height, noise, settings);
  return { ...denoised, engine: denoiser.info };
}

/** Loads a recipe into an engine, for pictures of this size. */
export async function recipeFor(
  recipe: readonly Step[],
  { width, height }: Size,
  { engine: name, threads }: Pick<PlanesSettings, 'engine' | 'threads'>,
): Promise<LoadedDenoiser> {
  const { engine, reason } = await chooseEngine(name);
  return engine.denoiser(recipe, width * height, { threads, reason });
}

/** {@link denoisePlanes} by a denoiser that is loaded already. */
export async function denoiseBy(
  denoiser: Denoiser,
  planes: readonly Samples[],
  width: number,
  height: number,
  noise: PlanesNoise,
  { signal, onProgress, tile }: Pick<PlanesSettings, 'signal' | 'onProgress' | 'tile'>,
): Promise<Omit<DenoisedPlanes, 'engine'>> {
  const whole = allOf({ width, height });
  const framed = frameOf(await drive(blockExtents(planes, whole), { signal }), width * height, noise);
  const side = tile ?? tileSide(denoiser, width, height, planes.length);
  const tiles = tilesOf(denoiser, width, height, side);
  const denoised = await denoiseTiles(denoiser, { at: whole, planes }, framed, tiles, whole, { signal, onProgress });
  onProgress?.({ fraction: 1, pass: denoiser.passes[denoiser.passes.length - 1] });
  return { planes: denoised, noisy: framed.noisy };
}

/** Denoises the tiles of a part of planes that have this frame, and returns the rectangle `kept`, which the tiles fill. */
export async function denoiseTiles(
  denoiser: Denoiser,
  { at, planes }: Part,
  { frame, noisy }: PlanesFrame,
  tiles: readonly Placement[],
  kept: Rectangle,
  { signal, onProgress }: TileWatch,
): Promise<Samples[]> {
  const result = planes.map((plane, c) =>
    noisy[c] ? planeFor(frame, c, kept.width * kept.height) : copyOf(cut(plane, at, kept)),
  );
  const placements = noisy.includes(true) ? tiles : [];
  for (const [i, placement] of placements.entries()) {
    const framed = framedTile(
      frame,
      planes,
      at.width,
      within(placement.outer, at),
      denoiser.least,
      within(placement.inner, placement.outer),
    );
    const tell =
      onProgress && ((now: TileProgress) => onProgress({ ...now, fraction: (i + now.fraction) / placements.length }));
    const denoised = await denoiser.run(framed, { signal, onProgress: tell });
    for (const [c, plane] of result.entries()) {
      if (!noisy[c]) continue;
      await drive(leaveFrame(frame, c, denoised[c], framed.width, placement, plane, kept), { signal });
    }
  }
  return result;
}
