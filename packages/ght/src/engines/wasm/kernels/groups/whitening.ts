/** Noise that is not white, as in denoisers/groups/whitening.ts. */
import { LEAST_DEVIATION } from '../../../../denoisers/groups/whitening.js';
import { F32, type Fn, type I32, type Module, V128 } from '../assembler.js';
import { madd, sumLanes } from '../maps.js';
import { define, passKernels } from '../signatures.js';
import { type GroupTarget, listBytes, type NoiseTable, type PatchFunctions } from './target.js';

/** Offsets in a list of the position of its group between two brightnesses, and of the row of the first of them. */
const [SHARE, ROW] = [4, 8];

/** name(guide, count, scratch): finds the brightness of the first `count` groups of the lists, in the first plane of the guide. */
export function brightness(module: Module, name: string, target: GroupTarget, noise: NoiseTable): void {
  const { pass, width, scratch } = target;
  const n = pass.patch;
  define(module, name, passKernels.brightness, (f, { guide, count, scratch: at }) => {
    const list = f.i32(at.add(scratch.lists));
    const [members, place, patch, row, knot] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
    const [sum, mean, low] = [f.v128(), f.f32(), f.f32()];
    f.count(count, () => {
      // The number of members that the filter uses.
      members.set(pass.filter.kind === 'rank' ? list.i32() : list.i32().powerBelow());
      sum.set(V128.zero);
      place.set(list.add(16));
      f.count(members, () => {
        patch.set(guide.add(place.i32()));
        for (let y = 0; y < n; y++) {
          for (let v = 0; v < n / 4; v++) sum.set(sum.add(patch.v128(4 * width * y + 16 * v)));
        }
        place.set(place.add(4));
      });
      mean.set(sumLanes(f, sum).div(members.toFloat().mul(n * n)));
      row.set(0);
      knot.set(noise.brightness);
      if (noise.count > 2) {
        f.while(knot.lt(noise.brightness + 4 * (noise.count - 2)).and(mean.gt(knot.f32(4))), () => {
          knot.set(knot.add(4));
          row.set(row.add(4 * n * n));
        });
      }
      low.set(knot.f32());
      const share = noise.count > 1 ? mean.sub(low).div(knot.f32(4).sub(low)) : F32.of(0);
      mean.set(share);
      f.if(mean.lt(0), () => mean.set(0));
      f.if(mean.gt(1), () => mean.set(1));
      f.store(list, mean, SHARE);
      f.store(list, row, ROW);
      list.set(list.add(listBytes(pass)));
    });
  });
}

/** Emits the deviations of a group, and their inverses, into the scratch: interpolated between two rows of the table of the plane. */
export function groupDeviations(f: Fn, target: GroupTarget, at: I32, list: I32, table: I32): void {
  const { pass, scratch } = target;
  const bytes = 4 * pass.patch ** 2;
  const row = f.i32(table.add(list.i32(ROW)));
  const share = f.v128(list.splat(SHARE));
  const [low, s] = [f.v128(), f.v128()];
  const [least, one] = [f.v128(F32.of(LEAST_DEVIATION).splat()), f.v128(F32.of(1).splat())];
  for (let there = 0; there < bytes; there += 16) {
    low.set(row.v128(there));
    s.set(madd(target, share, row.v128(bytes + there).sub(low), low).max(least));
    f.store(at, s, scratch.deviations + there);
    f.store(at, one.div(s), scratch.inverses + there);
  }
}

/** Emits a product of a patch with the deviations of its group, or with their inverses, in place. */
function scale(f: Fn, { pass }: GroupTarget, at: I32, patch: I32, factors: number): void {
  for (let there = 0; there < 4 * pass.patch ** 2; there += 16) {
    f.store(patch, patch.v128(there).mul(at.v128(factors + there)), there);
  }
}

/** The transform of a patch followed by a division by the deviations of its group, and its inverse. */
export function whitened(module: Module, name: string, target: GroupTarget, plain: PatchFunctions): PatchFunctions {
  const { deviations, inverses } = target.scratch;
  return {
    analysis: module.fn(`${name}Whiten`, ['i32', 'i32', 'i32'], undefined, (f) => {
      const [from, out, at] = f.parameters as I32[];
      f.call(plain.analysis, from, out, at);
      scale(f, target, at, out, inverses);
    }),
    synthesis: module.fn(`${name}Unwhiten`, ['i32', 'i32'], undefined, (f) => {
      const [patch, at] = f.parameters as I32[];
      scale(f, target, at, patch, deviations);
      f.call(plain.synthesis, patch, at);
    }),
  };
}
