/**
 * Numbers for people, as the command, the page and the lab write them. Not meant for use on its own.
 *
 * @module ght/format
 */

/** A count with grouped digits: 12,345,678. */
export function count(value: number, separator = ','): string {
  return value.toLocaleString('en-US').replaceAll(',', separator);
}

/** A number with this many digits after the point; ∞ for a perfect PSNR, a dash for an unknown value. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  return Number.isFinite(value) ? value.toFixed(digits) : '∞';
}

/** A number of bytes with a suitable unit: 3.42 GiB. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
  return `${(value / 1024 ** power).toPrecision(3)} ${units[power]}`;
}
