/**
 * The part of ZIP that .npz files use: entries stored or deflated, one after the other, and a central directory at the
 * end. Section numbers are those of PKWARE's APPNOTE.TXT 6.3.10.
 */
import { InputError, ResourceError } from '../../errors.js';

/** A file for an archive. */
export interface ZipEntry {
  /** Its name in the archive. */
  readonly name: string;
  /** Its content. */
  readonly bytes: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
/** A field with all bits set means that the value is in the ZIP64 records. */
const IN_ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
/** Bits 0 and 6 of the flags: encrypted, strongly encrypted (4.4.4). */
const ENCRYPTED = 0x41;
const UTF8 = 0x800;
/** 1980-01-01 00:00, the first date of ZIP. With the current time, the same codes would give different files. */
const DATE = (1 << 5) | 1;
/** Deflate spends at least two bits on a run of at most 258 bytes. */
const STEEPEST = 1032;
/** The most bytes an archive may unpack to or be made from: 2 GiB, about the longest typed array in all browsers. */
const MOST_BYTES = 2 ** 31;
/** Up to this size an archive may be packed as tightly as deflate can; beyond it, numbers never are, and a zip bomb is. */
const MOST_FREE = 2 ** 27;
const STEEPEST_LARGE = 20;
/** Browsers inflate a whole piece before the reader sees any of it, so its size limits a zip bomb to 16 MiB at a time. */
const PIECE_BYTES = 2 ** 14;
const DAMAGED = 'the file is damaged: fetch or save it again';

/**
 * A ZIP archive of the files, deflated, dated 1980-01-01. The same files give the same bytes on platforms with the same
 * deflate.
 */
export async function zip(entries: readonly ZipEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  const labels = entries.map(({ name }) => new TextEncoder().encode(name));
  const unique = new Set(entries.map(({ name }) => name)).size === entries.length;
  if (!unique || entries.length >= 0xffff || !labels.every(({ length }) => length > 0 && length <= 0xffff)) {
    const rule = 'must be fewer than 65535 files, each with a name of its own of 1 to 65535 bytes';
    throw new InputError('entries', rule, entries.length, 'name every file, and no two the same');
  }
  const total = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MOST_BYTES) {
    throw new ResourceError('entries', `must hold at most ${MOST_BYTES} bytes in all`, total, 'split the archive');
  }
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [n, { name, bytes }] of entries.entries()) {
    const label = labels[n];
    const packed = await deflate(bytes);
    // Both headers (4.3.7, 4.3.12) hold these; version 2.0 is the first with deflate.
    const flags = label.length === name.length ? 0 : UTF8;
    const common = [20, flags, DEFLATED, 0, DATE, crc32(bytes), packed.length, bytes.length, label.length, 0];
    files.push(record('4 2222244422', [LOCAL, ...common]), label, packed);
    directory.push(record('42 2222244422 22244', [CENTRAL, 20, ...common, 0, 0, 0, 0, offset]), label);
    offset += 30 + label.length + packed.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = record('42222442', [END, 0, 0, entries.length, entries.length, size, offset, 0]);
  return joined([...files, ...directory, end]);
}

/** The names of the files in a ZIP archive. */
export function namesInZip(bytes: Uint8Array, name = 'archive'): string[] {
  return new Archive(bytes, name).entries().map(({ label }) => label);
}

/**
 * The files of a ZIP archive by name, stored or deflated; if `wanted` is given, those of these names, and nothing else is unpacked.
 * Their CRC-32 is checked, and so is the declared size while an entry is unpacked. `name` is the name of the archive in error
 * messages.
 */
