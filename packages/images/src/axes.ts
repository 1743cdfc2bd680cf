/** The order in which an array file holds rows, columns and channels. */

/** Height, width and channels, from the slowest dimension to the fastest; N counts the pages of a stack. */
export type Axes = 'HW' | 'HWC' | 'CHW' | 'NHW';

/** The orders that three dimensions can be said to have. */
export const axesNames = ['HWC', 'CHW', 'NHW'] as const;

/** The most channels that are assumed if the axes are not given: grey or RGB, with opacity. */
const MOST_CHANNELS = 4;

/**
 * The order of a shape of three dimensions, where only one makes sense: H×W×C with at most four channels. Undefined for
 * shapes that could as well be C×H×W or a stack, and for more channels than pictures have.
 */
export function axesOf(shape: readonly number[]): Axes | undefined {
  const [first, , last] = shape;
  if (last <= 1) return 'HWC';
  return first > MOST_CHANNELS && last <= MOST_CHANNELS ? 'HWC' : undefined;
}
