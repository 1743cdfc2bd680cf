/** The margin that the passes of a recipe need, and the positions where its tiles and bands may begin. */
import { leastCommonMultiple } from '../tiles.js';
import { isPass, type Pass, type Step } from './recipes.js';
import { volumeReach } from './volumes.js';

/**
 * How far a pixel of the result depends on others. In one pass a pixel is covered by members of groups. Each member is
 * within the reach of its reference, and the other members may be as far away on the other side; the patch adds its width.
 */
export function marginOf(recipe: readonly Step[]): number {
  return recipe.filter(isPass).reduce((sum, pass) => sum + 2 * (reachOf(pass) + pass.patch), 0);
}

function reachOf({ reach, volumes }: Pick<Pass, 'reach' | 'volumes'>): number {
  return volumes ? Math.max(reach, volumeReach(volumes)) : reach;
}

/** The fewest rows of a band of references such that groups of a band do not touch those of the band after the next. */
export function leastBand(pass: Pick<Pass, 'reach' | 'patch' | 'volumes'>): number {
  // References of single patches may be half a patch from that of the volume in whose band they are.
  return 2 * reachOf(pass) + (pass.volumes ? 2 : 1) * pass.patch;
}

/** Rows per band for all passes of a recipe: as few as possible, and a number that many strides divide. */
export function bandOf(recipe: readonly Step[]): number {
  return 30 * Math.ceil(Math.max(...recipe.filter(isPass).map(leastBand)) / 30);
}

/** Where tiles may begin: references and bands then have the same positions as in the whole, and even bands stay even. */
export function alignmentOf(recipe: readonly Step[]): { readonly columns: number; readonly rows: number } {
  const strides = recipe.filter(isPass).reduce((common, { stride, patch, volumes }) => {
    const own = leastCommonMultiple(common, stride);
    return volumes ? leastCommonMultiple(leastCommonMultiple(own, volumes.stride), patch) : own;
  }, 1);
  return { columns: strides, rows: leastCommonMultiple(strides, 2 * bandOf(recipe)) };
}

/** The smallest side that a picture may have: that of the largest patch. */
export function leastSide(recipe: readonly Step[]): number {
  return Math.max(...recipe.filter(isPass).map(({ patch }) => patch));
}
