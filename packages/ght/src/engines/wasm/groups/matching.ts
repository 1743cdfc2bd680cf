import type { I32, Module } from '../assembler.js';
import { V128 } from '../assembler.js';
import { madd } from '../blocks.js';
import type { GroupTarget } from './target.js';
import { listBytes } from './target.js';

/** Candidates whose distances are computed at once, in two vectors. */
const WIDE = 8;

/**
 * match(guide, y, columns, count, scratch): the groups of the references in row y whose places are at `columns`, to the
 * lists of the scratch. As in groups/matching.ts, but a candidate is given up as soon as it is farther than the worst
 * member. Rows near the reference come first, since members are likely there; among equals the place decides, which is the
 * lower half of a key.
 */
export function matching(module: Module, name: string, target: GroupTarget): void {
  const { pass, width, height, scratch } = target;
  const { patch, reach, members } = pass;
  const pitch = 4 * width;
  module.fn(name, ['i32', 'i32', 'i32', 'i32', 'i32'], undefined, (f) => {
    const [guide, y, columns, count, at] = f.parameters as [I32, I32, I32, I32, I32];
    const list = f.i32(at.add(scratch.lists));
    const itself = f.i32();
    const alone = members === 1 || reach === 0;
    const [x, left, right] = [f.i32(), f.i32(), f.i32()];
    const [row, place, end, from] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const lastKey = at.i64(scratch.keys + 8 * (members - 2));
    const [found, keys] = [f.i32(), f.i32(at.add(scratch.keys))];
    const [worst, worsts] = [f.f32(), f.v128()];
    const sums = f.vectors(4);
    const [sample, difference] = [f.v128(), f.v128()];
    const [near, distance, key, slot] = [f.i32(), f.f32(), f.i64(), f.i32()];

    /** Puts a candidate where it belongs among the members; the last falls off where there are too many. */
    const insert = () => {
      slot.set(keys.add(found.shl(3)));
      f.if(
        found.lt(members - 1),
        () => found.set(found.add(1)),
        () => slot.set(slot.sub(8)),
      );
      f.while(
        () => slot.gt(keys).and(slot.sub(8).i64().gt(key)),
        () => {
          f.store(slot, slot.sub(8).i64());
          slot.set(slot.sub(8));
        },
      );
      f.store(slot, key);
      f.if(found.eq(members - 1), () => {
        worst.set(keys.f32(8 * (members - 2) + 4));
        worsts.set(worst.splat());
      });
    };

    /** Of the eight candidates those that are near enough, from left to right. */
    const take = () => {
      f.store(at, sums[0].add(sums[2]), scratch.distances);
      f.store(at, sums[1].add(sums[3]), scratch.distances + 16);
      f.while(
        () => near.ne(0),
        () => {
          slot.set(near.lowestBit().shl(2));
          from.set(place.add(slot));
          distance.set(slot.add(at).f32(scratch.distances));
          near.set(near.and(near.sub(1)));
          f.if(distance.le(worst).and(from.le(end)).and(from.ne(itself)), () => {
            key.set(distance.bits().widen().shl(32).or(from.widen()));
            f.if(found.lt(members - 1).or(lastKey.gt(key)), insert);
          });
        },
      );
    };

    /** Sums the rows from `top` on, two at a time, while any of the eight is still near enough. */
    const addRows = (top: number) => {
      for (let r = top; r < Math.min(patch, top + 2); r++) {
        for (let i = 0; i < patch; i++) {
          sample.set(at.v128(scratch.reference + 16 * (r * patch + i)));
          for (const v of [0, 1]) {
            const sum = sums[v + 2 * (i % 2)];
            difference.set(from.v128(r * pitch + 4 * i + 16 * v).sub(sample));
            sum.set(madd(target, difference, difference, sum));
          }
        }
      }
      const within = (v: number) => sums[v].add(sums[v + 2]).le(worsts);
      near.set(within(0).mask().or(within(1).mask().shl(4)));
      f.if(near.ne(0), top + 2 < patch ? () => addRows(top + 2) : take);
    };

    f.count(count, () => {
      x.set(columns.i32());
      itself.set(y.mul(pitch).add(x));
      f.store(list, itself, 16);
      found.set(0);
      if (!alone) {
        left.set(x.sub(4 * reach).choose(x.ge(4 * reach), 0));
        right.set(x.add(4 * reach));
        right.set(right.choose(right.lt(4 * (width - patch)), 4 * (width - patch)));
        from.set(guide.add(itself));
        for (let r = 0; r < patch; r++) {
          for (let i = 0; i < patch; i++) {
            f.store(at, from.splat(r * pitch + 4 * i), scratch.reference + 16 * (r * patch + i));
          }
        }
        worst.set(Number.POSITIVE_INFINITY);
        worsts.set(worst.splat());
        f.count(2 * reach + 1, (n) => {
          // y, y − 1, y + 1, y − 2, …; above the picture the number is huge.
          row.set(y.add(n.shr(1)).choose(n.and(1).not(), y.sub(n.add(1).shr(1))));
          f.if(row.le(height - patch), () => {
            place.set(row.mul(pitch).add(left));
            end.set(row.mul(pitch).add(right));
            f.repeat(
              () => {
                from.set(guide.add(place));
                for (const sum of sums) sum.set(V128.zero);
                addRows(0);
                place.set(place.add(4 * WIDE));
              },
              () => place.le(end),
            );
          });
        });
        // The members after the reference.
        slot.set(keys);
        from.set(list);
        f.count(found, () => {
          f.store(from, slot.i32(), 20);
          slot.set(slot.add(8));
          from.set(from.add(4));
        });
      }
      f.store(list, found.add(1));
      list.set(list.add(listBytes(pass)));
      columns.set(columns.add(4));
    });
  });
}
