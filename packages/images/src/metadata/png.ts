/** The metadata of a PNG: chunks before and after its samples. */
import { type Bytes, bytesOf, crcOf, joined, latin1, piped, viewOf } from '../bytes.js';
import { chunksOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';
import { perCentimetre, type Resolution } from '../resolution.js';
import { asResources, resourcesIn } from './iptc.js';

const XMP = 'XML:com.adobe.xmp';
/** PNG has no chunk for IPTC data: all programs that keep them do so in this text, as hexadecimal numbers. */
const IPTC = 'Raw profile type iptc';
/** The most bytes that a profile or a text unpacks to. */
const MOST_UNPACKED = 2 ** 26;
/** Chunks that go from PNG to PNG as they are: what the samples mean without a profile, texts, and the time. */
const passed = new Set(['cICP', 'gAMA', 'cHRM', 'sRGB', 'mDCV', 'cLLI', 'tEXt', 'zTXt', 'iTXt', 'tIME']);

/** What the chunks say, the resolution apart. A chunk that is damaged is left out. */
export async function readPngMetadata(bytes: Uint8Array): Promise<ImageMetadata> {
  let [icc, exif, xmp, iptc]: (Uint8Array | undefined)[] = [];
  const others: Uint8Array[] = [];
  for (const { type, name, start, end } of chunksOf(bytes, 'png')) {
    const content = bytes.subarray(start, end);
    // The name of the profile ends with a zero, and the next byte is its compression.
    if (type === 'iCCP') icc = await unpacked(content.slice(content.indexOf(0) + 2));
    else if (type === 'eXIf' && content.length > 0) exif = uprightExif(content);
    else if (type === 'iTXt' && keyOf(content) === XMP) xmp = await internationalText(content);
    else if (/^(tEXt|zTXt)$/.test(type) && keyOf(content) === XMP) xmp = await plainText(content, type);
    else if (/^(tEXt|zTXt)$/.test(type) && keyOf(content) === IPTC) iptc = recordsIn(await plainText(content, type));
    else if (passed.has(type) && end + 4 <= bytes.length) others.push(bytes.subarray(name - 4, end + 4));
  }
  return {
    ...(icc && icc.length > 0 && { icc }),
    ...(exif && { exif }),
    ...(xmp && xmp.length > 0 && { xmp }),
    ...(iptc && { iptc }),
    ...(others.length > 0 && { pngChunks: joined(others) }),
  };
}

function keyOf(content: Uint8Array): string {
  return latin1(content.subarray(0, Math.max(0, content.indexOf(0))));
}

/** A text with its keyword, two bytes of compression, a language and a translated keyword before it. */
async function internationalText(content: Uint8Array): Promise<Uint8Array | undefined> {
  const flags = content.indexOf(0) + 1;
  const language = content.indexOf(0, flags + 2);
  const translated = content.indexOf(0, language + 1);
  if (language < 0 || translated < 0) return undefined;
  const text = content.slice(translated + 1);
  return content[flags] === 1 ? unpacked(text) : text;
}

/** A text with its keyword before it, and a byte for its compression if it has any. Some writers put XMP there. */
async function plainText(content: Uint8Array, type: string): Promise<Uint8Array | undefined> {
  const start = content.indexOf(0) + 1;
  return type === 'zTXt' ? unpacked(content.slice(start + 1)) : content.slice(start);
}

/** The IPTC data of a text as ImageMagick and ExifTool write it: a line of words and one with the length, then hexadecimal numbers. */
function recordsIn(stored: Uint8Array | undefined): Uint8Array | undefined {
  const text = latin1(stored ?? new Uint8Array(0));
  const [, length, digits] = /^\s*[^\n]*\n\s*(\d+)\s+([\s0-9a-f]*)$/i.exec(text) ?? [];
  const packed = digits?.replace(/\s/g, '');
  if (packed === undefined || packed.length !== 2 * Number(length)) return undefined;
  const bytes = Uint8Array.from({ length: Number(length) }, (_, i) =>
    Number.parseInt(packed.slice(2 * i, 2 * i + 2), 16),
  );
  return latin1(bytes.subarray(0, 4)) === '8BIM' ? resourcesIn(bytes).iptc : bytes;
}

function unpacked(bytes: Uint8Array): Promise<Bytes | undefined> {
  return piped(bytes, new DecompressionStream('deflate'), MOST_UNPACKED).catch(() => undefined);
}

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
    ...(xmp ? [pngChunk('iTXt', joined([bytesOf(`${XMP}\0\0\0\0\0`), xmp]))] : []),
    ...(iptc ? [pngChunk('zTXt', joined([bytesOf(`${IPTC}\0\0`), await packed(textOf(asResources(iptc)))]))] : []),
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
