/** A number with so many digits after the point; ∞ for a perfect PSNR, a dash for what is not known. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  return Number.isFinite(value) ? value.toFixed(digits) : '∞';
}

/** A setting with two digits after the point at most: a link may give it more than a slider has. */
export function setting(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** A count with thin groups: 16 640. */
export function count(value: number): string {
  return value.toLocaleString('en').replaceAll(',', '\u2009');
}

/** Three significant digits without an exponent, where that is readable. */
export function measure(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1000
    ? count(Math.round(value))
    : size >= 0.001
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1);
}

/** Seconds as a person says them. */
export function duration(seconds: number): string {
  return seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** Bytes in the unit that suits them. */
export function bytes(n: number): string {
  return n < 2 ** 30 ? `${Math.max(1, Math.round(n / 2 ** 20))} MiB` : `${(n / 2 ** 30).toFixed(1)} GiB`;
}

/** An error with so many digits after the point, or whole where it is large, as in the units of 16 bits. */
export function error(value: number, digits: number): string {
  return value < 1000 ? fixed(value, digits) : count(Math.round(value));
}
