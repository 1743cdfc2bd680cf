import type { Denoiser, TileProgress, TileWatch } from '../denoisers/denoiser.js';
import type { PlanesFrame, PlanesNoise } from '../denoisers/frame.js';
import { blockExtents, framedTile, frameOf, leaveFrame, planeFor } from '../denoisers/frame.js';
import { type Placement, tileSide, tilesOf } from '../denoisers/tiles.js';
import type { Engine, EngineInfo, LoadedDenoiser } from '../engines/engine.js';
import type { EngineName } from '../engines/engines.js';
import { type Choice, insteadOf, onEngine, usualEngine, type Wanted } from '../engines/engines.js';
import { EngineFailure, oneOf, wholeNumber } from '../errors.js';
import { marginOf } from '../groups/extent.js';
import type { Quality, Step } from '../groups/recipes.js';
import { effortOf, qualities, recipeOf } from '../groups/recipes.js';
import type { Samples } from '../signal/image.js';
import { copyOf } from '../signal/image.js';
import { allOf, cut, type Part, type Rectangle, type Size, within } from '../signal/rectangle.js';
import { drive } from '../work.js';

/** Checked options for planes, with all defaults. */
export interface PlanesSettings {
  readonly quality: Quality;
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
  quality: Quality = 'balanced',
  engine: EngineName = 'auto',
): number {
  for (const [name, value] of Object.entries({ width, height, channels })) {
    wholeNumber(name, value, 1, Number.POSITIVE_INFINITY, 'give the size of the image');
  }
  const recipe = recipeOf(oneOf('quality', quality, qualities));
  return 4 * width * height * channels + tileBytes(usualEngine(engine), recipe, width, height, channels);
}

/** The bytes that an engine needs for one tile of an image of this size. */
function tileBytes(engine: Engine, recipe: readonly Step[], width: number, height: number, channels: number): number {
  const margin = marginOf(recipe);
  const bytes: Denoiser['bytes'] = (...size) => engine.recipeBytes(recipe, ...size);
  const side = tileSide({ margin, bytes }, width, height, channels) + 2 * margin;
  return bytes(Math.min(width, side), Math.min(height, side), channels);
}

/** The denoiser of a quality for an image of this size, on the engine that is chosen for it; `auto` is the CPU. */
export function loadDenoiser(
  size: Size,
  noise: 'white' | 'coloured',
  settings: PlanesSettings,
): Promise<LoadedDenoiser> {
  return recipeFor(recipeOf(settings.quality, noise), size, settings);
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
  const recipe = recipeOf(settings.quality, 'sigma' in noise ? 'white' : 'coloured');
  const seconds = secondsFor(recipe, width * height * planes.length);
  const denoiser = await recipeFor(recipe, whole, settings, { kind: 'denoise', seconds });
  const denoised = await denoiseBy(denoiser, planes, width, height, noise, settings);
  return { ...denoised, engine: denoiser.info };
}

/** Loads a recipe into an engine, for pictures of this size. */
export async function recipeFor(
  recipe: readonly Step[],
  { width, height }: Size,
  { engine: name, threads }: Pick<PlanesSettings, 'engine' | 'threads'>,
  work?: Wanted['work'],
): Promise<LoadedDenoiser> {
  const load = async ({ engine, instead }: Choice) => {
    const denoiser = await engine.denoiser(recipe, width * height, { threads });
    return { ...denoiser, info: { ...denoiser.info, instead } };
  };
  let denoiser = await onEngine(name, { work }, load);
  return {
    ...denoiser,
    get info() {
      return denoiser.info;
    },
    async run(tile, watch) {
      try {
        return await denoiser.run(tile, watch);
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        // The tile is done again, and those that follow stay on the CPU.
        denoiser = await load(await insteadOf(error));
        return denoiser.run(tile, watch);
      }
    },
  };
}

/** Seconds per unit of effort on one core, as measured on a megapixel. */
const SECONDS_PER_EFFORT = 6e-11;

/** About how long one core takes for a recipe. */
function secondsFor(recipe: readonly Step[], samples: number): number {
  return recipe.reduce((sum, step) => sum + effortOf(step), 0) * samples * SECONDS_PER_EFFORT;
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
