import { fixed, count as grouped } from 'ght/format';

export { bytes, fixed } from 'ght/format';

/** A setting with at most two digits after the point: a link may contain more than a slider offers. */
export function setting(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** A count with digits grouped by thin spaces: 16 640. */
export function count(value: number): string {
  return grouped(value, '\u2009');
}

/** Three significant digits, without an exponent if that is readable. */
export function measure(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1000
    ? count(Math.round(value))
    : size >= 0.001
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1);
}

/** A duration in a readable unit. */
export function duration(seconds: number): string {
  return seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** An error with this many digits after the point, or rounded if it is large, as for 16-bit samples. */
export function error(value: number, digits: number): string {
  return value < 1000 ? fixed(value, digits) : count(Math.round(value));
}
