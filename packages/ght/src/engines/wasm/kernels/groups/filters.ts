/** The filters of denoisers/groups/filters.ts that work on transform coefficients. */
import { F32, type Fn, type I32, type Module } from '../assembler.js';
import { madd, sumLanes } from '../maps.js';
import { define, passKernels } from '../signatures.js';
import { aggregation } from './aggregation.js';
import { type GroupTarget, listBytes } from './target.js';
import { transformFunctions } from './transforms.js';
import { groupDeviations } from './whitening.js';

/**
 * name(from, pilot, count, sums, weights, scratch, noise): filters the first `count` groups of the lists, which consist of patches
 * of the plane `from`, and adds them to `sums` and `weights`. `noise` is the table of deviations of the plane, if there is one.
 */
export function transformFilter(module: Module, name: string, target: GroupTarget): void {
  const { pass, scratch } = target;
  const { filter, patch } = pass;
  if (filter.kind === 'rank') throw new Error('a low-rank filter transforms nothing');
  const functions = transformFunctions(module, name, target);
  const bytes = 4 * patch * patch;
  define(module, name, passKernels.filter, (f, { from, pilot, count, sums, weights, scratch: at, noise }) => {
    const list = f.i32(at.add(scratch.lists));
    const [members, places, place, out, end] = [f.i32(), f.i32(), f.i32(), f.i32(), f.i32()];
    const [group, guide] = [f.i32(at.add(scratch.group)), f.i32(at.add(scratch.pilot))];
    const weight = f.f32();

    const forward = (plane: I32, to: I32) => {
      place.set(places);
      out.set(to);
      f.repeat(
        () => {
          f.call(functions.analysis, plane.add(place.i32()), out, at);
          place.set(place.add(4));
          out.set(out.add(bytes));
        },
        out.lt(end.sub(group).add(to)),
      );
      f.call(functions.haar, to, members);
    };
    const gained = filter.kind === 'threshold' ? threshold(f, target, filter.tau) : wiener(f, target);

    f.count(count, () => {
      // The Haar transform needs a power of two.
      members.set(list.i32().powerBelow());
      places.set(list.add(16));
      end.set(members.mul(bytes).add(group));
      if (target.noise) groupDeviations(f, target, at, list, noise);
      forward(from, group);
      if (filter.kind === 'wiener') forward(pilot, guide);
      weight.set(gained(group, guide, end));
      f.call(functions.inverseHaar, group, members);
      out.set(group);
      f.repeat(() => {
        f.call(functions.synthesis, out, at);
        out.set(out.add(bytes));
      }, out.lt(end));
      aggregation(f, target, at, { places, members, group }, weight, sums, weights);
      list.set(list.add(listBytes(pass)));
    });
  });
}

type Gained = (group: I32, pilot: I32, end: I32) => F32;

/** Sets coefficients below τ to zero, except the first; returns 1 / (number kept). */
function threshold(f: Fn, { pass }: GroupTarget, tau: number): Gained {
  const [at, kept, taus] = [f.i32(), f.i32(), f.v128(F32.of(tau).splat())];
  const [value, large, mean] = [f.v128(), f.v128(), f.f32()];
  return (group, _, end) => {
    at.set(group);
    mean.set(group.f32());
    kept.set(mean.abs().lt(tau));
    f.repeat(() => {
      for (let v = 0; v < pass.patch; v++) {
        value.set(at.v128(16 * v));
        large.set(value.abs().ge(taus));
        f.store(at, value.and(large), 16 * v);
        kept.set(kept.add(large.mask().bitCount()));
      }
      at.set(at.add(16 * pass.patch));
    }, at.lt(end));
    f.store(group, mean);
    return F32.of(1).div(kept.toFloat());
  };
}

/** A pilot coefficient so large that the noise is negligible: g = 1. */
const CERTAIN = 1e9;

/** c ← c·g with g = p² / (p² + 1), and g = 1 for the first; returns 1 / Σ g². */
function wiener(f: Fn, target: GroupTarget): Gained {
  const { patch } = target.pass;
  const [at, beside] = [f.i32(), f.i32()];
  const [p, gains, one] = [f.v128(), f.v128(), f.v128(F32.of(1).splat())];
  return (group, pilot, end) => {
    at.set(group);
    beside.set(pilot);
    f.store(pilot, F32.of(CERTAIN));
    gains.set(F32.of(0).splat());
    f.repeat(() => {
      for (let v = 0; v < patch; v++) {
        p.set(beside.v128(16 * v));
        p.set(p.mul(p));
        p.set(p.div(p.add(one)));
        gains.set(madd(target, p, p, gains));
        f.store(at, at.v128(16 * v).mul(p), 16 * v);
      }
      at.set(at.add(16 * patch));
      beside.set(beside.add(16 * patch));
    }, at.lt(end));
    return F32.of(1).div(sumLanes(f, gains));
  };
}
