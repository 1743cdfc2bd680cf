/** The recipes as they are written, in float64: what the fast engine is measured by. */
import { finish, type Work } from '../work.js';
import type { Group } from './filters.js';
import { lowRankGroup, rankThreshold, thresholdGroup, wienerGroup } from './filters.js';
import type { Plane } from './matching.js';
import { findGroup, places } from './matching.js';
import type { Pass, Slot, Step } from './recipes.js';
import { isPass } from './recipes.js';
import { transformOf } from './transforms.js';
import { kaiser } from './window.js';

/** The planes of a picture, all of the same size. */
export type Picture = readonly Plane[];

/** Follows a recipe on a picture whose planes all have noise of deviation 1; tells the number of each step it begins. */
export function* follow(recipe: readonly Step[], noisy: Picture, onStep?: (step: number) => void): Work<Picture> {
  const slots: Partial<Record<Slot, Picture>> = { noisy };
  const picture = (slot: Slot) => slots[slot] as Picture;
  for (const [i, step] of recipe.entries()) {
    onStep?.(i);
    slots[step.to] = isPass(step)
      ? yield* runPass(step, picture(step.from), picture(step.guide))
      : picture(step.a).map((a, c) => blend(step.share, a, picture(step.b)[c]));
  }
  return picture(recipe[recipe.length - 1].to);
}

/** One pass; the same groups are used on all planes. */
function* runPass(pass: Pass, from: Picture, guide: Picture): Work<Picture> {
  const { width, height } = from[0];
  const window = kaiser(pass.patch, pass.window);
  const sums = from.map(() => new Float64Array(width * height));
  const weights = from.map(() => new Float64Array(width * height));
  const filter = filterOf(pass);
  const rows = places(height, pass);
  for (const [i, y] of rows.entries()) {
    for (const x of places(width, pass)) {
      const members = findGroup(guide[0], pass, x, y);
      from.forEach((plane, c) => {
        const { group, weight } = filter(members, plane, guide[c]);
        group.forEach((patch, k) => {
          for (let n = 0; n < patch.length; n++) {
            const at = members[k] + Math.floor(n / pass.patch) * width + (n % pass.patch);
            sums[c][at] += weight * window[n] * patch[n];
            weights[c][at] += weight * window[n];
          }
        });
      });
      yield i / rows.length;
    }
  }
  return sums.map((sum, c) => ({ width, height, data: sum.map((value, i) => value / weights[c][i]) }));
}

type FilterGroup = (members: readonly number[], from: Plane, pilot: Plane) => { group: Group; weight: number };

function filterOf({ patch, filter }: Pass): FilterGroup {
  if (filter.kind === 'rank') {
    return (members, from) => {
      const group = gather(members, from, patch);
      const tau = rankThreshold(filter.factor, filter.noise, patch, members.length);
      return { group, weight: lowRankGroup(group, tau) };
    };
  }
  const transform = transformOf(filter.transform, patch);
  return (members, from, pilot) => {
    // Haar wants a power of two: the farthest members are left out.
    const taken = members.slice(0, 2 ** Math.floor(Math.log2(members.length)));
    const group = gather(taken, from, patch);
    const weight =
      filter.kind === 'threshold'
        ? thresholdGroup(group, transform, filter.tau)
        : wienerGroup(group, gather(taken, pilot, patch), transform);
    return { group, weight };
  };
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

/** The whole recipe at once. */
export function followed(recipe: readonly Step[], noisy: Picture): Picture {
  return finish(follow(recipe, noisy));
}
