import { F32, I32, type Module, V128 } from '../assembler.js';
import { madd } from '../maps.js';
import { define, passKernels } from '../signatures.js';
import { type GroupTarget, listBytes, stripsOf } from './target.js';

/** Registers for sums: together with a sample and a difference they fit into sixteen registers. */
const SUMS = 11;

/**
 * match(guide, y, columns, count, scratch): writes the groups of the references in row y at the places `columns` to the lists of
 * the scratch, as in denoisers/groups/matching.ts. It takes one row of candidates at a time, nearest first, and all shifts along the row at
 * once. The distances of a reference are sums over the strips of columns that its patch consists of, and neighbouring references
 * share strips. Equal distances are ordered by place, which is the lower half of a key.
 */
export function matching(module: Module, name: string, target: GroupTarget): void {
  const { pass, width, height, scratch } = target;
  const { patch, stride, reach, members } = pass;
  const pitch = 4 * width;
  const { wide, strips, vectors } = stripsOf(pass);
  const stripBytes = 16 * vectors;
  const others = members - 1;
  const alone = others === 0 || reach === 0;
  define(module, name, passKernels.match, (f, { guide, y, columns, count, scratch: at }) => {
    const itself = f.i32(y.mul(pitch));
    const [x, before, row, from, to, n] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
    const [keys, state, found, slot] = [f.i32(), f.i32(), f.i32(), f.i32()];
    const [worst, worsts, distance, key] = [f.f32(), f.v128(), f.f32(), f.i64()];
    const [strip, first, near, shift, place] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
    const sums = f.vectors(vectors);
    const [sample, difference] = [f.v128(), f.v128()];

    /** Loops over the references: place along the row, members so far, their number, and the largest distance. */
    const eachReference = (body: (i: I32) => void) => {
      keys.set(at.add(scratch.keys));
      state.set(at.add(scratch.states));
      f.count(count, (i) => {
        x.set(columns.add(i.shl(2)).i32());
        body(i);
        keys.set(keys.add(8 * others));
        state.set(state.add(8));
      });
    };

    /** Inserts a candidate into the sorted members; the last one is dropped if there are too many. */
    const insert = () => {
      slot.set(keys.add(found.shl(3)));
      f.if(
        found.lt(others),
        () => found.set(found.add(1)),
        () => slot.set(slot.sub(8)),
      );
      // Four at a time while all of them move up.
      f.while(slot.ge(keys.add(32)).and(slot.sub(32).i64().gt(key)), () => {
        slot.set(slot.sub(32));
        sample.set(slot.v128(16));
        difference.set(slot.v128());
        f.store(slot, sample, 24);
        f.store(slot, difference, 8);
      });
      f.while(slot.gt(keys).and(slot.sub(8).i64().gt(key)), () => {
        f.store(slot, slot.sub(8).i64());
        slot.set(slot.sub(8));
      });
      f.store(slot, key);
      f.if(found.eq(others), () => {
        worst.set(keys.f32(8 * (others - 1) + 4));
        worsts.set(worst.splat());
      });
    };

    /** Distances of one strip at all shifts: sums over its samples, for as many shifts at a time as there are registers. */
    const sumStrip = () => {
      slot.set(first.add(strip));
      slot.set(slot.sub(strips).choose(slot.ge(strips), slot).mul(stripBytes).add(at));
      const rounds = Math.ceil(vectors / SUMS);
      for (let round = 0, left = 0; round < rounds; round++) {
        const some = sums.slice(left, left + Math.ceil((vectors - left) / (rounds - round)));
        from.set(
          guide
            .add(itself)
            .add(x)
            .add(strip.mul(4 * wide)),
        );
        to.set(
          guide
            .add(row)
            .add(x)
            .add(strip.mul(4 * wide))
            .sub(4 * reach - 16 * left),
        );
        for (const sum of some) sum.set(V128.zero);
        f.count(patch, () => {
          for (let i = 0; i < wide; i++) {
            sample.set(from.splat(4 * i));
            some.forEach((sum, v) => {
              difference.set(to.v128(4 * i + 16 * v).sub(sample));
              sum.set(madd(target, difference, difference, sum));
            });
          }
          from.set(from.add(pitch));
          to.set(to.add(pitch));
        });
        const offset = scratch.strips + 16 * left;
        some.forEach((sum, v) => {
          f.store(slot, sum, offset + 16 * v);
          f.store(slot, sum, offset + 16 * (vectors * strips + v));
        });
        left += some.length;
      }
    };

    /** Inserts the candidates of this row that are near enough, from left to right. */
    const take = () => {
      for (const [v, sum] of sums.entries()) f.store(at, sum, scratch.distances + 16 * v);
      shift.set(0);
      f.repeat(() => {
        near.set(shift.add(at).v128(scratch.distances).le(worsts).mask());
        f.while(near.ne(0), () => {
          n.set(near.lowestBit().shl(2).add(shift));
          near.set(near.and(near.sub(1)));
          // Left of the picture the unsigned number is huge.
          place.set(x.add(n).sub(4 * reach));
          distance.set(n.add(at).f32(scratch.distances));
          const inside = place.le(4 * (width - patch)).and(n.le(8 * reach));
          f.if(inside.and(distance.le(worst)).and(place.add(row).ne(itself.add(x))), () => {
            place.set(place.add(row));
            key.set(distance.bits().widen().shl(32).or(place.widen()));
            f.if(found.lt(others).or(keys.i64(8 * (others - 1)).gt(key)), insert);
          });
        });
        shift.set(shift.add(16));
      }, shift.lt(stripBytes));
      f.store(state, found);
      f.store(state, worst, 4);
    };

    /** One reference and one row of candidates: computes the new strips, then the sums over all strips. */
    const reference = () => {
      // The ring of strips continues if the previous reference was one stride to the left; otherwise it starts again.
      f.if(
        x.eq(before.add(4 * stride)),
        () => {
          first.set(first.add(stride / wide));
          first.set(first.sub(strips).choose(first.ge(strips), first));
          strip.set(Math.max(0, strips - stride / wide));
        },
        () => {
          first.set(0);
          strip.set(0);
        },
      );
      before.set(x);
      f.repeat(() => {
        sumStrip();
        strip.set(strip.add(1));
      }, strip.lt(strips));
      found.set(state.i32());
      worst.set(state.f32(4));
      worsts.set(worst.splat());
      // The ring is stored twice, so that sums always go from left to right: a distance must not depend on where the ring begins.
      place.set(first.mul(stripBytes).add(at));
      sums.forEach((sum, v) => {
        sum.set(place.v128(scratch.strips + 16 * v));
        for (let s = 1; s < strips; s++) sum.set(sum.add(place.v128(scratch.strips + 16 * (vectors * s + v))));
      });
      difference.set(sums[0].le(worsts));
      for (const sum of sums.slice(1)) difference.set(difference.or(sum.le(worsts)));
      f.if(difference.any(), take);
    };

    if (!alone) {
      eachReference(() => {
        f.store(state, I32.of(0));
        f.store(state, F32.of(Number.POSITIVE_INFINITY), 4);
      });
      f.count(2 * reach + 1, (i) => {
        // y, y − 1, y + 1, y − 2, …; above the picture the unsigned number is huge.
        row.set(y.add(i.shr(1)).choose(i.and(1).not(), y.sub(i.add(1).shr(1))));
        f.if(row.le(height - patch), () => {
          row.set(row.mul(pitch));
          // There is no previous reference.
          before.set(1 << 30);
          eachReference(reference);
        });
      });
    }
    const list = f.i32(at.add(scratch.lists));
    eachReference(() => {
      f.store(list, itself.add(x), 16);
      found.set(alone ? 0 : state.i32());
      f.store(list, found.add(1));
      slot.set(keys);
      to.set(list);
      f.count(found, () => {
        f.store(to, slot.i32(), 20);
        slot.set(slot.add(8));
        to.set(to.add(4));
      });
      list.set(list.add(listBytes(pass)));
    });
  });
}
