/** The arithmetic of all plots. */

/** A point of a plot, in the units of its axes. */
export interface XY {
  readonly x: number;
  readonly y: number;
}

/** A mapping between values and positions. */
export interface Axis {
  readonly at: (value: number) => number;
  readonly value: (at: number) => number;
}

/** A linear axis from one position to another. */
export function linearAxis([low, high]: readonly [number, number], [from, to]: readonly [number, number]): Axis {
  const scale = (to - from) / (high - low || 1);
  return { at: (value) => from + (value - low) * scale, value: (at) => low + (at - from) / scale };
}

/** A logarithmic axis; values below the lowest, which may be zero, are at its end. */
export function logAxis([low, high]: readonly [number, number], ends: readonly [number, number]): Axis {
  const { at, value } = linearAxis([Math.log(low), Math.log(high)], ends);
  return { at: (v) => at(Math.log(Math.max(v, low))), value: (p) => Math.exp(value(p)) };
}

/** About `count` round numbers within a range. */
export function roundTicks([low, high]: readonly [number, number], count = 4): number[] {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= raw) ?? 10);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
    ticks.push(Number((i * step).toPrecision(6)));
  return ticks;
}

/** The powers of ten within a range. */
export function powersOfTen([low, high]: readonly [number, number]): number[] {
  const ticks: number[] = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high); power++) ticks.push(10 ** power);
  return ticks;
}

/** The line through points, as an SVG path. */
export function lineOf(points: readonly XY[], x: Pick<Axis, 'at'>, y: Pick<Axis, 'at'>): string {
  return points
    .map((point, i) => `${i === 0 ? 'M' : 'L'}${x.at(point.x).toFixed(1)} ${y.at(point.y).toFixed(1)}`)
    .join('');
}

/** The value of a curve between its points, both logarithmic; the points must be sorted by x. */
export function logValueAt(points: readonly XY[], x: number): number {
  const after = points.findIndex((point) => point.x >= x);
  if (after <= 0) return points.at(after)?.y ?? 0;
  const [a, b] = [points[after - 1], points[after]];
  const share = Math.log(x / a.x) / Math.log(b.x / a.x);
  return Math.exp(Math.log(a.y || Number.MIN_VALUE) * (1 - share) + Math.log(b.y || Number.MIN_VALUE) * share);
}

/** Where a rising curve reaches a height, by straight lines between its points; undefined if it does not. */
export function reaches(points: readonly XY[], height: number): number | undefined {
  const after = points.findIndex((point) => point.y >= height);
  if (after < 0) return undefined;
  if (after === 0) return points[0].x;
  const [a, b] = [points[after - 1], points[after]];
  return a.x + ((height - a.y) / (b.y - a.y)) * (b.x - a.x);
}
