/**
 * Denoising as passes over tiles, with the bits of `denoise` on the whole image:
 *
 *     look → estimate → (coarse-measure → coarse → estimate-again) → measure → denoise → finish
 *
 * The passes in brackets are for coloured noise that is estimated. Every pass depends on the answers of those before it, which are
 * small: ranges, sums and the noise. The coarse scale is stored in the scratch, in pieces of 512×512 samples.
 */
import type { DenoiseOptions, EngineInfo, Samples } from 'ght';
import {
  coarseSettings,
  type DenoiseSettings,
  denoiseHalves,
  denoisePart,
  drive,
  type Extent,
  findAgain,
  findInSample,
  frameOfHalves,
  frameOfImage,
  gridOf,
  halfSize,
  isChanged,
  isEstimatedColour,
  type Known,
  type LoadedDenoiser,
  loadDenoiser,
  lookAt,
  measure,
  measuredParts,
  measureHalves,
  type NoiseReport,
  type PartedImage,
  type PlanesFrame,
  place,
  placementOf,
  planesFor,
  qualityEffort,
  type Rectangle,
  reportOf,
  type Seen,
  type Size,
  seenInAll,
  settleDenoise,
} from 'ght/parts';
import { sideOf, stepOf } from './denoise-tiles.js';
import { checkTile, data, partedImage, pass, told } from './pass.js';
import type { Picture } from './picture.js';
import type { Data, Job, Places, Plan } from './plan.js';
import type { Source } from './source.js';

/** What is denoised, and where the result goes. */
export type DenoiseRequest = {
  /** The name of the image to read. */
  readonly input: string;
  /** The name of the image to write, which was created before. */
  readonly output: string;
  /** The options of `denoise` but `signal` and `onProgress`. @default {} */
  readonly options?: { readonly [name: string]: Data | undefined };
  /** The side of the tiles in pixels, rounded down to whole chunks of the output, at least one. @default what about 512 MiB allow */
  readonly tile?: number;
  /** The most pixels that the noise is estimated from. @default 2^24 */
  readonly sampled?: number;
};

/** What was removed from an image that was denoised in tiles. */
export interface DenoisedTiles extends NoiseReport {
  /** Whether the noise was estimated from the image. */
  readonly estimated: boolean;
  /** Whether the result differs from the input. */
  readonly changed: boolean;
  /** The engine that computed the result where the run began, and why it was chosen. */
  readonly engine: EngineInfo;
}

/** The shares of the passes that only read the image. */
const SHARES = { look: 0.02, estimate: 0.02, measure: 0.02, finish: 0.02 } as const;
/** The side of the pieces in which the coarse scale is stored. */
const PIECE = 512;

/** What all tiles of the coarse scale are told. */
interface CoarseArgument {
  readonly known: Known;
  readonly framed: PlanesFrame;
  readonly step: Size;
}

/** What all tiles are told. */
interface FineArgument {
  readonly known: Known;
  readonly framed: PlanesFrame;
  readonly step: Size;
  readonly changed: boolean;
  readonly coarse?: CoarseArgument;
}

