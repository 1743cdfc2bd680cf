/** EXIF blocks and ICC profiles: what is read and changed in them. Everything else travels as it is. */
import { CENTIMETRES_PER_INCH, type Resolution, rational, unitOf, valid } from './resolution.js';

const exifPrefix = 'Exif\0\0';
const orientationTag = 0x0112;
const [xResolutionTag, yResolutionTag, resolutionUnitTag] = [0x011a, 0x011b, 0x0128];

/** An EXIF block from its TIFF header on: in a JPEG, and often in a WebP, a prefix is before it. */
function withoutPrefix(block: Uint8Array): Uint8Array {
  return textOf(block.subarray(0, exifPrefix.length)) === exifPrefix ? block.subarray(exifPrefix.length) : block;
}

/** Whether a segment of a JPEG is an EXIF block. */
export function startsAsExif(block: Uint8Array): boolean {
  return textOf(block.subarray(0, 4)) === 'Exif';
}

/** An EXIF block is a TIFF without an image: the places of the first directory's values, by their tags. */
function valuesOf(block: Uint8Array): { view: DataView; little: boolean; places: Map<number, number> } {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const little = block[0] === 0x49;
  const places = new Map<number, number>();
  if (block.length < 8) return { view, little, places };
  const directory = view.getUint32(4, little);
  const count = directory + 2 <= block.length ? view.getUint16(directory, little) : 0;
  for (let i = 0, at = directory + 2; i < count && at + 12 <= block.length; i++, at += 12) {
    const tag = view.getUint16(at, little);
    if (!places.has(tag)) places.set(tag, at + 8);
  }
  return { view, little, places };
}

/** The orientation that an EXIF block asks for; 1, upright, where it says nothing. */
export function exifOrientation(exif: Uint8Array): number {
  const { view, little, places } = valuesOf(withoutPrefix(exif));
  const at = places.get(orientationTag);
  return at === undefined ? 1 : view.getUint16(at, little);
}

/** The resolution that an EXIF block states; undefined where it states none. */
export function exifResolution(exif: Uint8Array): Resolution | undefined {
  const { view, little, places } = valuesOf(withoutPrefix(exif));
  const rational = (tag: number) => {
    const place = places.get(tag);
    const at = place === undefined ? view.byteLength : view.getUint32(place, little);
    return at + 8 <= view.byteLength ? view.getUint32(at, little) / view.getUint32(at + 4, little) : 0;
  };
  const unit = places.get(resolutionUnitTag);
  return valid({
    ...{ x: rational(xResolutionTag), y: rational(yResolutionTag) },
    unit: unitOf(unit === undefined ? undefined : view.getUint16(unit, little)),
  });
}

/** Resolutions that differ less are the same: formats round them. */
const MOST_ROUNDING = 1e-3;

/**
 * An EXIF block that states this resolution, if it states one at all: every other byte stays, since notes of cameras refer to their places.
 * Undefined if it states none.
 */
export function exifStating(exif: Uint8Array, { x, y, unit }: Resolution): Uint8Array | undefined {
  const stated = exifResolution(exif);
  const { view, little, places } = valuesOf(exif);
  const [across, down, units] = [xResolutionTag, yResolutionTag, resolutionUnitTag].map((tag) => places.get(tag));
  if (!stated || across === undefined || down === undefined || units === undefined) return undefined;
  const scale = (from: Resolution['unit']) => (from === 'centimetre' ? CENTIMETRES_PER_INCH : 1);
  const comparable = (unit === 'none') === (stated.unit === 'none');
  const ratio = (scale(unit) / scale(stated.unit)) * (x / stated.x);
  const alike = Math.abs(ratio - 1) < MOST_ROUNDING && Math.abs(y / x / (stated.y / stated.x) - 1) < MOST_ROUNDING;
  if (comparable && alike) return exif;
  const block = Uint8Array.from(exif);
  const into = new DataView(block.buffer);
  for (const [entry, value] of [
    [across, x],
    [down, y],
  ]) {
    const at = view.getUint32(entry, little);
    for (const [k, part] of rational(value).entries()) into.setUint32(at + 4 * k, part, little);
  }
  into.setUint16(units, { none: 1, inch: 2, centimetre: 3 }[unit], little);
  return block;
}

/**
 * An EXIF block from its TIFF header on, with the orientation set to 1: once the pixels are upright, the old value
 * would make every viewer turn them a second time.
 */
export function uprightExif(exif: Uint8Array): Uint8Array {
  const block = Uint8Array.from(withoutPrefix(exif));
  const { view, little, places } = valuesOf(block);
  const at = places.get(orientationTag);
  if (at !== undefined) view.setUint16(at, 1, little);
  return block;
}

/**
 * Whether a profile describes this many colour channels. A grey profile on colour, or the reverse, is invalid, and
 * arises when a result has other channels than its input.
 */
export function profileFits(icc: Uint8Array, colours: number): boolean {
  const space = textOf(icc.subarray(16, 20));
  return (space === 'GRAY' && colours === 1) || (space === 'RGB ' && colours === 3);
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
