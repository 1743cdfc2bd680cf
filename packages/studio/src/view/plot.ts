/** The convergence plot: a linear axis for iterations, a logarithmic one for RMSE. */
import { linearAxis, lineOf, logAxis, roundTicks } from './axes.js';

/** A point of a curve. */
export interface Point {
  readonly k: number;
  readonly rmse: number;
}

/** A frame in the units of its SVG. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The mapping of points into a frame. */
export interface Scales {
  readonly x: (k: number) => number;
  readonly y: (rmse: number) => number;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
}

/** Scales that show every point; errors of zero, which have no logarithm, are drawn at the bottom. */
export function scalesOf(points: readonly Point[], frame: Frame): Scales {
  const positive = points.map(({ rmse }) => rmse).filter((rmse) => rmse > 0);
  const high = Math.max(...positive, Number.MIN_VALUE);
  const low = Math.min(...positive, high);
  // At least a factor of 1.25 from bottom to top, or rounding noise would fill the plot.
  const middle = Math.sqrt(low * high);
  const [bottom, top] = [Math.min(low / 1.03, middle / 1.12), Math.max(high * 1.03, middle * 1.12)];
  const last = Math.max(...points.map(({ k }) => k), 2);
  return {
    x: linearAxis([1, last], [frame.left, frame.width - frame.right]).at,
    y: logAxis([bottom, top], [frame.height - frame.bottom, frame.top]).at,
    xTicks: wholeTicks(last),
    yTicks: logTicks(bottom, top),
  };
}

/** The line through the points, as an SVG path. */
export function pathOf(points: readonly Point[], { x, y }: Pick<Scales, 'x' | 'y'>): string {
  return lineOf(
    points.map(({ k, rmse }) => ({ x: k, y: rmse })),
    { at: x },
    { at: y },
  );
}

/** About four whole numbers from 1 to the last iteration. */
export function wholeTicks(last: number): number[] {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((each) => last / each <= 5) ?? 1000;
  const ticks = [1];
  for (let k = step; k <= last; k += step) if (k > 1) ticks.push(k);
  return ticks;
}

/** Three to six round numbers between two positive ones, far apart or close together. */
export function logTicks(bottom: number, top: number): number[] {
  for (const mantissas of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]]) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(bottom)); power <= Math.log10(top); power++) {
      for (const mantissa of mantissas) {
        const tick = Number((mantissa * 10 ** power).toPrecision(3));
        if (tick >= bottom && tick <= top) ticks.push(tick);
      }
    }
    if (ticks.length >= 3) return ticks.slice(0, 6);
  }
  return roundTicks([bottom, top], 5);
}