/** The plan of denoising. One plan keeps the memory of one denoiser from tile to tile. */
export function denoisePlan(): Plan<DenoiseRequest, DenoisedTiles> {
  const denoisers = denoiserShelf();
  const opened = async (request: DenoiseRequest, places: Places, signal?: AbortSignal) => {
    const source = await places.source(request.input);
    return { source, image: partedImage(source, signal), settings: settingsOf(request, source.picture, signal) };
  };
  return {
    name: 'denoise',
    async *passes(request, places) {
      checkTile(request.tile);
      const { source, image, settings } = await opened(request, places);
      const { chunk } = await places.sink(request.output);
      const parts = measuredParts(image);
      const looked = yield pass('look', SHARES.look, parts.length);
      const seen = seenInAll(looked as unknown as Seen[]);
      const peak = peakOf(source.picture, seen);
      const planes = seen.copies ? 1 : seen.channels;
      const found = yield pass('estimate', SHARES.estimate, 1, { seen, peak });
      const known = found[0] as unknown as Known;
      const kind = known.estimate.model.kind === 'coloured' ? 'coloured' : 'white';
      let { estimate } = known;
      let coarse: CoarseArgument | undefined;
      const again = isEstimatedColour(known.estimate.model, settings.told);
      let left = 1 - SHARES.look - SHARES.estimate - SHARES.measure - SHARES.finish;
      if (again) left -= SHARES.estimate;
      if (known.coarse) {
        left -= SHARES.measure;
        const half = halfSize(image);
        const denoiser = await loadDenoiser(half, 'coloured', coarseSettings(settings.planes));
        const measured = yield pass('coarse-measure', SHARES.measure, measuredParts(half).length, { known });
        const framed = frameOfHalves(image, measured as unknown as Extent[][][], known.coarse);
        const side = sideOf(denoiser, half, planes, request.tile);
        const step = stepOf(side, { width: Math.min(side, PIECE), height: Math.min(side, PIECE) });
        coarse = { known, framed, step };
        const fine = qualityEffort(planesFor(estimate.model, seen, settings).quality, kind);
        const share = (left * denoiser.effort) / (denoiser.effort + 4 * fine);
        left -= share;
        yield pass('coarse', share, gridOf(half, step).length, coarse);
      }
      if (again) {
        const [answer] = yield pass('estimate-again', SHARES.estimate, 1, { known, coarse });
        estimate = answer as unknown as Known['estimate'];
      }
      const fine = await loadDenoiser(image, kind, planesFor(estimate.model, seen, settings));
      const measured = (yield pass('measure', SHARES.measure, parts.length, {
        known,
        coarse,
      })) as unknown as Measured[];
      const framed = frameOfImage(
        image,
        measured.map(({ extents }) => extents),
        estimate,
        settings,
      );
      const impulses = measured.reduce((sum, each) => sum + each.impulses, 0);
      const changed = isChanged(framed, known, impulses);
      const step = stepOf(sideOf(fine, image, planes, request.tile), chunk);
      const argument = { known: { ...known, estimate }, framed, step, changed, coarse };
      yield pass('denoise', left, gridOf(image, step).length, argument);
      yield pass('finish', SHARES.finish, 1);
      if (coarse) await (await places.scratch(request.output)).clear();
      const report = reportOf(image, seen, known.defects, impulses, estimate, settings);
      return { ...report, estimated: settings.told === undefined, changed, engine: fine.info };
    },
    work: {
      async look(request, { tile, signal, onFraction }, places) {
        const { image } = await opened(request, places, signal);
        const at = measuredParts(image)[tile];
        return data(await drive(lookAt({ at, planes: await image.read(at) }), { signal, onFraction }));
      },
      async estimate(request, { argument, signal }, places) {
        const { image, settings } = await opened(request, places, signal);
        const { seen, peak } = told<{ seen: Seen; peak: number }>(argument);
        return data(await findInSample(image, seen, peak, settings));
      },
      async 'coarse-measure'(request, { tile, argument, signal }, places) {
        const { image } = await opened(request, places, signal);
        const { known } = told<{ known: Known }>(argument);
        return data(await measureHalves(image, known, measuredParts(halfSize(image))[tile], signal));
      },
      async coarse(request, job, places) {
        const at = await opened(request, places, job.signal);
        await denoiseCoarse(request, job, at, told(job.argument), places);
        return null;
      },
      async 'estimate-again'(request, job, places) {
        const at = await opened(request, places, job.signal);
        const { known, coarse } = told<{ known: Known; coarse?: CoarseArgument }>(job.argument);
        return data(await findAgain(at.image, known, at.settings, differences(request, job, at, coarse, places)));
      },
      async measure(request, job, places) {
        const at = await opened(request, places, job.signal);
        const { known, coarse } = told<{ known: Known; coarse?: CoarseArgument }>(job.argument);
        const read = differences(request, job, at, coarse, places);
        return data(await measure(at.image, known, measuredParts(at.image)[job.tile], read, job.signal));
      },
      async denoise(request, job, places) {
        const at = await opened(request, places, job.signal);
        const { image, settings, source } = at;
        const { known, framed, step, changed, coarse } = told<FineArgument>(job.argument);
        const inner = gridOf(image, step)[job.tile];
        const sink = await places.sink(request.output);
        // An interrupted run has written the same samples.
        if (await sink.has(inner)) return null;
        const given = changed && !source.picture.alpha ? [] : await source.read(inner, job.signal);
        const read = differences(request, job, at, coarse, places);
        const how = planesFor(known.estimate.model, known.seen, settings);
        const load = () => loadDenoiser(image, framed.frame.noise ? 'coloured' : 'white', how);
        const planes = changed
          ? await denoisers.use(`fine ${request.input} ${request.output}`, load, (denoiser) => {
              const placement = placementOf(denoiser, inner, image);
              return denoisePart(image, known, framed, placement, denoiser, read, settings, watchOf(job));
            })
          : given.slice(0, source.picture.channels);
        await sink.write(inner, [...planes, ...given.slice(source.picture.channels)]);
        return null;
      },
      async finish(request, { signal }, places) {
        await (await places.sink(request.output)).finish(signal);
        return null;
      },
    },
  };

  /** Denoises one tile of the half image and stores the differences in pieces. */
  async function denoiseCoarse(
    { input, output }: DenoiseRequest,
    job: Job,
    { image, settings }: Opened,
    { known, framed, step }: CoarseArgument,
    places: Places,
  ): Promise<void> {
    const half = halfSize(image);
    const inner = gridOf(half, step)[job.tile];
    const load = () => loadDenoiser(half, 'coloured', coarseSettings(settings.planes));
    const planes = await denoisers.use(`coarse ${input} ${output}`, load, (denoiser) => {
      return denoiseHalves(image, known, framed, placementOf(denoiser, inner, half), denoiser, watchOf(job));
    });
    const scratch = await places.scratch(output);
    for (const piece of gridOf(inner, pieceOf(step))) {
      const at = { ...piece, left: inner.left + piece.left, top: inner.top + piece.top };
      const samples = planes.map((plane) => {
        const part = new Float32Array(at.width * at.height);
        place(plane, inner, part, at);
        return part;
      });
      await scratch.put(pieceName(at), samples);
    }
  }

  /** Reads differences of the coarse scale from the scratch. A piece that is not there is computed again. */
  function differences(
    request: DenoiseRequest,
    job: Job,
    at: Opened,
    coarse: CoarseArgument | undefined,
    places: Places,
  ): (at: Rectangle) => Promise<readonly Samples[]> {
    return async (window) => {
      if (!coarse) return [];
      const { step, framed } = coarse;
      const half = halfSize(at.image);
      const scratch = await places.scratch(request.output);
      const planes = framed.noisy.map(() => new Float32Array(window.width * window.height));
      for (const piece of overlapping(half, pieceOf(step), window)) {
        let samples = await scratch.get(pieceName(piece));
        if (samples === undefined) {
          const columns = Math.ceil(half.width / step.width);
          const tile = Math.floor(piece.top / step.height) * columns + Math.floor(piece.left / step.width);
          await denoiseCoarse(request, { ...job, tile, onFraction: undefined }, at, coarse, places);
          samples = await scratch.get(pieceName(piece));
        }
        for (const [c, plane] of planes.entries()) place((samples as Float32Array[])[c], piece, plane, window);
      }
      return planes;
    };
  }
}

