import { denoise, psnr, randomSource } from 'ght';
import { pictureOf } from './layers.js';
import { checkDenoisingMemory } from './memoryLimit.js';
import type { Denoised, Requests } from './protocol.js';
import { ssimOf } from './readings.js';
import type { Call, Session } from './session.js';

/** The open image with Gaussian noise of deviation σ, neither rounded nor clipped; the same noise every time. */
export function addNoise(session: Session, sigma: number): Requests['noise']['reply'] {
  const { image } = session.opened;
  const random = randomSource(1);
  const planes = image.planes.map((plane) => Float32Array.from(plane, (value) => value + sigma * random.normal()));
  const noisy = sigma === 0 ? image : { ...image, planes };
  session.images.set('noisy', noisy);
  return { picture: pictureOf(noisy, session.floor), psnr: sigma === 0 ? null : psnr(noisy, image) };
}

/** Denoises the open image, or the one with added noise, and measures it against the clean one if there is one. */
export async function runDenoise(session: Session, ask: Requests['denoise']['ask'], call: Call): Promise<Denoised> {
  const { image } = session.opened;
  const size = { ...image, channels: image.planes.length };
  checkDenoisingMemory(size, ask.quality);
  const noisyPsnr = addNoise(session, ask.noise).psnr;
  const noisy = session.image('noisy');
  const start = performance.now();
  const { sigma, strength, quality } = ask;
  // Added noise hides the traces of JPEG compression.
  const jpeg = ask.noise === 0 ? session.opened.jpeg : 'none';
  const onProgress = ({ fraction }: { readonly fraction: number }) => call.tell({ kind: 'progress', fraction });
  const result = await denoise(noisy, { sigma, strength, jpeg, quality, signal: call.signal, onProgress });
  call.signal.throwIfAborted();
  const seconds = (performance.now() - start) / 1000;
  session.images.set('denoised', result.image);
  const clean = noisyPsnr !== null;
  return {
    picture: pictureOf(result.image, session.floor),
    words: result.words,
    changed: result.changed,
    seconds,
    noisyPsnr,
    psnr: clean ? psnr(result.image, image) : null,
    ssim: clean ? await ssimOf(image, result.image, call.signal) : null,
  };
}
