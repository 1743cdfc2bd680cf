import { limits } from '../settings/settings.js';

/** The budget slider is logarithmic: half an atom more matters at one, not at forty. */
export const SLIDER_STEPS = 200;

const [least, most] = limits.s;

/** Atoms an average patch at a position of the slider, in steps one can read. */
export function atomsAt(position: number): number {
  const s = least * (most / least) ** (position / SLIDER_STEPS);
  const step = s < 5 ? 0.1 : s < 20 ? 0.5 : 1;
  return Math.min(most, Math.max(least, Number((Math.round(s / step) * step).toFixed(1))));
}

/** The position of the slider for so many atoms. */
export function positionOf(s: number): number {
  return Math.round((SLIDER_STEPS * Math.log(s / least)) / Math.log(most / least));
}
