/** The recipes as written, in float64: the fast engine is tested against this. */

import type { Work } from '../../work.js';
import type { Tile, TileNoise, TilePages } from '../denoiser.js';
import { type Group, lowRankGroup, rankThreshold, thresholdGroup, wienerGroup } from './filters.js';
import { findGroup, type Plane, places } from './matching.js';
import { isPass, type Pass, type Slot, type Step, volumePass } from './recipes.js';
import { identity, transformOf } from './transforms.js';
import { patchNoise, plainDistances, type Stack, VolumeSearch, volumePlaces } from './volumes.js';
import { brightnessOf, deviationsAt, unwhiten, whiten } from './whitening.js';
import { kaiser } from './window.js';

/** The planes of a picture, all of the same size. */
export type Picture = readonly Plane[];

/**
 * Runs a recipe on a picture whose noise has deviation 1 in all planes, or is given in `noise`. Reports the number of each
 * step as it begins.
 */
export function* follow(
  recipe: readonly Step[],
  noisy: Picture,
  { noise, pages }: Pick<Tile, 'noise' | 'pages'> = {},
  onStep?: (step: number) => void,
): Work<Picture> {
  const slots: Partial<Record<Slot, Picture>> = { noisy };
  const picture = (slot: Slot) => slots[slot] as Picture;
  for (const [i, step] of recipe.entries()) {
    onStep?.(i);
    const isLast = i === recipe.length - 1;
    const stack = pages && { ...pages, depths: isLast ? pages.depths : undefined };
    slots[step.to] = isPass(step)
      ? yield* runPass(step, picture(step.from), picture(step.guide), noise, stack)
      : picture(step.a).map((a, c) => blend(step.share, a, picture(step.b)[c]));
  }
  return picture(recipe[recipe.length - 1].to);
}

/** One pass; the same groups are used on all planes. */
function* runPass(
  pass: Pass,
  from: Picture,
  guide: Picture,
  noise: TileNoise | undefined,
  pages: TilePages | undefined,
): Work<Picture> {
  const { width, height } = from[0];
  const { patch, filter } = pass;
  const window = kaiser(patch, pass.window);
  const sums = from.map(() => new Float64Array(width * height));
  const weights = from.map(() => new Float64Array(width * height));
  const isWhitened = noise !== undefined;
  const [applySingle, applyVolumes] = [filterOf(pass, isWhitened), filterOf(volumePass(pass), isWhitened)];
  for (const [found, fraction, isVolume] of groupsOf(pass, guide[0], noise, pages)) {
    // Haar needs a power of two: the most distant members are left out.
    const members = filter.kind === 'rank' ? found : found.slice(0, 2 ** Math.floor(Math.log2(found.length)));
    const brightness = noise && brightnessOf(guide[0], members, patch);
    from.forEach((plane, c) => {
      const group = gather(members, plane, patch);
      const pilot = filter.kind === 'wiener' ? gather(members, guide[c], patch) : [];
      const s = noise && brightness !== undefined ? deviationsAt(noise, c, brightness) : undefined;
      if (s) for (const each of [group, pilot]) whiten(each, s);
      const weight = (isVolume ? applyVolumes : applySingle)(group, pilot);
      if (s) unwhiten(group, s);
      group.forEach((samples, k) => {
        for (let n = 0; n < samples.length; n++) {
          const at = members[k] + Math.floor(n / patch) * width + (n % patch);
          sums[c][at] += weight * window[n] * samples[n];
          weights[c][at] += weight * window[n];
        }
      });
    });
    yield fraction;
  }
  return sums.map((sum, c) => ({ width, height, data: sum.map((value, i) => value / weights[c][i]) }));
}

/** The members of a group, the fraction of the groups before it, and whether it is one of volumes. */
type FoundGroup = readonly [members: readonly number[], fraction: number, isVolume?: boolean];

/** The groups of a pass, one after the other. */
function* groupsOf(
  pass: Pass,
  guide: Plane,
  noise: TileNoise | undefined,
  { count, kept, alike, motions, origin, depths }: TilePages = { count: 1, kept: [0, 1] },
): Generator<FoundGroup> {
  const { volumes, patch } = pass;
  const { width } = guide;
  const height = guide.height / count;
  if (!volumes) {
    const rows = places(guide.height, pass);
    for (const [i, y] of rows.entries()) {
      for (const x of places(width, pass)) yield [findGroup(guide, pass, x, y), i / rows.length];
    }
    return;
  }
  const stack: Stack = { width, height, pages: count, kept, alike, motions, origin };
  const search = new VolumeSearch(stack, { ...pass, volumes }, plainDistances(guide, patch));
  const noiseAt = patchNoise(patch, noise);
  for (let page = 0; page < count; page++) {
    const first = page * height * width;
    const one: Plane = { width, height, data: guide.data.subarray(first, first + height * width) };
    for (const row of volumePlaces(height, { ...pass, volumes }, stack, page)) {
      for (const column of volumePlaces(width, { ...pass, volumes }, stack, page)) {
        const expected = noiseAt(brightnessOf(one, [row.at * width + column.at], patch));
        const found = search.find(page, column.at, row.at, expected);
        const fraction = (page + row.at / height) / count;
        if (depths) {
          depths[2 * page] += found.depth;
          depths[2 * page + 1]++;
        }
        if (found.depth > 1) {
          yield [Array.from(found.members.subarray(0, found.count)), fraction, true];
          continue;
        }
        for (const y of row.singles) {
          for (const x of column.singles) yield [findGroup(one, pass, x, y).map((at) => first + at), fraction];
        }
      }
    }
  }
}

/** Filters a group in place and returns its weight. */
type FilterGroup = (group: Group, pilot: Group) => number;

/** The filter of a pass; a whitened group is already transformed. */
function filterOf({ patch, filter }: Pass, whitened: boolean): FilterGroup {
  if (filter.kind === 'rank') {
    return (group) => lowRankGroup(group, rankThreshold(filter.factor, filter.noise, patch, group.length));
  }
  const transform = whitened ? identity(patch) : transformOf(filter.transform, patch);
  return filter.kind === 'threshold'
    ? (group) => thresholdGroup(group, transform, filter.tau)
    : (group, pilot) => wienerGroup(group, pilot, transform);
}

/** The patches that begin at these samples. */
function gather(members: readonly number[], { width, data }: Plane, patch: number): Group {
  return members.map((at) =>
    Float64Array.from({ length: patch * patch }, (_, n) => data[at + Math.floor(n / patch) * width + (n % patch)]),
  );
}

function blend(share: number, a: Plane, b: Plane): Plane {
  return { ...a, data: a.data.map((value, i) => share * value + (1 - share) * b.data[i]) };
}
