/** Reads the metadata of a PNG: chunks before and after its samples. */
import { type Bytes, joined, latin1, piped } from '../bytes.js';
import { chunksOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';
import { resourcesIn } from './iptc.js';
import { IPTC_KEY, keyOf, XMP_KEY } from './png-texts.js';

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
    else if (type === 'iTXt' && keyOf(content) === XMP_KEY) xmp = await internationalText(content);
    else if (/^(tEXt|zTXt)$/.test(type) && keyOf(content) === XMP_KEY) xmp = await plainText(content, type);
    else if (/^(tEXt|zTXt)$/.test(type) && keyOf(content) === IPTC_KEY)
      iptc = recordsIn(await plainText(content, type));
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
