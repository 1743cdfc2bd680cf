import { limits } from '../settings/settings.js';

const [least, most] = limits.s;

/** From a number up to another, that one left out, in steps of a tenth, a half or one: so many to the unit. */
const range = (from: number, to: number, perUnit: number) =>
  Array.from({ length: Math.round((to - from) * perUnit) }, (_, i) => (Math.round(from * perUnit) + i) / perUnit);

/** The slider stops at numbers one can read; their steps grow, for half an atom more matters at one, not at forty. */
const stops = [...range(least, 5, 10), ...range(5, 20, 2), ...range(20, most, 1), most];

/** The last position of the budget slider; the first is 0. */
export const SLIDER_STEPS = stops.length - 1;

/** Atoms an average patch at a position of the slider. */
export function atomsAt(position: number): number {
  return stops[position];
}

/** The position of the slider that is nearest to so many atoms. */
export function positionOf(s: number): number {
  return stops.reduce((best, stop, i) => (Math.abs(stop - s) < Math.abs(stops[best] - s) ? i : best), 0);
}
