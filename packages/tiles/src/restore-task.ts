/** Restoring images in stores: the prior works in tiles, and the rest in one place. */

import {
  type BlurKernel,
  type DeblurOptions,
  type Image,
  type InpaintOptions,
  InputError,
  type UpscaleOptions,
} from 'ght';
import * as check from 'ght/check';
import {
  cut,
  DenoiserCache,
  deblurring,
  drive,
  enlargedSize,
  findAndKeep,
  gridOf,
  inpainting,
  type RestorationProblem,
  type RestoreContext,
  type RestoreResult,
  resolveRestoreOptions,
  restorePlan,
  upscaling,
  withoutNoise,
} from 'ght/plans';
import { fullScale, rangeOf } from 'ght-images';
import type { Picture } from './picture.js';
import { PIECE, scratchPlanes } from './pieces.js';
import { checkTile, type ImageNames, namesOf, optionsOf, type TiledTask, tiledTask } from './plan.js';
import type { Source } from './source.js';

/** Options without what cannot be sent. */
type Plain<Options> = Omit<Options, 'prior' | 'signal' | 'onProgress'>;

/**
 * What is restored, with the options of `inpaint`, `deblur` and `upscale`. In the mask, pixels are missing that are not 0 in some channel,
 * and not transparent. Without a mask those are missing that are transparent or NaN.
 */
export type RestoreTask<Mask> =
  | { readonly task: 'inpaint'; readonly mask?: Mask; readonly options?: Plain<InpaintOptions> }
  | { readonly task: 'deblur'; readonly kernel: BlurKernel | 'auto'; readonly options?: Plain<DeblurOptions> }
  | { readonly task: 'upscale'; readonly factor: number; readonly options?: Plain<UpscaleOptions> };

/** What is restored, and where the result goes. The mask is the name of an image. */
export type RestoreRequest = ImageNames &
  RestoreTask<string> & {
    /** The side of the tiles in pixels. @default what about 512 MiB allow */
    readonly tile?: number;
  };

/** The options that a task has besides those of all restorations. */
const OWN_OPTIONS = { inpaint: ['sigma'], deblur: ['sigma', 'jpeg'], upscale: ['sigma', 'blur', 'jpeg'] } as const;

const weights: check.Check<BlurKernel> = check.record<BlurKernel>({
  width: check.whole(1),
  height: check.whole(1),
  data: (value, name) =>
    Array.isArray(value) ? check.listOf(check.number)(value, name) : check.numbers()(value, name),
});
const kernel: check.Check<BlurKernel | 'auto'> = (value, name) => (value === 'auto' ? value : weights(value, name));
const base = { ...namesOf, options: optionsOf() };
const requests = {
  inpaint: check.record({ ...base, task: check.oneOf('inpaint'), mask: check.optional(check.text()) }),
  deblur: check.record({ ...base, task: check.oneOf('deblur'), kernel }),
  upscale: check.record({ ...base, task: check.oneOf('upscale'), factor: check.finite }),
};
const checkRequest: check.Check<RestoreRequest> = (value, name) => {
  const names = ['inpaint', 'deblur', 'upscale'] as const;
  const { task } = check.record({ task: check.oneOf(...names) })(value, name);
  return requests[task](value, name);
};

/** What is kept of a run from part to part: the memory of the prior, and the image while whole planes are worked on. */
interface Kept {
  readonly run: string;
  readonly denoisers: DenoiserCache;
  /** The image, and the problem with the mask that was read. */
  loaded?: Promise<{ readonly image: Image; readonly problem: RestorationProblem }>;
  opened?: ReturnType<RestoreContext['open']>;
}

