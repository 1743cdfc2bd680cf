/** What a PNG, WebP or JPEG says beside its samples: which way is up, and whether there is more than one picture. */

/** A PNG or WebP is a list of these; `name` is where its name lies, the content is from `start` to before `end`. */
interface Chunk {
  readonly name: number;
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The chunks of a file, up to where it is cut off. */
export function* chunksOf(bytes: Uint8Array, format: 'PNG' | 'WebP'): Generator<Chunk> {
  const view = viewOf(bytes);
  const png = format === 'PNG';
  for (let at = png ? 8 : 12; at + 8 <= bytes.length; ) {
    const length = png ? view.getUint32(at) : view.getUint32(at + 4, true);
    const name = png ? at + 4 : at;
    const type = String.fromCharCode(...bytes.subarray(name, name + 4));
    yield { name, type, start: at + 8, end: Math.min(at + 8 + length, bytes.length) };
    // A PNG has a checksum behind every chunk, a WebP begins each at an even place.
    at += 8 + length + (png ? 4 : length & 1);
  }
}

/** How many pictures a PNG or WebP announces. */
export function framesOf(bytes: Uint8Array, format: 'PNG' | 'WebP'): number {
  const chunks = [...chunksOf(bytes, format)];
  if (format === 'WebP') return Math.max(1, chunks.filter(({ type }) => type === 'ANMF').length);
  const control = chunks.find(({ type }) => type === 'acTL');
  return control && control.end - control.start >= 4 ? viewOf(bytes).getUint32(control.start) : 1;
}

/** The orientation that the EXIF block of a file asks for; 1, upright, where there is none. */
export function orientationOf(bytes: Uint8Array, format: 'PNG' | 'WebP' | 'JPEG'): number {
  const block = format === 'JPEG' ? jpegExif(bytes) : chunkExif(bytes, format);
  if (!block) return 1;
  // WebP writers often leave the prefix that the block has in a JPEG.
  return exifOrientation(startsAsExif(block) ? block.subarray(6) : block);
}

function chunkExif(bytes: Uint8Array, format: 'PNG' | 'WebP'): Uint8Array | undefined {
  for (const { type, start, end } of chunksOf(bytes, format)) {
    if (type === 'eXIf' || type === 'EXIF') return bytes.subarray(start, end);
  }
  return undefined;
}

/** The first EXIF block among the segments of a JPEG before its samples. */
function jpegExif(bytes: Uint8Array): Uint8Array | undefined {
  const view = viewOf(bytes);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda; ) {
    const end = at + 2 + view.getUint16(at + 2);
    const segment = bytes.subarray(at + 4, end);
    if (bytes[at + 1] === 0xe1 && startsAsExif(segment)) return segment;
    at = Math.max(end, at + 4);
  }
  return undefined;
}

function startsAsExif(block: Uint8Array): boolean {
  return String.fromCharCode(...block.subarray(0, 4)) === 'Exif';
}

/** EXIF is a TIFF without an image: byte order, then where its directory of twelve bytes an entry is. */
function exifOrientation(block: Uint8Array): number {
  if (block.length < 8) return 1;
  const view = viewOf(block);
  const little = block[0] === 0x49;
  const directory = view.getUint32(4, little);
  const count = directory + 2 <= block.length ? view.getUint16(directory, little) : 0;
  for (let i = 0, at = directory + 2; i < count && at + 12 <= block.length; i++, at += 12) {
    if (view.getUint16(at, little) === 0x0112) return view.getUint16(at + 8, little);
  }
  return 1;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
