import { chunksOf } from 'ght-images';
import { FileError, type Raster } from './decoded.js';

/**
 * JPEG and WebP by the browser's own decoder, 8 bits per sample, with no profile applied. A canvas returns exact samples only
 * for opaque images, since it multiplies colours by their opacity; a transparent image is read from a texture instead. A JPEG
 * is returned upright, a WebP as it is stored.
 */
export async function decodeBitmap(bytes: Uint8Array<ArrayBuffer>, format: 'jpeg' | 'webp'): Promise<Raster> {
  const content = format === 'webp' ? withoutExif(bytes) : bytes;
  const blob = new Blob([content], { type: `image/${format}` });
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  try {
    const { width, height } = bitmap;
    const drawn = fewestChannels(width, height, fromCanvas(bitmap));
    return drawn.alpha ? fewestChannels(width, height, fromTexture(bitmap)) : drawn;
  } finally {
    bitmap.close();
  }
}

/** Any other format by the browser's own decoder, in its own colours (sRGB) and upright; undefined where it has no decoder. */
export async function decodeForeign(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Raster | undefined> {
  const options = { premultiplyAlpha: 'none' } as const;
  const bitmap = await createImageBitmap(new Blob([bytes], { type }), options).catch(() => undefined);
  if (!bitmap) return undefined;
  try {
    return fewestChannels(bitmap.width, bitmap.height, fromCanvas(bitmap));
  } finally {
    bitmap.close();
  }
}

/** Not every browser applies the EXIF orientation of a WebP. With that chunk hidden, none does. */
function withoutExif(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  for (const { type, name } of chunksOf(bytes, 'webp')) if (type === 'EXIF') copy.fill(0x20, name, name + 4);
  return copy;
}

function fromCanvas(bitmap: ImageBitmap): Uint8ClampedArray {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new FileError('is too large for a canvas of this browser. Save it as PNG.');
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

function fromTexture(bitmap: ImageBitmap): Uint8ClampedArray {
  const { width, height } = bitmap;
  const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  const rgba = new Uint8ClampedArray(4 * width * height);
  if (gl) {
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(rgba.buffer));
  }
  const read = gl?.getError() === gl?.NO_ERROR;
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  if (!gl || !read) {
    throw new FileError('is partly transparent, and this browser gives its colours only roughly. Save it as PNG.');
  }
  return rgba;
}

/** The RGBA of a canvas without redundant channels: opaque alpha, and colour if all pixels are grey. */
export function fewestChannels(width: number, height: number, rgba: Uint8ClampedArray): Raster {
  let [grey, opaque] = [true, true];
  for (let i = 0; i < rgba.length && (grey || opaque); i += 4) {
    if (rgba[i] !== rgba[i + 1] || rgba[i] !== rgba[i + 2]) grey = false;
    if (rgba[i + 3] !== 255) opaque = false;
  }
  const kept = [...(grey ? [0] : [0, 1, 2]), ...(opaque ? [] : [3])];
  const samples = new Uint8ClampedArray(width * height * kept.length);
  for (const [at, channel] of kept.entries()) {
    for (let from = channel, to = at; from < rgba.length; from += 4, to += kept.length) samples[to] = rgba[from];
  }
  return { width, height, channels: kept.length, alpha: !opaque, depth: 8, sample: 'uint', samples };
}