/** The task of restoring an image. One task works on one part at a time. */
export function restoreTask(): TiledTask<RestoreRequest, RestoreContext, RestoreResult> {
  let last: Kept | undefined;
  return tiledTask(restorePlan, checkRequest, async (request, places): Promise<RestoreContext> => {
    const { input, output, tile } = request;
    checkTile(tile);
    const source = await places.source(input);
    const mask = request.task === 'inpaint' && request.mask ? await places.source(request.mask) : undefined;
    const sink = await places.sink(output);
    const run = JSON.stringify([request, source.version, mask?.version]);
    if (last?.run !== run) last = { run, denoisers: new DenoiserCache() };
    const kept = last;
    const load = async (signal?: AbortSignal) => {
      const missing = mask ? await maskOf(mask, source.picture, signal) : 'auto';
      return { image: await imageOf(source, signal), problem: problemOf(source.picture, request, missing) };
    };
    const loaded = (signal?: AbortSignal) => {
      kept.loaded ??= load(signal);
      // What was stopped is read again the next time.
      kept.loaded.catch(() => {
        kept.loaded = undefined;
      });
      return kept.loaded;
    };
    const open: RestoreContext['open'] = async (found, signal) => {
      const { image, problem } = await loaded(signal);
      return drive(problem.open(await withoutNoise(image, found, planes), found), { signal });
    };
    const side = Math.min(PIECE, tile ?? PIECE);
    const chunk = { width: side, height: side };
    const planes = scratchPlanes(() => places.scratch(output), chunk);
    const settings = resolveRestoreOptions(request.task, request.options ?? {}, OWN_OPTIONS[request.task]);
    return {
      settings,
      problem: problemOf(source.picture, request, 'auto'),
      denoisers: kept.denoisers,
      tiles: { chunk, side: tile },
      planes,
      async find(watch) {
        const { image, problem } = await loaded(watch.signal);
        return findAndKeep(problem, image, settings, planes, watch);
      },
      async open(found, signal) {
        kept.opened ??= open(found, signal);
        // What was stopped is opened again the next time.
        kept.opened.catch(() => {
          kept.opened = undefined;
        });
        return kept.opened;
      },
      close() {
        kept.loaded = undefined;
        kept.opened = undefined;
      },
      async write({ planes, alpha, ...size }, signal) {
        const all = { left: 0, top: 0, ...size };
        const samples = alpha ? [...planes, alpha] : planes;
        for (const band of gridOf(size, { width: size.width, height: sink.chunk.height })) {
          signal?.throwIfAborted();
          await sink.write(
            band,
            samples.map((plane) => cut(plane, all, band)),
          );
        }
        await sink.finish(signal);
      },
    };
  });
}

function problemOf(picture: Picture, request: RestoreRequest, mask: Uint8Array | 'auto'): RestorationProblem {
  if (request.task === 'inpaint') return inpainting(mask, request.options?.sigma);
  if (request.task === 'deblur') return deblurring(picture, request.kernel, request.options);
  return upscaling(picture, request.factor, request.options);
}

/** What is known about the result of a restoration. */
export function restoredPicture(picture: Picture, what: RestoreTask<unknown>): Picture {
  return what.task === 'upscale' ? { ...picture, ...enlargedSize(picture, what.factor) } : picture;
}

/** All of an image, as files are read. */
async function imageOf({ picture, read }: Source, signal?: AbortSignal): Promise<Image> {
  const { width, height, channels } = picture;
  const samples = await read({ left: 0, top: 0, width, height }, signal);
  const [planes, [alpha]] = [samples.slice(0, channels), samples.slice(channels)];
  return { width, height, planes, peak: fullScale(picture, () => rangeOf(planes)), ...(alpha && { alpha }) };
}

/** The mask in an image: 1 for each pixel that is not 0 in some channel, and not transparent. */
async function maskOf({ picture, read }: Source, { width, height }: Picture, signal?: AbortSignal) {
  if (picture.width !== width || picture.height !== height) {
    const rule = `must have the size of the image, ${width}×${height}`;
    const value = `${picture.width}×${picture.height}`;
    throw new InputError('mask', rule, value, 'give a mask that was made for this image');
  }
  const samples = await read({ left: 0, top: 0, width, height }, signal);
  const [planes, [alpha]] = [samples.slice(0, picture.channels), samples.slice(picture.channels)];
  return Uint8Array.from({ length: width * height }, (_, i) =>
    Number(alpha?.[i] !== 0 && planes.some((plane) => plane[i] !== 0)),
  );
}
