/**
 * The denoisers as recipes: passes over all groups of a picture whose noise has deviation 1, and blends between them. A step
 * reads and writes pictures in named slots. The noisy picture is in `noisy` at first; the result is in the slot of the last
 * step.
 */
import type { Grouping } from './matching.js';
import type { TransformName } from './transforms.js';
import { mostMembers, type Volumes } from './volumes.js';

/** The recipes: `fast` filters each patch by itself, `balanced` groups similar patches, `best` also adapts a basis to each group. */
export const recipeNames = ['fast', 'balanced', 'best'] as const;

/** The name of a recipe. */
export type RecipeName = (typeof recipeNames)[number];

/** The name of a picture that a recipe reads or writes. */
export type Slot = 'noisy' | 'pilot' | 'joint';

/** The filter that a pass applies to each group; see filters.ts. */
export type Filter =
  | { readonly kind: 'threshold'; readonly transform: TransformName; readonly tau: number }
  | { readonly kind: 'wiener'; readonly transform: TransformName }
  | { readonly kind: 'rank'; readonly factor: number; readonly noise: number };

/** Groups are found on the first plane of `guide`, filled with the patches of `from`, filtered, and averaged into `to`. */
export interface Pass extends Grouping {
  readonly name: string;
  readonly from: Slot;
  /** Also the pilot of the Wiener filter. */
  readonly guide: Slot;
  readonly to: Slot;
  readonly filter: Filter;
  /** β of the Kaiser window. */
  readonly window: number;
  /** How patches are followed through the pages of a stack; absent in a recipe for single pictures. */
  readonly volumes?: Volumes;
}

/** to = share · a + (1 − share) · b. */
export interface Blend {
  readonly name: string;
  readonly share: number;
  readonly a: Slot;
  readonly b: Slot;
  readonly to: Slot;
}

/** One step of a recipe. */
export type Step = Pass | Blend;

/** Whether a step is a pass over groups. */
export function isPass(step: Step): step is Pass {
  return 'filter' in step;
}

const alone = { patch: 8, stride: 1, reach: 0, members: 1, window: 0 };

/** GHT on every patch by itself, then Wiener with that result as the pilot. */
const fast: readonly Step[] = [
  {
    ...{ name: 'threshold', from: 'noisy', guide: 'noisy', to: 'pilot', ...alone },
    filter: { kind: 'threshold', transform: 'dct', tau: 2.6 },
  },
  {
    ...{ name: 'wiener', from: 'noisy', guide: 'pilot', to: 'pilot', ...alone },
    filter: { kind: 'wiener', transform: 'dct' },
  },
];

/** GHT on groups found in the noise, then Wiener on groups found in the pilot. */
const balanced = (to: Slot, strides: readonly [number, number] = [3, 4]): readonly Step[] => [
  {
    ...{ name: 'pilot', from: 'noisy', guide: 'noisy', to: 'pilot' },
    ...{ patch: 8, stride: strides[0], reach: 19, members: 16, window: 2 },
    filter: { kind: 'threshold', transform: 'bior', tau: 2.6 },
  },
  {
    ...{ name: 'wiener', from: 'noisy', guide: 'pilot', to },
    ...{ patch: 8, stride: strides[1], reach: 24, members: 32, window: 2 },
    filter: { kind: 'wiener', transform: 'dct' },
  },
];

/**
 * After `balanced`, groups with singular bases of their own, twice. The second time starts from the blend of both results,
 * with some of the removed noise added back, since some of the picture was removed with it.
 */
const best: readonly Step[] = [
  ...balanced('joint'),
  {
    ...{ name: 'low rank', from: 'noisy', guide: 'pilot', to: 'pilot' },
    ...{ patch: 8, stride: 4, reach: 29, members: 64, window: 0 },
    filter: { kind: 'rank', factor: 1.03, noise: 1 },
  },
  { name: 'blend', share: 0.6, a: 'pilot', b: 'joint', to: 'pilot' },
  { name: 'feedback', share: 0.2, a: 'noisy', b: 'pilot', to: 'noisy' },
  {
    ...{ name: 'low rank again', from: 'noisy', guide: 'pilot', to: 'pilot' },
    ...{ patch: 8, stride: 5, reach: 29, members: 96, window: 0 },
    filter: { kind: 'rank', factor: 1.03, noise: 0.25 },
  },
];

const recipes: Readonly<Record<RecipeName, readonly Step[]>> = { fast, balanced: balanced('pilot'), best };

/**
 * `best` for noise that depends on frequency: more groups instead of singular bases. Singular bases of whitened groups take
 * eight times the work of `balanced`, and lose 0.15 dB on photographs (`docs/photographs.md`).
 */
const bestColoured = balanced('pilot', [2, 2]);

/** The recipe of a quality, for white noise or noise that depends on frequency. */
export function recipeOf(quality: RecipeName, noise: 'white' | 'coloured' = 'white'): readonly Step[] {
  return quality === 'best' && noise === 'coloured' ? bestColoured : recipes[quality];
}

/** How the patches of a pass with this filter are followed; in a denoised guide, patches that are alike are much nearer. */
const volumesOf = ({ guide, members }: Pass, depth: number): Volumes => ({
  ...{
    depth,
    stride: 3,
    reach: members === 1 ? 0 : 5,
    members: members === 1 ? 1 : 8,
    tau: 2.76,
  },
  ...(guide === 'noisy' ? { alike: 1.6, price: 30 } : { alike: 0.3, price: 1 }),
});

/** A recipe for the pages of a series: patches are followed through at most this many pages. */
export function seriesRecipe(recipe: readonly Step[], depth: number): readonly Step[] {
  return recipe.map((step) => (isPass(step) ? { ...step, volumes: volumesOf(step, depth) } : step));
}

/** The filter of a pass for groups of volumes. */
export function volumePass(pass: Pass): Pass {
  const { volumes, filter } = pass;
  if (!volumes) return pass;
  const own = filter.kind === 'threshold' ? { ...filter, tau: volumes.tau } : filter;
  return { ...pass, members: mostMembers({ ...pass, volumes }), filter: own };
}

/** One pass with groups of their own singular bases: the strongest prior of restoration. */
const rank: readonly Step[] = [
  {
    ...{ name: 'low rank', from: 'noisy', guide: 'noisy', to: 'pilot' },
    ...{ patch: 8, stride: 4, reach: 20, members: 64, window: 0 },
    filter: { kind: 'rank', factor: 1.03, noise: 1 },
  },
];

/**
 * The recipes that restoration repeats, by name. `threshold` is GHT on groups, the first half of `balanced`: in deblurring and
 * upscaling its second half, Wiener, makes the result worse. `rank` is better and three times as slow.
 */
export const priors = { fast, balanced: recipes.balanced, threshold: recipes.balanced.slice(0, 1), rank } as const;

/** The name of a prior. */
export type PriorName = keyof typeof priors;

/** Approximate time of a step, in any unit: the weights of progress. */
export function effortOf(step: Step): number {
  if (!isPass(step)) return 0;
  const { filter, patch, stride, reach, members } = step;
  const matching = (2 * reach + 1) ** 2 * patch ** 2;
  const transforms = { threshold: 2, wiener: 3, rank: 1 }[filter.kind] * members * patch ** 3;
  const eigenproblem = filter.kind === 'rank' ? 4 * patch ** 6 : 0;
  return (matching + 4 * transforms + eigenproblem) / stride ** 2;
}
