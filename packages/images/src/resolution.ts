/** How many pixels lie on a length: what files say of it, and how it goes from one format to another. */

/** Pixels per unit of length. */
export interface Resolution {
  /** Pixels per unit along a row. */
  readonly x: number;
  /** Pixels per unit down a column. */
  readonly y: number;
  /** The unit; with `none` the numbers only say how wide a pixel is for its height. */
  readonly unit: 'inch' | 'centimetre' | 'none';
}

/** The unit of a TIFF or EXIF block by its number; inches where it says none. */
export function unitOf(code: number | undefined): Resolution['unit'] {
  return code === 3 ? 'centimetre' : code === 1 ? 'none' : 'inch';
}

/** The resolution if it is one: damaged and careless files state 0 and infinity. */
export function valid(resolution: Resolution): Resolution | undefined {
  const { x, y } = resolution;
  return x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y) ? resolution : undefined;
}

/** The length of an inch. */
export const CENTIMETRES_PER_INCH = 2.54;

/** Pixels per centimetre; undefined without a unit. */
export function perCentimetre({ x, y, unit }: Resolution): { readonly x: number; readonly y: number } | undefined {
  if (unit === 'none') return undefined;
  const scale = unit === 'inch' ? 1 / CENTIMETRES_PER_INCH : 1;
  return { x: x * scale, y: y * scale };
}

/** The resolution of an image that was turned: rows and columns change places from orientation 5 on. */
export function turned(resolution: Resolution, orientation: number): Resolution {
  return orientation >= 5 && orientation <= 8 ? { ...resolution, x: resolution.y, y: resolution.x } : resolution;
}

/** A number as a quotient: of 1 where it is whole, else of the greatest power of ten that keeps it in 32 bits. */
export function rational(value: number): [numerator: number, denominator: number] {
  if (Number.isInteger(value) && value <= 0xffff_ffff) return [value, 1];
  const power = Math.max(0, Math.min(6, 9 - Math.ceil(Math.log10(value))));
  return [Math.min(Math.round(value * 10 ** power), 0xffff_ffff), 10 ** power];
}
