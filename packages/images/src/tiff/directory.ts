/**
 * The structure of TIFF and BigTIFF: a header, and a chain of directories, one per page. A directory is a list of fields: a tag, a type,
 * the number of values, and the values or their place in the file. Whatever a damaged file announces, nothing is read or allocated
 * beyond its end.
 */
import type { ByteSource } from './byte-source.js';
import { typeSizes } from './fields.js';

/** The most pages that are looked for. */
const MOST_PAGES = 100_000;
/** The most bytes that the values of one field may take: the places of 33 million tiles. */
const MOST_FIELD_BYTES = 2 ** 28;

const [RATIONAL, SIGNED_RATIONAL] = [5, 10];

/** Where a field lies. */
interface Field {
  readonly type: number;
  readonly count: number;
  /** The place of its values in the file. */
  readonly offset: number;
}

/** How numbers are stored in a file. */
interface Encoding {
  readonly littleEndian: boolean;
  /** Whether it is a BigTIFF, with places of 8 bytes. */
  readonly big: boolean;
}

/** The directory of a page. */
export class TiffDirectory {
  readonly #source: ByteSource;
  readonly #fields: ReadonlyMap<number, Field>;
  readonly #encoding: Encoding;

  constructor(source: ByteSource, fields: ReadonlyMap<number, Field>, encoding: Encoding) {
    this.#source = source;
    this.#fields = fields;
    this.#encoding = encoding;
  }

  /** Whether the page has a tag. */
  has(tag: number): boolean {
    return this.#fields.has(tag);
  }