export async function unzip(
  bytes: Uint8Array,
  name = 'archive',
  wanted?: readonly string[],
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const entries = new Archive(bytes, name).entries().filter(({ label }) => wanted?.includes(label) ?? true);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > MOST_BYTES) {
    throw new ResourceError(name, `must unpack to at most ${MOST_BYTES} bytes in all`, total, 'split the archive');
  }
  const packedTotal = entries.reduce((sum, { data, to }) => sum + to - data, 0);
  if (total > Math.max(MOST_FREE, STEEPEST_LARGE * packedTotal)) {
    const rule = `must unpack to at most ${MOST_FREE} bytes, or ${STEEPEST_LARGE} times its ${packedTotal} packed bytes`;
    throw new ResourceError(name, rule, total, 'save it without compression, with numpy.savez');
  }
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { label, where, method, size, crc, data, to } of entries) {
    const packed = bytes.subarray(data, to);
    const unpacked = method === STORED ? new Uint8Array(packed) : await inflate(packed, size, where);
    const found = crc32(unpacked);
    if (found !== crc) {
      throw new InputError(where, `must have the CRC-32 ${crc.toString(16)}`, found.toString(16), DAMAGED);
    }
    if (files.has(label)) throw new InputError(where, 'must be in the archive once', 'a second', 'save it again');
    files.set(label, unpacked);
  }
  return files;
}

interface Packed {
  readonly label: string;
  /** The entry's name in error messages. */
  readonly where: string;
  readonly method: number;
  readonly crc: number;
  /** Bytes after unpacking, as declared. */
  readonly size: number;
  /** From its local header to the end of its packed bytes, which begin at `data`. */
  readonly from: number;
  readonly data: number;
  readonly to: number;
}

/** The directory of an archive, read with every offset and length checked. */
class Archive {
  readonly #view: DataView;

