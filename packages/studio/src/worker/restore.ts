import { deblur, inpaint, psnr, type RestoreProgress, type Restored as Result, upscale } from 'ght';
import { shapedKernel } from './kernels.js';
import { pictureOf } from './layers.js';
import { checkRestorationMemory } from './memoryLimit.js';
import type { Restoration, Restored } from './protocol.js';
import { ssimOf } from './readings.js';
import type { Call, Session } from './session.js';

/** Restores the open image, and measures the result if that image is right where pixels were missing. */
export async function runRestore(session: Session, ask: Restoration, call: Call): Promise<Restored> {
  const { image } = session.opened;
  const size = { ...image, channels: image.planes.length };
  checkRestorationMemory(size, ask.task === 'upscale' ? ask.factor : 1, ask.quality);
  const start = performance.now();
  const result = await restored(session, ask, call);
  call.signal.throwIfAborted();
  const seconds = (performance.now() - start) / 1000;
  session.images.set('restored', result.image);
  const truth = ask.task === 'inpaint' && ask.truth;
  return {
    picture: pictureOf(result.image, session.floor),
    sigma: result.sigma,
    seconds,
    psnr: truth ? psnr(result.image, image) : null,
    ssim: truth ? await ssimOf(image, result.image, call.signal) : null,
  };
}

function restored({ opened: { image } }: Session, ask: Restoration, { signal, tell }: Call): Promise<Result> {
  const onProgress = ({ fraction, step, steps }: RestoreProgress) =>
    tell({ kind: 'progress', fraction, doing: step > 0 ? `step ${step} of ${steps}` : 'preparing' });
  const options = { quality: ask.quality, signal, onProgress };
  if (ask.task === 'inpaint') return inpaint(image, ask.missing, options);
  if (ask.task === 'upscale') return upscale(image, ask.factor, options);
  const { kernel, sigma } = ask;
  return deblur(image, 'kind' in kernel ? shapedKernel(kernel) : kernel, { ...options, sigma });
}
