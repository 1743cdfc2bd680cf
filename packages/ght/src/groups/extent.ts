/** How far the passes of a recipe look, and where its tiles and bands may begin. */
import type { Pass, Step } from './recipes.js';
import { isPass } from './recipes.js';

/**
 * How far a pixel of the result looks. In one pass it is shown by members of groups, each no further from its reference
 * than the reach, where the others of its group may lie as far on the other side; and a patch is as wide as it is.
 */
export function marginOf(recipe: readonly Step[]): number {
  return recipe.filter(isPass).reduce((sum, { reach, patch }) => sum + 2 * (reach + patch), 0);
}

/** The fewest rows of a band of references: groups of a band must not touch those of the band after the next. */
export function leastBand({ reach, patch }: Pick<Pass, 'reach' | 'patch'>): number {
  return 2 * reach + patch;
}

/** Rows of a band for all passes of a recipe: as few as that allows, and a number that many strides divide. */
export function bandOf(recipe: readonly Step[]): number {
  return 30 * Math.ceil(Math.max(...recipe.filter(isPass).map(leastBand)) / 30);
}

/** Where tiles may begin: references and bands then lie where they would in the whole, and even bands stay even. */
export function alignmentOf(recipe: readonly Step[]): { readonly columns: number; readonly rows: number } {
  const strides = recipe.filter(isPass).reduce((common, { stride }) => leastCommonMultiple(common, stride), 1);
  return { columns: strides, rows: leastCommonMultiple(strides, 2 * bandOf(recipe)) };
}

/** The smallest side that a picture may have: that of the largest patch. */
export function leastSide(recipe: readonly Step[]): number {
  return Math.max(...recipe.filter(isPass).map(({ patch }) => patch));
}

function leastCommonMultiple(a: number, b: number): number {
  let [larger, rest] = [a, b];
  while (rest !== 0) [larger, rest] = [rest, larger % rest];
  return (a * b) / larger;
}