  /** The tags that it has, and the numbers of their types. */
  fields(): { readonly tag: number; readonly type: number }[] {
    return [...this.#fields].map(([tag, { type }]) => ({ tag, type }));
  }

  /** The content of a tag as it is stored, or undefined if the page has none. */
  async bytes(tag: number): Promise<Uint8Array | undefined> {
    const field = this.#fields.get(tag);
    if (!field) return undefined;
    const length = field.count * typeSizes[field.type];
    if (!(length <= MOST_FIELD_BYTES && field.offset + length <= this.#source.size)) {
      throw new Error(`tag ${tag} goes beyond the end of the file`);
    }
    return this.#source.read(field.offset, length);
  }

  /** The numbers of a tag, rationals as quotients, or undefined if the page has none. */
  async numbers(tag: number): Promise<Float64Array | undefined> {
    const bytes = await this.bytes(tag);
    const field = this.#fields.get(tag);
    if (!bytes || !field) return undefined;
    const view = viewOf(bytes);
    const size = typeSizes[field.type];
    return Float64Array.from({ length: field.count }, (_, i) =>
      numberAt(view, i * size, field.type, this.#encoding.littleEndian),
    );
  }

  /** The first number of a tag, or `otherwise` if the page has none. */
  async number(tag: number, otherwise: number): Promise<number> {
    const numbers = await this.numbers(tag);
    if (numbers?.length === 0) throw new Error(`tag ${tag} is empty`);
    return numbers?.[0] ?? otherwise;
  }

  /** The text of a tag without the zero at its end, or undefined if the page has none. */
  async text(tag: number): Promise<string | undefined> {
    const bytes = await this.bytes(tag);
    return bytes && decodeText(bytes).replace(/\0+$/, '');
  }

  /** The directory whose place is the value of a tag, as that of EXIF; undefined if the page has none. */
  async directory(tag: number): Promise<TiffDirectory | undefined> {
    const numbers = await this.numbers(tag);
    if (!numbers || numbers.length === 0) return undefined;
    return (await readDirectory(this.#source, numbers[0], this.#encoding)).directory;
  }
}

/** A TIFF whose header has been read. */
export interface TiffStructure {
  /** Whether numbers and samples begin with their lowest byte. */
  readonly littleEndian: boolean;
  /** The directories, one after the other. A damaged chain throws when it is reached; one that runs in a circle does not end early. */
  directories(): AsyncGenerator<TiffDirectory, void>;
}

/** Reads the header of a TIFF. */
export async function openStructure(source: ByteSource): Promise<TiffStructure> {
  const header = viewOf(await source.read(0, Math.min(16, source.size)));
  if (header.byteLength < 8) throw new Error('the file ends before its first page');
  const littleEndian = header.getUint16(0) === 0x4949;
  const magic = header.getUint16(2, littleEndian);
  const big = magic === 43;
  if (magic !== 42 && !big) throw new Error(`its header has the number ${magic}, not 42 or 43`);
  if (big && (header.byteLength < 16 || header.getUint16(4, littleEndian) !== 8)) {
    throw new Error('its header is not that of a BigTIFF');
  }
  const first = big ? bigNumber(header, 8, littleEndian) : header.getUint32(4, littleEndian);
  const encoding = { littleEndian, big };
  return {
    littleEndian,
    async *directories() {
      const seen = new Set<number>();
      for (let at = first; at !== 0; ) {
        if (seen.size >= MOST_PAGES) throw new Error(`it has more than ${MOST_PAGES} pages`);
        if (seen.has(at)) throw new Error('its pages run in a circle');
        seen.add(at);
        const { directory, next } = await readDirectory(source, at, encoding).catch((cause: unknown) => {
          throw new Error(`the directory of page ${seen.size} is damaged or missing`, { cause });
        });
        yield directory;
        at = next;
      }
      if (seen.size === 0) throw new Error('it has no page');
    },
  };
}

/** UTF-8, or Latin-1 of older writers. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

async function readDirectory(source: ByteSource, at: number, encoding: Encoding) {
  const { littleEndian, big } = encoding;
  const [countBytes, entryBytes, placeBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const head = viewOf(await source.read(at, countBytes));
  const count = big ? bigNumber(head, 0, littleEndian) : head.getUint16(0, littleEndian);
  if (count === 0 || count > 0xffff) throw new Error(`${count} fields`);
  const view = viewOf(await source.read(at + countBytes, count * entryBytes + placeBytes));
  const place = (from: number) => (big ? bigNumber(view, from, littleEndian) : view.getUint32(from, littleEndian));
  const fields = new Map<number, Field>();
  for (let entry = 0; entry < count * entryBytes; entry += entryBytes) {
    const [tag, type] = [view.getUint16(entry, littleEndian), view.getUint16(entry + 2, littleEndian)];
    const size = typeSizes[type];
    // A type of the future says nothing that is needed here.
    if (size === undefined) continue;
    // Damage to values that are never read does no harm, so numbers beyond the end of the file are no error yet.
    const values = placeOrNaN(() => place(entry + 4));
    const inside = values * size <= placeBytes;
    const offset = inside ? at + countBytes + entry + 4 + placeBytes : placeOrNaN(() => place(entry + 4 + placeBytes));
    // A tag that stands twice would mean two things; the first one counts, as in libtiff.
    if (!fields.has(tag)) fields.set(tag, { type, count: values, offset });
  }
  return { directory: new TiffDirectory(source, fields, encoding), next: place(count * entryBytes) };
}

function placeOrNaN(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}

function numberAt(view: DataView, at: number, type: number, littleEndian: boolean): number {
  switch (type) {
    case 3:
      return view.getUint16(at, littleEndian);
    case 4:
    case 13:
      return view.getUint32(at, littleEndian);
    case RATIONAL:
      return view.getUint32(at, littleEndian) / view.getUint32(at + 4, littleEndian);
    case 6:
      return view.getInt8(at);
    case 8:
      return view.getInt16(at, littleEndian);
    case 9:
      return view.getInt32(at, littleEndian);
    case SIGNED_RATIONAL:
      return view.getInt32(at, littleEndian) / view.getInt32(at + 4, littleEndian);
    case 11:
      return view.getFloat32(at, littleEndian);
    case 12:
      return view.getFloat64(at, littleEndian);
    case 16:
    case 18:
      return bigNumber(view, at, littleEndian);
    case 17:
      return Number(view.getBigInt64(at, littleEndian));
    default:
      return view.getUint8(at);
  }
}

/** A number of 64 bits, which no length or place in a real file needs all of. */
function bigNumber(view: DataView, at: number, littleEndian: boolean): number {
  const value = Number(view.getBigUint64(at, littleEndian));
  if (!Number.isSafeInteger(value)) throw new Error(`it has the number ${value}, which is beyond all files`);
  return value;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
