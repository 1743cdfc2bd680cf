import type { Denoiser, Tile, TilePages, TileProgress, TileWatch } from '../../denoisers/denoiser.js';
import type { PlanesFrame } from '../../denoisers/frame.js';
import { framedTile, leaveFrame, planeFor } from '../../denoisers/frame.js';
import type { Step } from '../../denoisers/groups/recipes.js';
import type { Weights } from '../../denoisers/learned/shipped.js';
import type { Placement } from '../../denoisers/tiles.js';
import type { Engine, LoadedDenoiser } from '../../engines/engine.js';
import type { EngineName } from '../../engines/engines.js';
import { type Choice, onEngine, replacementFor, type Wanted } from '../../engines/engines.js';
import { EngineFailure } from '../../errors.js';
import type { Samples } from '../../image/image.js';
import { copyOf } from '../../image/image.js';
import { cut, type Part, type Rectangle, type Size, within } from '../../image/rectangle.js';
import { drive, part } from '../../work.js';
import { type Quality, qualityDenoiser, qualityEffort } from './quality.js';

/** Checked options for planes, with all defaults. */
export interface PlanesSettings {
  readonly quality: Quality;
  /** Whether the qualities with the learned model use the one for colour pictures. */
  readonly colour?: boolean;
  readonly engine: EngineName;
  /** Undefined for the number of cores, or 1 for a small image. */
  readonly threads?: number;
  readonly worker?: string | URL;
  readonly weights?: Weights;
  readonly colourWeights?: Weights;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TileProgress) => void;
  /** The side of the tiles. Undefined for one tile, or for tiles that need at most about a gibibyte. */
  readonly tile?: number;
}

/**
 * The denoiser of a quality for an image of this size, on the engine that is chosen for it. `planes` is the number of planes if all of
 * the image is denoised here; otherwise `auto` is the CPU.
 */
export function loadDenoiser(
  { width, height }: Size,
  noise: 'white' | 'coloured',
  { quality, colour, engine, threads, worker, weights, colourWeights }: PlanesSettings,
  planes?: number,
): Promise<LoadedDenoiser> {
  const seconds = SECONDS_PER_EFFORT * qualityEffort(quality, noise) * width * height * (planes ?? 0);
  const work = planes === undefined ? undefined : ({ kind: 'denoise', seconds } as const);
  const options = { threads, worker };
  return replaceable(engine, work, (chosen) =>
    qualityDenoiser(chosen, quality, noise, width * height, options, {
      weights: colour ? colourWeights : weights,
      colour,
    }),
  );
}

/** Loads a recipe into an engine, for pictures of this size. */
export function recipeFor(
  recipe: readonly Step[],
  { width, height }: Size,
  { engine, threads, worker }: Pick<PlanesSettings, 'engine' | 'threads' | 'worker'>,
): Promise<LoadedDenoiser> {
  return replaceable(engine, undefined, (chosen) => chosen.denoiser(recipe, width * height, { threads, worker }));
}

/** A denoiser on the engine of that name; if the engine fails, the tile is done again on the CPU, and so are those that follow. */
async function replaceable(
  name: EngineName,
  work: Wanted['work'] | undefined,
  load: (engine: Engine) => Promise<LoadedDenoiser>,
): Promise<LoadedDenoiser> {
  const loadInto = async ({ engine, fallbackReason }: Choice) => {
    const { info, ...denoiser } = await load(engine);
    return { ...denoiser, info: { ...info, fallbackReason } };
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
        denoiser = await loadInto(await replacementFor(error));
        return denoiser.run(tile, watch);
      }
    },
  };
}

/** Seconds per pixel and unit of effort on one core, as measured on a megapixel. */
const SECONDS_PER_EFFORT = 6e-11;

/**
 * Denoises the tiles of a part of planes that have this frame, and returns the rectangle `kept`, which the tiles fill: all planes with the
 * groups that are found on the first, or each alone.
 */
export async function denoiseTiles(
  denoiser: Denoiser,
  { at, planes }: Part,
  framed: PlanesFrame,
  tiles: readonly Placement[],
  kept: Rectangle,
  watch: TileWatch,
  alone = false,
): Promise<Samples[]> {
  const [result] = await denoiseStack(denoiser, { at, stack: [planes] }, framed, tiles, kept, watch, alone);
  return result;
}

/** The same part of the pages of a series. */
export interface StackPart {
  readonly at: Rectangle;
  /** The planes of each page. */
  readonly stack: readonly (readonly Samples[])[];
  /** What is known about the pages. @default there is one */
  readonly pages?: TilePages;
}

/** The same for the pages of a series that are kept: those of a stack follow each other in every tile. */
export async function denoiseStack(
  denoiser: Denoiser,
  { at, stack, pages }: StackPart,
  { frame, noisy }: PlanesFrame,
  tiles: readonly Placement[],
  kept: Rectangle,
  { signal, onProgress }: TileWatch,
  alone = false,
): Promise<Samples[][]> {
  const [from, to] = pages?.kept ?? [0, 1];
  const results = stack
    .slice(from, to)
    .map((planes) =>
      planes.map((plane, c) =>
        noisy[c] ? planeFor(frame, c, kept.width * kept.height) : copyOf(cut(plane, at, kept)),
      ),
    );
  const all = [...noisy.keys()];
  const sets = alone ? all.filter((c) => noisy[c]).map((c) => [c]) : noisy.includes(true) ? [all] : [];
  const runs = tiles.flatMap((placement) => sets.map((set) => ({ placement, set })));
  for (const [i, { placement, set }] of runs.entries()) {
    const { inner, outer } = placement;
    const own = framePart(frame, set);
    const parts = stack.map((planes) => {
      const some = set.map((c) => planes[c]);
      return framedTile(own, some, at.width, within(outer, at), denoiser.least, within(inner, outer));
    });
    const [{ width, height }] = parts;
    const tell =
      onProgress && ((now: TileProgress) => onProgress({ ...now, fraction: (i + now.fraction) / runs.length }));
    const denoised = await denoiser.run(pages ? stackedTile(parts, pages, outer) : parts[0], {
      signal,
      onProgress: tell,
    });
    for (const [k, planes] of results.entries()) {
      const first = (from + k) * width * height;
      for (const [d, c] of set.entries()) {
        if (!noisy[c]) continue;
        const page = denoised[d].subarray(first, first + width * height);
        await drive(leaveFrame(frame, c, page, width, placement, planes[c], kept), { signal });
      }
    }
  }
  return results;
}

/** Parts of pages below each other as one tile. */
function stackedTile(parts: readonly Tile[], pages: TilePages, { left, top }: Rectangle): Tile {
  const [{ width, height }] = parts;
  return {
    ...parts[0],
    pages: { ...pages, origin: [left, top] },
    height: height * parts.length,
    *read(c, into) {
      for (const [p, page] of parts.entries()) {
        const rows = into.subarray(p * width * height, (p + 1) * width * height);
        yield* part(page.read(c, rows), p / parts.length, (p + 1) / parts.length);
      }
    },
  };
}

/** The frame of some of the planes. */
function framePart(frame: PlanesFrame['frame'], set: readonly number[]): PlanesFrame['frame'] {
  if (set.length === frame.centres.length) return frame;
  return { centres: set.map((c) => frame.centres[c]), scales: set.map((c) => frame.scales[c]) };
}
