import {
  deblur,
  describeBySubject,
  type Image,
  inpaint,
  psnr,
  type RestoreProgress,
  type Restored as Result,
  upscale,
} from 'ght';
import type { Size } from '../image/header.js';
import { cutOut } from './cut-out.js';
import { shapedKernel } from './kernels.js';
import { pictureOf } from './layers.js';
import { checkRestorationMemory, enlarged } from './memory-limit.js';
import type { Requests, Restoration, Restored, WindowResult } from './protocol.js';
import type { Call, Session } from './session.js';

/** Restores the open image, and measures the result if that image is right where pixels were missing. */
export async function runRestore(session: Session, ask: Restoration, call: Call): Promise<Restored> {
  const { image } = session.opened;
  const size = { ...image, channels: image.planes.length };
  checkRestorationMemory(size, loopSize(size, ask), ask.quality);
  const start = performance.now();
  const result = await restored(image, ask, call);
  call.signal.throwIfAborted();
  const seconds = (performance.now() - start) / 1000;
  session.images.set('restored', result.image);
  const truth = ask.task === 'inpaint' && ask.truth;
  return {
    picture: pictureOf(result.image, session.floor),
    sigma: result.sigma,
    messages: messagesOf(result),
    engine: result.engine,
    seconds,
    psnr: truth ? psnr(result.image, image) : null,
  };
}

/** Restores a window of the image alone: quick, and almost what the whole image will have there. */
export async function runRestoreWindow(
  session: Session,
  { window, ...ask }: Requests['restoreWindow']['ask'],
  call: Call,
): Promise<WindowResult> {
  const { image } = session.opened;
  const result = await restored(cutOut(image, window), ask, { ...call, tell: () => {} });
  const found = { looks: [], messages: messagesOf(result), changed: true };
  return { ...window, layer: pictureOf(result.image, session.floor), found };
}

/** What a restoration found and what may be wrong; the noise has a place of its own. */
function messagesOf(result: Result): string[] {
  const { blur, missing, warning } = describeBySubject(result);
  const sentences = [blur && `Found: ${blur}`, missing && `Missing: ${missing}`, warning && `Note: ${warning}`];
  return sentences.filter((text) => text !== undefined && text !== '').map((text) => `${text}.`);
}

function restored(image: Image, ask: Restoration, { signal, tell }: Call): Promise<Result> {
  const onProgress = ({ fraction, step, steps }: RestoreProgress) =>
    tell({ kind: 'progress', fraction, doing: step > 0 ? `step ${step} of ${steps}` : 'preparing' });
  const { engine, quality } = ask;
  const options = { engine, quality, signal, onProgress };
  if (ask.task === 'inpaint') return inpaint(image, ask.missing, options);
  if (ask.task === 'upscale') return upscale(image, ask.factor, options);
  const { kernel, sigma } = ask;
  const weights = typeof kernel === 'object' && 'kind' in kernel ? shapedKernel(kernel) : kernel;
  return deblur(image, weights, { ...options, sigma });
}

/** How far from a missing pixel the library uses the picture, in pixels. */
const MARGIN = 64;

/** The size of the picture that the loop of a restoration works on. */
function loopSize(size: Size, ask: Restoration): Size {
  if (ask.task === 'upscale') return enlarged(size, ask.factor);
  return ask.task === 'inpaint' ? sizeAround(ask.missing, size) : size;
}

/** The size of the part with missing pixels, and of its surroundings. */
function sizeAround(missing: Uint8Array, { width, height, channels }: Size): Size {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (missing[i] === 0) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  const side = (from: number, to: number, most: number) => Math.min(most, Math.max(1, to - from + 1 + 2 * MARGIN));
  return { width: side(left, right, width), height: side(top, bottom, height), channels };
}
