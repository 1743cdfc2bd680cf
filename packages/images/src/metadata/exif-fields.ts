/**
 * An EXIF block is a TIFF without an image. In a TIFF its fields are among those of the page, and its further directories (camera, place,
 * interoperability) behind them; elsewhere it is a block of its own.
 */
import { joined, startsWith, viewOf } from '../bytes.js';
import type { ImageMetadata } from '../image-file.js';
import { rational } from '../resolution.js';
import type { TiffDirectory } from '../tiff/directory.js';
import { encodeDirectory, type TiffField, typeSizes } from '../tiff/fields.js';

/** The tags of the directories of an EXIF block, and those that say what a page shows and who made it. */
const [EXIF, GPS, INTEROPERABILITY, DESCRIPTION] = [34665, 34853, 40965, 270];
const directories = new Set([EXIF, GPS, INTEROPERABILITY]);
const describing = new Set([
  ...[269, DESCRIPTION, 271, 272, 285, 305, 306, 315, 316, 18246, 18249, 33432, 40091, 40092, 40093, 40094, 40095],
  ...[EXIF, GPS],
]);
/** The resolution, which a page states by itself. */
const resolutionTags = [282, 283, 296];
/** The orientation, which is applied, and where samples of chroma lie. */
const storageTags = [274, 531];
/** Further directories of directories. */
const MOST_DEPTH = 3;
/** The most bytes of a field that is kept. */
const MOST_FIELD_BYTES = 2 ** 24;

/** The size of what the bytes of a type consist of: two of 4 bytes for quotients. */
export function unitSize(type: number): number {
  return type === 5 || type === 10 ? 4 : typeSizes[type];
}

/** The bytes of values, the lowest first. */
function inLittleEndian(bytes: Uint8Array, type: number, littleEndian: boolean): Uint8Array {
  const size = unitSize(type);
  if (littleEndian || size === 1) return bytes.slice();
  const swapped = new Uint8Array(bytes.length);
  for (let at = 0; at + size <= bytes.length; at += size) {
    for (let k = 0; k < size; k++) swapped[at + k] = bytes[at + size - 1 - k];
  }
  return swapped;
}

/** The fields of a block from its TIFF header on; what is damaged is left out. `further` says whether a second picture follows, a thumbnail. */
function parse(block: Uint8Array): { readonly fields: TiffField[]; readonly further: boolean } {
  const little = startsWith(block, 'II');
  const view = viewOf(block);
  let further = false;
  const at = (place: number, depth: number): TiffField[] => {
    const fields: TiffField[] = [];
    if (place < 8 || place + 2 > block.length) return fields;
    const count = view.getUint16(place, little);
    for (let entry = place + 2; entry < place + 2 + 12 * count && entry + 12 <= block.length; entry += 12) {
      const [tag, type] = [view.getUint16(entry, little), view.getUint16(entry + 2, little)];
      const length = typeSizes[type] * view.getUint32(entry + 4, little);
      const from = length <= 4 ? entry + 8 : view.getUint32(entry + 8, little);
      if (!(length > 0 && from + length <= block.length) || fields.some(([other]) => other === tag)) continue;
      if (!directories.has(tag)) {
        fields.push([tag, type, inLittleEndian(block.subarray(from, from + length), type, little)]);
      } else if (depth < MOST_DEPTH) {
        const inside = at(view.getUint32(entry + 8, little), depth + 1);
        if (inside.length > 0) fields.push([tag, 'directory', inside]);
      }
    }
    const next = place + 2 + 12 * count;
    if (depth === 1 && next + 4 <= block.length) further = view.getUint32(next, little) !== 0;
    return fields;
  };
  const fields = block.length >= 8 ? at(view.getUint32(4, little), 1) : [];
  return { fields, further };
}

/** The fields of a block for the directory of a TIFF page: all that do not say how its samples are stored. */
export function pageFields(exif: Uint8Array): TiffField[] {
  return parse(exif).fields.filter(([tag]) => describing.has(tag));
}

