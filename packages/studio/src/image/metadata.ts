/** What a file says besides its samples, and how that is put into another file: colour profile, EXIF and resolution. */
import {
  chunksOf,
  type ImageMetadata,
  perCentimetre,
  type Resolution,
  resolutionOf,
  segmentsOf,
  uprightExif,
} from 'ght-images';

const EXIF = 'Exif\0\0';
const PROFILE = 'ICC_PROFILE\0';
/** The most bytes of a profile in one segment of a JPEG, whose length has 16 bits. */
const MOST_PROFILE_BYTES = 65_519;

type Bytes = Uint8Array<ArrayBuffer>;

/** The metadata of a PNG, JPEG or WebP, whose pixels are upright by now. */
export async function metadataOf(bytes: Uint8Array, format: 'png' | 'jpeg' | 'webp'): Promise<ImageMetadata> {
  const { icc, exif } = format === 'jpeg' ? blocksOfJpeg(bytes) : await blocksOfChunks(bytes, format);
  const resolution = resolutionOf(bytes, format);
  return {
    ...(icc && icc.length > 0 && { icc }),
    ...(exif && { exif: uprightExif(exif) }),
    ...(resolution && { resolution }),
  };
}

function blocksOfJpeg(bytes: Uint8Array): { icc?: Uint8Array; exif?: Uint8Array } {
  const parts: { readonly part: number; readonly bytes: Uint8Array }[] = [];
  let exif: Uint8Array | undefined;
  for (const { marker, content } of segmentsOf(bytes)) {
    const begins = (text: string) => latin1(content.subarray(0, text.length)) === text;
    if (marker === 0xe1 && begins('Exif')) exif ??= content;
    if (marker === 0xe2 && begins(PROFILE)) parts.push({ part: content[PROFILE.length], bytes: content.subarray(14) });
  }
  const icc = joined(parts.sort((a, b) => a.part - b.part).map((each) => each.bytes));
  return { icc, exif };
}

async function blocksOfChunks(bytes: Uint8Array, format: 'png' | 'webp') {
  let icc: Uint8Array | undefined;
  let exif: Uint8Array | undefined;
  for (const { type, start, end } of chunksOf(bytes, format)) {
    const content = bytes.subarray(start, end);
    if (type === 'ICCP') icc = content.slice();
    // The name of the profile ends with a zero, and the next byte is its compression.
    if (type === 'iCCP')
      icc = await piped(content.slice(content.indexOf(0) + 2), new DecompressionStream('deflate')).catch(
        () => undefined,
      );
    if (type === 'EXIF' || type === 'eXIf') exif = content;
  }
  return { icc, exif };
}

/** Adds metadata to a PNG, behind its header. */
export async function describePng(file: Bytes, { icc, exif, resolution }: ImageMetadata): Promise<Bytes> {
  const HEADER_END = 33;
  const dense = resolution && perCentimetre(resolution);
  const profile = icc && (await piped(Uint8Array.from(icc), new CompressionStream('deflate')));
  return joined([
    file.subarray(0, HEADER_END),
    ...(profile ? [pngChunk('iCCP', joined([bytesOf('profile\0\0'), profile]))] : []),
    ...(dense ? [pngChunk('pHYs', pixelsPerMetre(dense))] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    file.subarray(HEADER_END),
  ]);
}

function pixelsPerMetre({ x, y }: { readonly x: number; readonly y: number }): Uint8Array {
  const content = new Uint8Array(9);
  const view = new DataView(content.buffer);
  view.setUint32(0, Math.round(100 * x));
  view.setUint32(4, Math.round(100 * y));
  content[8] = 1;
  return content;
}

function pngChunk(type: string, content: Uint8Array): Bytes {
  const chunk = joined([new Uint8Array(4), bytesOf(type), content, new Uint8Array(4)]);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  view.setUint32(chunk.length - 4, crcOf(chunk.subarray(4, -4)));
  return chunk;
}

/** The checksum of a chunk (CRC-32). */
function crcOf(bytes: Uint8Array): number {
  let rest = -1;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  }
  return ~rest >>> 0;
}

