import type { Rectangle } from 'ght';
import { type DenoiseOptions, denoise, describe, type Image, psnr, randomSource, type Samples } from 'ght';
import colourWeights from 'ght-colour/colour.npz?url';
import { denoiseLarge, memorySink, memorySource, type Picture, type RunProgress } from 'ght-tiles/in-memory';
import { cutOut } from './cut-out.js';
import { pictureOf } from './layers.js';
import { checkDenoisingMemory } from './memory-limit.js';
import { noiseLooks } from './noise-looks.js';
import type { DenoiseAsk, Denoised, Requests, WindowResult } from './protocol.js';
import type { Call, Session } from './session.js';

/** Rejects a denoising that does not fit; called before any work. */
export function checkDenoising(
  { opened: { image } }: Session,
  { noise, quality }: Pick<DenoiseAsk, 'noise' | 'quality'>,
): number {
  const [{ BYTES_PER_ELEMENT: bytes }] = image.planes;
  return checkDenoisingMemory({ ...image, channels: image.planes.length }, { quality, bytes, experiment: noise > 0 });
}

/** The open image with Gaussian noise of deviation σ, neither rounded nor clipped; the same noise every time. */
export function addNoise(session: Session, sigma: number): Requests['noise']['reply'] {
  const { image } = session.opened;
  const noisy = noisyImage(session, sigma);
  return { picture: pictureOf(noisy, session.floor), psnr: sigma === 0 ? null : psnr(noisy, image) };
}

function noisyImage(session: Session, sigma: number): Image {
  const { image } = session.opened;
  if (sigma === 0) {
    session.images.delete('noisy');
    return image;
  }
  const known = session.images.get('noisy');
  if (known && session.addedNoise === sigma) return known;
  const random = randomSource(1);
  const planes = image.planes.map((plane) => Float32Array.from(plane, (value) => value + sigma * random.normal()));
  const noisy = { ...image, planes };
  session.images.set('noisy', noisy);
  session.addedNoise = sigma;
  return noisy;
}

/** The options of the library. */
export function optionsOf({ opened: { jpeg } }: Session, ask: DenoiseAsk, channels: number): DenoiseOptions {
  const { engine, sigma, strength, strengthChroma, quality, noise } = ask;
  return {
    ...{ engine, sigma, strength, quality },
    ...(channels === 3 ? { strengthChroma, colourWeights } : {}),
    // Added noise hides the traces of JPEG compression.
    ...(noise > 0 ? { jpeg: 'off' } : jpeg ? { jpeg } : {}),
  };
}

/**
 * Denoises the open image, or the one with added noise, tile by tile, and measures it against the clean one if there is one.
 * The result has the bits of `denoise`, and is stored as it will be saved: in the samples of the file, or, for an experiment
 * that is measured, as it was computed.
 */
export async function runDenoise(session: Session, ask: DenoiseAsk, call: Call): Promise<Denoised> {
  const { image, sample, depth } = session.opened;
  checkDenoising(session, ask);
  const noisy = noisyImage(session, ask.noise);
  const { width, height, planes, alpha } = noisy;
  const picture: Picture = { width, height, channels: planes.length, alpha: alpha !== undefined, sample, depth };
  const sink = memorySink(ask.noise > 0 ? { ...picture, sample: 'float', depth: 32 } : picture);
  const write = async (window: Rectangle, samples: readonly Samples[]) => {
    await sink.write(window, samples);
    // A single tile is the result itself.
    if (window.width === width && window.height === height) return;
    const part = { ...noisy, ...window, planes: samples.slice(0, planes.length), alpha: samples[planes.length] };
    call.tell({ kind: 'tile', part: { ...window, layer: pictureOf(part, session.floor) } });
  };
  const start = performance.now();
  const options = optionsOf(session, ask, planes.length);
  const watch = { signal: call.signal, onProgress: progressTeller(call.tell) };
  const result = await denoiseLarge({ ...memorySource(noisy), picture }, { ...sink, write }, options, watch);
  call.signal.throwIfAborted();
  const seconds = (performance.now() - start) / 1000;
  const denoised = { ...noisy, planes: sink.planes.slice(0, planes.length) };
  session.images.set('denoised', denoised);
  return {
    picture: pictureOf(denoised, session.floor),
    looks: noiseLooks(result, noisy.peak),
    messages: describe(result),
    changed: result.changed,
    engine: result.engine,
    seconds,
    noisyPsnr: ask.noise > 0 ? psnr(noisy, image) : null,
    psnr: ask.noise > 0 ? psnr(denoised, image) : null,
  };
}

/** Denoises a window of the image alone: quick, and almost what the whole image will have there. */
export async function runDenoiseWindow(
  session: Session,
  { window, ...ask }: Requests['denoiseWindow']['ask'],
  { signal }: Call,
): Promise<WindowResult> {
  checkDenoising(session, ask);
  const noisy = noisyImage(session, ask.noise);
  const part = cutOut(noisy, window);
  const result = await denoise(part, { ...optionsOf(session, ask, part.planes.length), signal });
  const { changed } = result;
  const found = { looks: noiseLooks(result, noisy.peak), messages: describe(result), changed };
  return { ...window, layer: pictureOf(result.image, session.floor), found };
}

/** Reports the progress at most twenty times per second. */
function progressTeller(tell: Call['tell']): (progress: RunProgress) => void {
  let last = 0;
  return ({ fraction, pass, done, parts }) => {
    const now = performance.now();
    if (now - last < 50) return;
    last = now;
    const doing =
      pass === 'denoise' && parts > 1 ? `tile ${Math.min(done + 1, parts)} of ${parts}` : (passNames[pass] ?? '');
    tell({ kind: 'progress', fraction, doing });
  };
}

/** The passes that take long enough to be named. */
const passNames: Readonly<Record<string, string>> = {
  range: 'measuring the noise',
  estimate: 'measuring the noise',
  coarse: 'coarse grain',
  reestimate: 'measuring the noise again',
};
