export { count } from 'ght/format';

/** A number with this many significant digits, as a power of ten when it is very small: 34.42, 0.004, 1.592·10⁻⁵. */
export function significant(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return grouped(value, 0);
  if (value === 0) return '0';
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  const power = Number(exponent);
  if (power < -3) return signed(`${mantissa}·10${superscript(power)}`);
  return signed(grouped(value, Math.max(0, digits - 1 - power)));
}

/** A round number for an axis, without unnecessary digits: 0.05, 2,000, 10⁻⁵. */
export function tick(value: number): string {
  const round = Number(value.toPrecision(6));
  const [mantissa, exponent] = round.toExponential().split('e');
  if (Number(exponent) >= -3) return signed(round.toLocaleString('en-US', { maximumFractionDigits: 8 }));
  return signed(`${mantissa}·10${superscript(Number(exponent))}`.replace(/^1·/, ''));
}

/** A number with this many decimals and thousands separators. */
export function grouped(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return value === Number.POSITIVE_INFINITY ? '∞' : '–';
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A PSNR in dB, without the unit. */
export function decibels(value: number): string {
  return signed(grouped(value, 2));
}

/** A ratio for a table: 0.0255. */
export function share(value: number): string {
  return value === 0 ? '0' : grouped(value, 4);
}

/** Seconds without the unit, with three digits. */
export function seconds(value: number): string {
  return significant(value, 3);
}

/** A duration with its unit: 8 ms, 3.6 s, 5 min 30 s. */
export function duration(value: number): string {
  if (value < 0.9995) return `${Math.round(1000 * value)} ms`;
  if (value < 99.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A whole exponent as superscript. */
export function superscript(exponent: number): string {
  return String(exponent).replace(/[-\d]/g, (character) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(character)] ?? '⁻');
}

/** A name as part of a file name: lower-case ASCII letters, digits and dashes, at most 40. */
export function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 40).replace(/^-+|-+$/g, '') || 'image';
}

function signed(text: string): string {
  return text.replace(/^-/, '−');
}
