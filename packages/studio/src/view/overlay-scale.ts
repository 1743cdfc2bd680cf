import type { Overlay } from '../settings/settings.js';
import type { Readings } from '../worker/protocol.js';

/** The brightest value of an overlay, the same for all that are shown, so that they can be compared. */
export function overlayScale(
  overlay: Overlay,
  readings: readonly Pick<Readings, 'mostAtoms' | 'rmsePixel'>[],
  peak: number,
): number {
  if (overlay === 'heatmap') return Math.max(1, ...readings.map(({ mostAtoms }) => mostAtoms));
  // Three deviations of the largest error, rounded up to a round number.
  const wanted = Math.max(3 * Math.max(...readings.map(({ rmsePixel }) => rmsePixel)), peak / 1e5);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return Number((power * ([1, 2, 5, 10].find((each) => each * power >= wanted) ?? 10)).toPrecision(2));
}
