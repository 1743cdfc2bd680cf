import { limits } from '../settings/settings.js';

const [least, most] = limits.s;

/** The numbers from `from` up to but not including `to`, `perUnit` of them per unit. */
const range = (from: number, to: number, perUnit: number) =>
  Array.from({ length: Math.round((to - from) * perUnit) }, (_, i) => (Math.round(from * perUnit) + i) / perUnit);

/** The positions of the slider are round numbers with growing steps: half an atom matters at one, not at forty. */
const stops = [...range(least, 5, 10), ...range(5, 20, 2), ...range(20, most, 1), most];

/** The last position of the budget slider; the first is 0. */
export const SLIDER_STEPS = stops.length - 1;

/** Atoms per patch on average at a position of the slider. */
export function atomsAt(position: number): number {
  return stops[position];
}

/** The position of the slider nearest to this number of atoms. */
export function positionOf(s: number): number {
  return stops.reduce((best, stop, i) => (Math.abs(stop - s) < Math.abs(stops[best] - s) ? i : best), 0);
}
