/** OpenEXR by the package exrs, the crate of that name in WebAssembly. */
import { ResourceError } from 'ght';
import { asPlain } from '../bytes.js';
import type { Decoded } from '../decoded.js';
import { readExrHeader } from '../exr.js';
import type { ImageMetadata } from '../image-file.js';
import type { Raster } from '../raster.js';
import type { Refuse } from '../refuse.js';
import { checkSize } from './decoded.js';
import { loadPackage } from './packages.js';

/** The decoder has 4 GiB, for the samples several times. */
const MOST_SAMPLES = 2 ** 28;

async function loadExrs() {
  const exrs = await loadPackage(import('exrs'), 'exrs, which reads and writes OpenEXR files');
  await exrs.init();
  return exrs;
}

/** Decodes the picture of a file. Floats of 16 bits become floats of 32. */
export async function decodeExrFile(bytes: Uint8Array, refuse: Refuse): Promise<Decoded> {
  const { width, height, channels, alpha, notRead } = readExrHeader(bytes, refuse);
  checkSize({ width, height, channels: channels.length, depth: 32, bytes: bytes.length }, refuse);
  if (width * height * channels.length > MOST_SAMPLES) {
    const rule = `must have at most ${MOST_SAMPLES} samples, not ${width}×${height}×${channels.length}`;
    throw refuse(rule, 'crop it, or save it as a TIFF of 32-bit floats', ResourceError);
  }
  const { decodeExr } = await loadExrs();
  const [layer] = decodeExr(asPlain(bytes)).layers;
  // Channel by channel: several at once are taken from the wrong window, if that is not the whole picture.
  const planes = channels.map((name) => {
    const plane = layer?.getInterleavedPixels([name]);
    if (plane?.length !== width * height) throw new Error('its samples are not those of its header');
    return plane;
  });
  const premultiplied = alpha && planes[planes.length - 1].some((value) => value !== 1);
  const metadata: ImageMetadata = {
    exrChannels: channels,
    ...(premultiplied && { premultiplied }),
    ...(notRead.length > 0 && { notRead }),
  };
  return { width, height, planes, alpha, depth: 32, sample: 'float', orientation: 1, metadata };
}

/** A file of floats of 32 bits, without loss. Its channels have the names that they came with, if there are as many. */
export async function encodeExrFile(raster: Raster, names: readonly string[] = []): Promise<Uint8Array> {
  const { width, height, channels, alpha } = raster;
  const usual = channels - Number(alpha) === 1 ? ['Y'] : ['R', 'G', 'B'];
  const channelNames = names.length === channels ? names : [...usual, ...(alpha ? ['A'] : [])];
  const interleavedPixels = raster.rows(0, height) as Float32Array;
  const { encodeExr } = await loadExrs();
  return encodeExr({
    width,
    height,
    layers: [{ channelNames, interleavedPixels, precision: 'f32', compression: 'zip16' }],
  });
}