/** Adds metadata to a JPEG of the browser's encoder, in place of what that says of colours and resolution. */
export function describeJpeg(file: Bytes, { icc, exif, resolution }: ImageMetadata): Bytes {
  let rest = 2;
  for (const { marker, content } of segmentsOf(file)) {
    if (marker < 0xe0 || marker > 0xef) break;
    rest += 4 + content.length;
  }
  const parts = icc ? Math.ceil(icc.length / MOST_PROFILE_BYTES) : 0;
  const profile = (i: number) =>
    segment(0xe2, [
      bytesOf(PROFILE),
      Uint8Array.of(i + 1, parts),
      icc?.subarray(i * MOST_PROFILE_BYTES, (i + 1) * MOST_PROFILE_BYTES) ?? new Uint8Array(0),
    ]);
  return joined([
    file.subarray(0, 2),
    segment(0xe0, [bytesOf('JFIF\0'), Uint8Array.of(1, 1), density(resolution), new Uint8Array(2)]),
    ...(exif ? [segment(0xe1, [bytesOf(EXIF), exif])] : []),
    ...Array.from({ length: parts }, (_, i) => profile(i)),
    file.subarray(rest),
  ]);
}

/** The unit of a JFIF segment and its two numbers. */
function density(resolution: Resolution | undefined): Uint8Array {
  const { x, y, unit } = resolution ?? { x: 1, y: 1, unit: 'none' };
  const number = (value: number) => Math.max(1, Math.min(0xffff, Math.round(value)));
  const [across, down] = [number(x), number(y)];
  return Uint8Array.of({ none: 0, inch: 1, centimetre: 2 }[unit], across >> 8, across & 255, down >> 8, down & 255);
}

function segment(marker: number, parts: readonly Uint8Array[]): Bytes {
  const content = joined(parts);
  const length = content.length + 2;
  return joined([Uint8Array.of(0xff, marker, length >> 8, length & 255), content]);
}

/** Adds metadata to a WebP, which needs an extended header for it. The resolution is in its EXIF only. */
export function describeWebp(
  file: Bytes,
  size: { readonly width: number; readonly height: number; readonly alpha: boolean },
  { icc, exif }: ImageMetadata,
): Bytes {
  if (!icc && !exif) return file;
  const pictures = [...chunksOf(file, 'webp')].filter(({ type }) => /^(ALPH|VP8 |VP8L)$/.test(type));
  const header = new Uint8Array(10);
  header[0] = (icc ? 0x20 : 0) | (size.alpha ? 0x10 : 0) | (exif ? 0x08 : 0);
  for (const [at, value] of [
    [4, size.width - 1],
    [7, size.height - 1],
  ]) {
    for (let k = 0; k < 3; k++) header[at + k] = value >> (8 * k);
  }
  const content = joined([
    bytesOf('WEBP'),
    webpChunk('VP8X', header),
    ...(icc ? [webpChunk('ICCP', icc)] : []),
    ...pictures.map(({ type, start, end }) => webpChunk(type, file.subarray(start, end))),
    ...(exif ? [webpChunk('EXIF', exif)] : []),
  ]);
  return webpChunk('RIFF', content);
}

function webpChunk(type: string, content: Uint8Array): Bytes {
  const chunk = joined([bytesOf(type), new Uint8Array(4), content, new Uint8Array(content.length % 2)]);
  new DataView(chunk.buffer).setUint32(4, content.length, true);
  return chunk;
}

/** The X of the red, green and blue of Display P3, in the space that profiles connect to. */
const P3_PRIMARIES = { rXYZ: 0.5151, gXYZ: 0.292, bXYZ: 0.1571 };

/** Whether a profile has the primaries of Display P3, in which screens can show the picture; its name may be any. */
export function isDisplayP3(icc: Uint8Array | undefined): boolean {
  if (!icc || icc.length < 132) return false;
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  let alike = 0;
  for (let i = 0, at = 132; i < view.getUint32(128) && at + 12 <= icc.length; i++, at += 12) {
    const name = latin1(icc.subarray(at, at + 4)) as keyof typeof P3_PRIMARIES;
    const place = view.getUint32(at + 4) + 8;
    if (!Object.hasOwn(P3_PRIMARIES, name) || place + 4 > icc.length) continue;
    if (Math.abs(view.getInt32(place) / 65536 - P3_PRIMARIES[name]) < 0.002) alike++;
  }
  return alike === 3;
}

/** The bytes of a stream of the browser. */
export async function piped(bytes: Bytes, through: CompressionStream | DecompressionStream): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf(text: string): Bytes {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