  constructor(
    bytes: Uint8Array,
    readonly name: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** All entries, in the order of the directory. */
  entries(): Packed[] {
    const { count, start, end } = this.#directory();
    const entries: Packed[] = [];
    let at = start;
    for (let n = 0; n < count; n++) {
      this.#expect(CENTRAL, at, 46, end);
      const next = at + 46 + this.#u2(at + 28) + this.#u2(at + 30) + this.#u2(at + 32);
      if (next > end) throw this.#damaged(`an entry that ends at byte ${next}, beyond its directory`);
      entries.push(this.#entry(at, start));
      at = next;
    }
    if (at !== end) throw this.#damaged(`${end - at} bytes too many in the directory`);
    // Entries that share bytes would let a small archive unpack to far more than its size allows.
    const sorted = entries.toSorted((a, b) => a.from - b.from);
    const overlap = sorted.find(({ from }, n) => n > 0 && from < sorted[n - 1].to);
    if (overlap) throw this.#damaged(`two entries that overlap at byte ${overlap.from}`);
    return entries;
  }

  /** The entry whose directory record (4.3.12) is at `at`; its packed bytes end before `limit`. */
  #entry(at: number, limit: number): Packed {
    const label = this.#text(at + 46, this.#u2(at + 28));
    const where = `${this.name}/${label.replace(/[^ -~]/g, '?')}`;
    const [flags, method] = [this.#u2(at + 8), this.#u2(at + 10)];
    if (flags & ENCRYPTED) {
      throw new InputError(where, 'must not be encrypted', `flags ${flags}`, 'save it without a password');
    }
    if (method !== STORED && method !== DEFLATED) {
      throw new InputError(where, 'must be stored (0) or deflated (8)', method, 'save it with numpy.savez');
    }
    const [size, length, from] = this.#extent(at);
    if (method === STORED ? size !== length : size > length * STEEPEST) {
      const rule = `must unpack to a size that its ${length} packed bytes can hold`;
      throw new InputError(where, rule, size, DAMAGED);
    }
    // The local header (4.3.7) has an extra field of its own; NumPy puts ZIP64 sizes there that the directory repeats.
    this.#expect(LOCAL, from, 30, limit);
    const data = from + 30 + this.#u2(from + 26) + this.#u2(from + 28);
    const to = data + length;
    if (to > limit) throw this.#damaged(`an entry that ends at byte ${to}, beyond byte ${limit}`);
    const local = this.#text(from + 30, this.#u2(from + 26));
    if (local !== label) throw this.#damaged(`an entry with two names, ${where} and ${local.replace(/[^ -~]/g, '?')}`);
    return { label, where, method, crc: this.#u4(at + 16), size, from, data, to };
  }

  /** The position of the directory, from the end record. A comment of up to 65535 bytes may follow that record (4.3.16). */
  #directory(): { count: number; start: number; end: number } {
    const length = this.#view.byteLength;
    let at = length - 22;
    const last = Math.max(0, at - 0xffff);
    while (at >= last && !(this.#u4(at) === END && at + 22 + this.#u2(at + 20) === length)) at--;
    if (at < last) {
      const rule = 'must be a whole ZIP archive (.npz), with its directory at the end';
      throw new InputError(this.name, rule, `${length} bytes without one`, 'copy the whole file, or save it again');
    }
    let [count, size, start] = [this.#u2(at + 10), this.#u4(at + 12), this.#u4(at + 16)];
    if (count === 0xffff || size === IN_ZIP64 || start === IN_ZIP64) {
      this.#expect(LOCATOR64, at - 20, 20, at);
      const end64 = this.#u8(at - 12);
      this.#expect(END64, end64, 56, at);
      [count, size, start] = [this.#u8(end64 + 32), this.#u8(end64 + 40), this.#u8(end64 + 48)];
      at = end64;
    }
    if (start + size > at) throw this.#damaged(`a directory that ends at byte ${start + size}, beyond its end record`);
    return { count, start, end: start + size };
  }

  /** Size, packed length and offset of an entry. Fields with all bits set are in its ZIP64 extra field, in this order (4.5.3). */
  #extent(record: number): number[] {
    const fields = [this.#u4(record + 24), this.#u4(record + 20), this.#u4(record + 42)];
    if (!fields.includes(IN_ZIP64)) return fields;
    const start = record + 46 + this.#u2(record + 28);
    const end = start + this.#u2(record + 30);
    for (let at = start; at + 4 <= end; at += 4 + this.#u2(at + 2)) {
      if (this.#u2(at) !== 1) continue;
      const stop = Math.min(end, at + 4 + this.#u2(at + 2));
      let next = at + 4;
      return fields.map((field) => {
        if (field !== IN_ZIP64) return field;
        if (next + 8 > stop) throw this.#damaged(`a ZIP64 field cut short at byte ${next}`);
        next += 8;
        return this.#u8(next - 8);
      });
    }
    throw this.#damaged(`no ZIP64 field at byte ${start}, where one is needed`);
  }

  #expect(signature: number, at: number, length: number, limit: number): void {
    if (at >= 0 && at + length <= limit && this.#u4(at) === signature) return;
    throw this.#damaged(`no record ${signature.toString(16).padStart(8, '0')} at byte ${at}`);
  }

  #damaged(what: string): InputError {
    return new InputError(this.name, 'must be an intact ZIP archive', what, DAMAGED);
  }

  #text(at: number, length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length));
  }

  #u2(at: number): number {
    return this.#view.getUint16(at, true);
  }

  #u4(at: number): number {
    return this.#view.getUint32(at, true);
  }

  #u8(at: number): number {
    return this.#u4(at + 4) * 2 ** 32 + this.#u4(at);
  }
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of through(bytes, new CompressionStream('deflate-raw'))) pieces.push(piece);
  return joined(pieces);
}

async function inflate(packed: Uint8Array, size: number, where: string): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = new Uint8Array(size);
  let length = 0;
  try {
    for await (const piece of through(packed, new DecompressionStream('deflate-raw'))) {
      length += piece.length;
      if (length > size) break;
      unpacked.set(piece, length - piece.length);
    }
  } catch (cause) {
    throw new InputError(where, 'must be intact deflate data', String(cause), DAMAGED, { cause });
  }
  if (length === size) return unpacked;
  const received = length > size ? `${length} or more` : length;
  throw new InputError(where, `must unpack to the ${size} bytes that its directory says`, received, DAMAGED);
}

/** The output of the stream for these input bytes. Leaving the loop early stops the stream. */
async function* through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream) {
  let at = 0;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(at, at + PIECE_BYTES)));
      else controller.close();
      at += PIECE_BYTES;
    },
  });
  const reader = source.pipeThrough(stream).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    // The loop has already reported any error of its own, so an error of the broken stream is ignored.
    await reader.cancel().catch(() => undefined);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Little-endian numbers one after the other; each digit of `widths` is the number of bytes of one value. */
function record(widths: string, values: readonly number[]): Uint8Array {
  const digits = [...widths.replaceAll(' ', '')].map(Number);
  return Uint8Array.from(digits.flatMap((width, n) => [0, 8, 16, 24].slice(0, width).map((bit) => values[n] >>> bit)));
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (let i = 0; i < bytes.length; i++) crc = crcTable[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
