import type { RandomSource } from 'ght';

/** Some of a list, drawn without replacement, in their order; all if there are not more. */
export function sample<T>(list: readonly T[], count: number, random: RandomSource): T[] {
  let wanted = Math.min(count, list.length);
  return list.filter((_, i) => {
    const drawn = random.below(list.length - i) < wanted;
    if (drawn) wanted--;
    return drawn;
  });
}
