import type { Raster } from './decoded.js';

/** JPEG and WebP by the browser's own decoder: always 8 bits, so a canvas loses nothing; upright, colours untouched. */
export async function decodeBitmap(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Raster> {
  const blob = new Blob([bytes], { type });
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('the browser gives no canvas of this size');
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return fewestChannels(width, height, context.getImageData(0, 0, width, height).data);
}

/** The RGBA of a canvas without the channels that say nothing: opaque alpha, and colour where all is grey. */
export function fewestChannels(width: number, height: number, rgba: Uint8ClampedArray): Raster {
  let [grey, opaque] = [true, true];
  for (let i = 0; i < rgba.length && (grey || opaque); i += 4) {
    if (rgba[i] !== rgba[i + 1] || rgba[i] !== rgba[i + 2]) grey = false;
    if (rgba[i + 3] !== 255) opaque = false;
  }
  const kept = [...(grey ? [0] : [0, 1, 2]), ...(opaque ? [] : [3])];
  const samples = new Uint8ClampedArray(width * height * kept.length);
  for (let from = 0, to = 0; from < rgba.length; from += 4)
    for (const channel of kept) samples[to++] = rgba[from + channel];
  return { width, height, channels: kept.length, alpha: !opaque, depth: 8, sample: 'uint', samples };
}
