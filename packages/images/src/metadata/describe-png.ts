/** Writes the metadata of a PNG: chunks before its samples. */
import { type Bytes, bytesOf, crcOf, joined, piped, viewOf } from '../bytes.js';
import { chunksOf } from '../chunks.js';
import type { ImageMetadata } from '../image-file.js';
import { perCentimetre, type Resolution } from '../resolution.js';
import { asResources } from './iptc.js';
import { IPTC_KEY, keyOf, XMP_KEY } from './png-texts.js';

/** Adds metadata to a PNG that an encoder has made, in place of what that says besides the samples. */
export async function describePng(
  file: Bytes,
  { icc, exif, xmp, iptc, resolution, pngChunks }: ImageMetadata,
): Promise<Bytes> {
  const parts: Uint8Array[] = [file.subarray(0, 8)];
  const described = [
    ...(pngChunks ? [fittingChunks(pngChunks, icc !== undefined)] : []),
    ...(icc ? [pngChunk('iCCP', joined([bytesOf('profile\0\0'), await packed(icc)]))] : []),
    ...(resolution ? [pngChunk('pHYs', physical(resolution))] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [pngChunk('iTXt', joined([bytesOf(`${XMP_KEY}\0\0\0\0\0`), xmp]))] : []),
    ...(iptc ? [pngChunk('zTXt', joined([bytesOf(`${IPTC_KEY}\0\0`), await packed(textOf(asResources(iptc)))]))] : []),
  ];
  for (const { type, name, end } of chunksOf(file, 'png')) {
    if (/^(IHDR|PLTE|tRNS|sBIT|IDAT|IEND)$/.test(type)) parts.push(file.subarray(name - 4, end + 4));
    if (type === 'IHDR') parts.push(...described);
  }
  return joined(parts);
}

/** Chunks of another PNG without those that a profile replaces. */
function fittingChunks(chunks: Uint8Array, withProfile: boolean): Uint8Array {
  const list = joined([new Uint8Array(8), chunks]);
  const kept = [...chunksOf(list, 'png')].filter(({ type }) => !withProfile || type !== 'sRGB');
  return joined(kept.map(({ name, end }) => list.subarray(name - 4, end + 4)));
}

function packed(bytes: Uint8Array): Promise<Bytes> {
  return piped(bytes, new CompressionStream('deflate'));
}

/** Bytes as the text that ImageMagick writes. */
function textOf(bytes: Uint8Array): Uint8Array {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytesOf(`\niptc\n${String(bytes.length).padStart(8)}\n${digits.replace(/.{72}/g, '$&\n')}\n`);
}

/** Pixels per metre in both directions and the number of that unit, or 0 and a ratio. */
function physical(resolution: Resolution): Uint8Array {
  const content = new Uint8Array(9);
  const { x, y } = perCentimetre(resolution) ?? resolution;
  const scale = resolution.unit === 'none' && Number.isInteger(x) && Number.isInteger(y) ? 1 : 100;
  for (const [i, value] of [x, y].entries())
    viewOf(content).setUint32(4 * i, Math.min(Math.round(scale * value), 0x7fff_ffff));
  content[8] = resolution.unit === 'none' ? 0 : 1;
  return content;
}

/** A chunk: its length, its type, its content and its checksum. */
export function pngChunk(type: string, content: Uint8Array): Bytes {
  const chunk = joined([new Uint8Array(4), bytesOf(type), content, new Uint8Array(4)]);
  viewOf(chunk).setUint32(0, content.length);
  viewOf(chunk).setUint32(chunk.length - 4, crcOf(chunk.subarray(4, -4)));
  return chunk;
}

/** The gamma of sRGB, which is assumed where nothing is stated. */
const SRGB_GAMMA = 45455;

/** What such chunks say, in words; colours that a profile says better, and those of sRGB, say nothing. */
export function chunkNames(chunks: Uint8Array, withProfile: boolean): string[] {
  const list = joined([new Uint8Array(8), chunks]);
  const all = [...chunksOf(list, 'png')].map(({ type, start, end }) => ({ type, content: list.subarray(start, end) }));
  const isPlain = withProfile || all.some(({ type }) => type === 'sRGB' || type === 'cICP');
  return all.flatMap(({ type, content }) => {
    if (/^(tEXt|zTXt|iTXt)$/.test(type)) return [`text ${keyOf(content)}`];
    if (type === 'tIME') return ['time'];
    if (type === 'cICP' && !withProfile) return ['colour space (cICP)'];
    const isGamma = type === 'gAMA' && content.length === 4 && viewOf(content).getUint32(0) !== SRGB_GAMMA;
    return isGamma && !isPlain ? ['gamma'] : [];
  });
}