interface Opened {
  readonly source: Source;
  readonly image: PartedImage;
  readonly settings: DenoiseSettings;
}

interface Measured {
  readonly extents: Extent[][];
  readonly impulses: number;
}

function settingsOf({ options = {}, sampled }: DenoiseRequest, { channels }: Picture, signal?: AbortSignal) {
  const settings = settleDenoise(channels, { ...(options as DenoiseOptions), ...(signal && { signal }) });
  return sampled === undefined ? settings : { ...settings, sampled };
}

/** The value that counts as full scale: that of the type of 8- and 16-bit samples, and the range of all others. */
function peakOf({ sample, depth }: Picture, { least, most }: Seen): number {
  if (sample === 'uint' && depth <= 16) return 2 ** depth - 1;
  return most > least ? most - least : 1;
}

function pieceOf(step: Size): Size {
  return { width: Math.min(PIECE, step.width), height: Math.min(PIECE, step.height) };
}

const pieceName = ({ left, top }: Rectangle) => `coarse-${left}-${top}`;

/** The pieces that have pixels of a window. */
function overlapping(image: Size, piece: Size, { left, top, width, height }: Rectangle): Rectangle[] {
  const [right, bottom] = [Math.min(image.width, left + width), Math.min(image.height, top + height)];
  const first = { left: left - (left % piece.width), top: top - (top % piece.height) };
  const pieces: Rectangle[] = [];
  for (let y = first.top; y < bottom; y += piece.height) {
    for (let x = first.left; x < right; x += piece.width) {
      const [wide, high] = [Math.min(piece.width, image.width - x), Math.min(piece.height, image.height - y)];
      pieces.push({ left: x, top: y, width: wide, height: high });
    }
  }
  return pieces;
}

/** The progress of a tile. */
function watchOf({ signal, onFraction }: Job) {
  return { signal, onProgress: ({ fraction }: { fraction: number }) => onFraction?.(fraction) };
}

/**
 * Keeps one denoiser with its memory for the next tile: unused memories are collected late, and would accumulate. While it is in
 * use, another tile gets one of its own.
 */
function denoiserShelf() {
  let kept: { readonly name: string; readonly denoiser: LoadedDenoiser } | undefined;
  return {
    async use<T>(name: string, load: () => Promise<LoadedDenoiser>, work: (denoiser: LoadedDenoiser) => Promise<T>) {
      const denoiser = kept?.name === name ? kept.denoiser : await load();
      kept = undefined;
      try {
        return await work(denoiser);
      } finally {
        kept = { name, denoiser };
      }
    },
  };
}
