/**
 * The frequencies of an 8×8 block and the sets of them that the noise estimate uses. Index 8v + u has u half waves along a
 * row and v along a column; r = √(u² + v²) is its radius. 0 is the mean of the block.
 */

/** Samples along a side of a block. */
export const SIDE = 8;
/** Frequencies of a block. */
export const FREQUENCIES = SIDE * SIDE;

/** r of every frequency. */
export const RADIUS: readonly number[] = Array.from({ length: FREQUENCIES }, (_, i) =>
  Math.hypot(i % SIDE, Math.floor(i / SIDE)),
);

const where = (holds: (r: number) => boolean): readonly number[] =>
  RADIUS.flatMap((r, i) => (i > 0 && holds(r) ? [i] : []));

/** Frequencies too low to distinguish noise from shading; without the mean. */
export const LOW = where((r) => r < 2);
/** The ring next to them; their deviation is limited by its deviation. */
export const RING = where((r) => r >= 2 && r < 3.2);
/** Middle frequencies: most of the noise that can be distinguished from shading is here, for every kind of noise. */
export const MIDDLE = where((r) => r >= 2 && r < 5);
/** The middle frequencies that coarse texture does not reach. */
export const REFERENCE = where((r) => r >= 3 && r < 5);
/** Two bands whose ratio shows whether noise is low-pass. */
const LOWER = where((r) => r >= 1.5 && r < 3);
const UPPER = where((r) => r >= 3.5 && r < 5);
/** The finest frequencies. */
export const FINEST = where((r) => r > 6);

/** All frequencies except the mean, divided like a chessboard: u + v even, u + v odd. */
export const HALVES: readonly [readonly number[], readonly number[]] = [
  where(() => true).filter((i) => ((i % SIDE) + Math.floor(i / SIDE)) % 2 === 0),
  where(() => true).filter((i) => ((i % SIDE) + Math.floor(i / SIDE)) % 2 === 1),
];

/** The frequencies of a half at middle radius. */
export const MIDDLE_HALVES = HALVES.map((half) => half.filter((i) => MIDDLE.includes(i)));

/** The mean of the values at some frequencies. */
export function meanOver(values: ArrayLike<number>, frequencies: readonly number[]): number {
  let sum = 0;
  for (const i of frequencies) sum += values[i];
  return sum / frequencies.length;
}

/** The slope of a spectrum: the deviation at 3.5 ≤ r < 5 over that at 1.5 ≤ r < 3, from its variances. */
export function slopeOf(variance: Float64Array): number {
  return Math.sqrt(meanOver(variance, UPPER) / (meanOver(variance, LOWER) || 1));
}

/** The deviation at every frequency, root mean square over brightness. */
export function rootMeanSquare(deviations: readonly Float64Array[]): Float64Array {
  return deviations[0].map((_, f) =>
    Math.sqrt(deviations.reduce((sum, at) => sum + at[f] ** 2, 0) / deviations.length),
  );
}

/** The deviation over some frequencies, root mean square over them and over brightness. */
export function levelOver(deviations: readonly Float64Array[], frequencies: readonly number[]): number {
  const squares = rootMeanSquare(deviations).map((value) => value ** 2);
  return Math.sqrt(meanOver(squares, frequencies));
}
