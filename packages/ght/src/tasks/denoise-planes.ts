import type { Denoiser, TileProgress, TileWatch } from '../denoisers/denoiser.js';
import type { PlanesFrame, PlanesNoise } from '../denoisers/frame.js';
import { blockExtents, framedTile, frameOf, leaveFrame, planeFor } from '../denoisers/frame.js';
import { type Placement, tileSide, tilesOf } from '../denoisers/tiles.js';
import type { Engine, EngineInfo, LoadedDenoiser } from '../engines/engine.js';
import type { EngineName } from '../engines/engines.js';
import { type Choice, insteadOf, onEngine, usualEngine, type Wanted } from '../engines/engines.js';
import { EngineFailure, oneOf, wholeNumber } from '../errors.js';
import type { Step } from '../groups/recipes.js';
import type { Samples } from '../signal/image.js';
import { copyOf } from '../signal/image.js';
import { allOf, cut, type Part, type Rectangle, type Size, within } from '../signal/rectangle.js';
import { drive } from '../work.js';
import {
  type DenoiseQuality,
  denoiseQualities,
  qualityDenoiser,
  qualityEffort,
  qualityExtent,
} from './denoise-quality.js';

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
  const given = oneOf('quality', quality, denoiseQualities);
  // For coloured noise, finest takes the place of learned.
  const { margin, bytes } = qualityExtent(usualEngine(engine), given === 'learned' ? 'finest' : given);
  const side = tileSide({ margin, bytes }, width, height, channels) + 2 * margin;
  return 4 * width * height * channels + bytes(Math.min(width, side), Math.min(height, side), channels);
}

/** The denoiser of a quality for an image of this size, on the engine that is chosen for it; `auto` is the CPU. */
export function loadDenoiser(
  size: Size,
  noise: 'white' | 'coloured',
  settings: PlanesSettings,
): Promise<LoadedDenoiser> {
  return qualityFor(size, noise, settings);
}

function qualityFor(
  { width, height }: Size,
  noise: 'white' | 'coloured',
  { quality, engine, threads }: PlanesSettings,
  work?: Wanted['work'],
): Promise<LoadedDenoiser> {
  return replaceable(engine, work, (chosen) => qualityDenoiser(chosen, quality, noise, width * height, { threads }));
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
  const kind = 'sigma' in noise ? 'white' : 'coloured';
  const seconds = SECONDS_PER_EFFORT * qualityEffort(settings.quality, kind) * width * height * planes.length;
  const denoiser = await qualityFor(whole, kind, settings, { kind: 'denoise', seconds });
  const denoised = await denoiseBy(denoiser, planes, width, height, noise, settings);
  return { ...denoised, engine: denoiser.info };
}

/** Loads a recipe into an engine, for pictures of this size. */
export function recipeFor(
  recipe: readonly Step[],
  { width, height }: Size,
  { engine, threads }: Pick<PlanesSettings, 'engine' | 'threads'>,
): Promise<LoadedDenoiser> {
  return replaceable(engine, undefined, (chosen) => chosen.denoiser(recipe, width * height, { threads }));
}

/** A denoiser on the engine of that name; if the engine fails, the tile is done again on the CPU, and so are those that follow. */
async function replaceable(
  name: EngineName,
  work: Wanted['work'],
  load: (engine: Engine) => Promise<LoadedDenoiser>,
): Promise<LoadedDenoiser> {
  const loadInto = async ({ engine, instead }: Choice) => {
    const { info, ...denoiser } = await load(engine);
    return { ...denoiser, info: { ...info, instead } };
  };
  let denoiser = await onEngine(name, { work }, loadInto);
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
        denoiser = await loadInto(await insteadOf(error));
        return denoiser.run(tile, watch);
      }
    },
  };
}

/** Seconds per pixel and unit of effort on one core, as measured on a megapixel. */
const SECONDS_PER_EFFORT = 6e-11;

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