/** Tags of a page about its samples and its blocks, and those that are read into metadata of their own. */
const known = new Set([
  ...[
    254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 270, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 288,
    289,
  ],
  ...[
    290, 291, 292, 293, 296, 297, 317, 318, 319, 320, 322, 323, 324, 325, 326, 327, 328, 330, 332, 333, 334, 336, 338,
    339,
  ],
  ...[
    340, 341, 342, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532, 559, 700, 32995, 32996, 32997,
    32998,
  ],
  ...[33723, 34675, 50674, 50838, 50839, 65420, 65421],
]);
const named: Readonly<Record<number, string>> = {
  ...{ 34377: 'Photoshop resources', 37724: 'Photoshop layers', 34735: 'georeference', 33550: 'georeference' },
  ...{ 33922: 'georeference', 34264: 'georeference', 34736: 'georeference', 34737: 'georeference' },
  ...{ 42112: 'GDAL metadata', 42113: 'GDAL no-data value' },
};

/** What a page says that is not read, in words. */
export function notOfPages(page: TiffDirectory): string[] {
  const others = page.fields().filter(({ tag }) => !known.has(tag) && !describing.has(tag));
  return [...new Set(others.map(({ tag }) => named[tag] ?? `TIFF tag ${tag}`))];
}

/** What a block has that a TIFF page does not take over, in words. */
export function notInPages(exif: Uint8Array): string[] {
  const { fields, further } = parse(exif);
  const others = fields.filter(([tag]) => !describing.has(tag) && ![...resolutionTags, ...storageTags].includes(tag));
  return [
    ...(further ? ['thumbnail'] : []),
    ...(others.length > 0 ? [`EXIF tag${others.length > 1 ? 's' : ''} ${others.map(([tag]) => tag).join(', ')}`] : []),
  ];
}

function blockOf(fields: readonly TiffField[]): Uint8Array {
  const header = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0);
  return joined([header, encodeDirectory(fields, 8).directory]);
}

/** What a TIFF page says as an EXIF block has it, its description apart. */
export async function exifOfPage(page: TiffDirectory, littleEndian: boolean): Promise<Uint8Array | undefined> {
  const fields = await fieldsOf(page, littleEndian, (tag) => describing.has(tag) && tag !== DESCRIPTION);
  return fields.length === 0 ? undefined : blockOf(fields);
}

async function fieldsOf(
  directory: TiffDirectory,
  littleEndian: boolean,
  isWanted: (tag: number) => boolean,
  depth = 1,
): Promise<TiffField[]> {
  const fields: TiffField[] = [];
  for (const { tag, type } of directory.fields()) {
    if (!isWanted(tag)) continue;
    if (directories.has(tag)) {
      const inside = depth < MOST_DEPTH && (await directory.directory(tag).catch(() => undefined));
      const content = inside ? await fieldsOf(inside, littleEndian, () => true, depth + 1) : [];
      if (content.length > 0) fields.push([tag, 'directory', content]);
      continue;
    }
    // Types of BigTIFF are none of EXIF.
    const bytes = type <= 12 ? await directory.bytes(tag).catch(() => undefined) : undefined;
    if (bytes && bytes.length > 0 && bytes.length <= MOST_FIELD_BYTES) {
      fields.push([tag, type, inLittleEndian(bytes, type, littleEndian)]);
    }
  }
  return fields;
}

/** A block that states a resolution or a description, made if there is none. */
export function exifWith(
  exif: Uint8Array | undefined,
  { resolution, description }: Pick<ImageMetadata, 'resolution' | 'description'>,
): Uint8Array {
  const stated: TiffField[] = [];
  if (description !== undefined) stated.push([DESCRIPTION, 'ascii', new TextEncoder().encode(`${description}\0`)]);
  if (resolution) {
    const { x, y, unit } = resolution;
    stated.push([282, 'rational', rational(x)], [283, 'rational', rational(y)]);
    stated.push([296, 'short', [{ none: 1, inch: 2, centimetre: 3 }[unit]]]);
  }
  const others = exif ? parse(exif).fields.filter(([tag]) => !stated.some(([other]) => other === tag)) : [];
  return blockOf([...others, ...stated]);
}
