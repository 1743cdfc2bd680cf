/** The low-rank filter of denoisers/groups/filters.ts. The eigenproblem is always N×N, which is the smaller one except in tiny images. */
import { F32, type Fn, type I32, type Module, V128 } from '../assembler.js';
import { madd, sumLanes } from '../maps.js';
import { define, passKernels } from '../signatures.js';
import { aggregation } from './aggregation.js';
import { eigenvalues, rankAbove } from './eigenvalues.js';
import { eigenvectors } from './eigenvectors.js';
import { type GroupTarget, listBytes } from './target.js';
import { patchFunctions } from './transforms.js';
import { reflect, tridiagonal } from './tridiagonal.js';
import { groupDeviations } from './whitening.js';

/** name(from, pilot, count, sums, weights, scratch, noise): as in filters.ts; there is no pilot. */
export function lowRankFilter(module: Module, name: string, target: GroupTarget): void {
  const { pass, scratch } = target;
  const { filter, patch } = pass;
  if (filter.kind !== 'rank') throw new Error('not a low-rank filter');
  const N = patch * patch;
  const centre = gatherCentred(module, name, target);
  const whitening = target.noise && patchFunctions(module, name, target);
  const centreWhitened = whitening && gatherWhitened(module, name, target, whitening.analysis);
  const gram = gramMatrix(module, name, target);
  const reduce = tridiagonal(module, name, target, N);
  const rankOf = rankAbove(module, name, target, N);
  const values = eigenvalues(module, name, target, N);
  const vectors = eigenvectors(module, name, target, N);
  const turnBack = reflect(module, name, target, N);
  const project = projection(module, name, target);
  define(module, name, passKernels.filter, (f, { from, count, sums, weights, scratch: at, noise }) => {
    const list = f.i32(at.add(scratch.lists));
    const [members, rank, bound] = [f.i32(), f.i32(), f.f32()];
    f.count(count, () => {
      members.set(list.i32());
      if (target.noise) groupDeviations(f, target, at, list, noise);
      f.call(centreWhitened ?? centre, from, list, at);
      f.call(gram, members, at);
      f.call(reduce, at);
      bound.set(
        members
          .toFloat()
          .sqrt()
          .add(patch)
          .mul(filter.factor * filter.noise),
      );
      bound.set(bound.mul(bound));
      rank.set(f.value(rankOf, at, bound) as I32);
      f.if(rank.ne(0), () => {
        f.call(values, at, bound, rank);
        f.call(vectors, at, rank);
        f.call(turnBack, at, rank);
      });
      f.call(project, members, rank, at);
      const weight = F32.of(1).div(rank.add(1).toFloat().sqrt());
      const group = f.i32(at.add(scratch.group));
      if (whitening) {
        f.count(members, (k) => f.call(whitening.synthesis, group.add(k.mul(4 * N)), at));
      }
      aggregation(f, target, at, { places: list.add(16), members, group }, f.f32(weight), sums, weights);
      list.set(list.add(listBytes(pass)));
    });
  });
}

/** (from, list, scratch): gathers the patches of a group one after the other, and subtracts and stores their mean. */
function gatherCentred(module: Module, name: string, target: GroupTarget): Fn {
  const { pass, width, scratch } = target;
  const n = pass.patch;
  const [N, vectors] = [n * n, n / 4];
  return module.fn(`${name}Gather`, ['i32', 'i32', 'i32'], undefined, (f) => {
    const [from, list, at] = f.parameters as [I32, I32, I32];
    const [members, place, row, patch, mean] = [f.i32(list.i32()), f.i32(), f.i32(), f.i32(), f.i32(at)];
    const sums = f.vectors(vectors);
    const scale = f.v128(F32.of(1).div(members.toFloat()).splat());
    const group = f.i32(at.add(scratch.group));
    f.count(n, () => {
      // One row of every patch, and of their sum.
      for (const sum of sums) sum.set(V128.zero);
      place.set(list.add(16));
      patch.set(group);
      f.count(members, () => {
        row.set(from.add(place.i32()));
        sums.forEach((sum, v) => {
          f.store(patch, row.v128(16 * v), 16 * v);
          sum.set(sum.add(row.v128(16 * v)));
        });
        place.set(place.add(4));
        patch.set(patch.add(4 * N));
      });
      for (const [v, sum] of sums.entries()) f.store(mean, sum.mul(scale), scratch.mean + 16 * v);
      from.set(from.add(4 * width));
      group.set(group.add(4 * n));
      mean.set(mean.add(4 * n));
    });
    patch.set(at.add(scratch.group));
    f.count(members, () => {
      for (let v = 0; v < N / 4; v++) {
        f.store(patch, patch.v128(16 * v).sub(at.v128(scratch.mean + 16 * v)), 16 * v);
      }
      patch.set(patch.add(4 * N));
    });
  });
}

/** (from, list, scratch): the same for whitened patches. */
function gatherWhitened(module: Module, name: string, { pass, scratch }: GroupTarget, analysis: Fn): Fn {
  const N = pass.patch ** 2;
  return module.fn(`${name}GatherWhitened`, ['i32', 'i32', 'i32'], undefined, (f) => {
    const [from, list, at] = f.parameters as [I32, I32, I32];
    const members = f.i32(list.i32());
    const [place, patch, sum] = [f.i32(list.add(16)), f.i32(at.add(scratch.group)), f.v128()];
    f.count(members, () => {
      f.call(analysis, from.add(place.i32()), patch, at);
      place.set(place.add(4));
      patch.set(patch.add(4 * N));
    });
    const end = f.i32(patch);
    const scale = f.v128(F32.of(1).div(members.toFloat()).splat());
    for (let there = 0; there < 4 * N; there += 16) {
      sum.set(V128.zero);
      const each = (body: () => void) => {
        patch.set(at.add(scratch.group));
        f.repeat(() => {
          body();
          patch.set(patch.add(4 * N));
        }, patch.lt(end));
      };
      each(() => sum.set(sum.add(patch.v128(there))));
      sum.set(sum.mul(scale));
      f.store(at, sum, scratch.mean + there);
      each(() => f.store(patch, patch.v128(there).sub(sum), there));
    }
  });
}

/** (members, scratch): the matrix Σ x xᵀ in tiles of four rows and two vectors, on and above the diagonal, then mirrored. */
function gramMatrix(module: Module, name: string, target: GroupTarget): Fn {
  const { pass, scratch } = target;
  const N = pass.patch ** 2;
  const pitch = 4 * N;
  return module.fn(`${name}Gram`, ['i32', 'i32'], undefined, (f) => {
    const [members, at] = f.parameters as [I32, I32];
    const [top, left, patch, end, row] = [f.i32(0), f.i32(), f.i32(), f.i32(), f.i32()];
    const sums = f.vectors(8);
    const [x, y, splat] = [f.v128(), f.v128(), f.v128()];
    end.set(members.mul(pitch).add(at).add(scratch.group));
    f.repeat(() => {
      left.set(top.and(~31));
      f.repeat(() => {
        for (const sum of sums) sum.set(V128.zero);
        patch.set(at.add(scratch.group));
        f.repeat(() => {
          x.set(patch.add(left).v128());
          y.set(patch.add(left).v128(16));
          for (let r = 0; r < 4; r++) {
            splat.set(patch.add(top).splat(4 * r));
            sums[2 * r].set(madd(target, splat, x, sums[2 * r]));
            sums[2 * r + 1].set(madd(target, splat, y, sums[2 * r + 1]));
          }
          patch.set(patch.add(pitch));
        }, patch.lt(end));
        row.set(
          top
            .mul(pitch / 4)
            .add(left)
            .add(at),
        );
        for (const [i, sum] of sums.entries()) f.store(row, sum, scratch.matrix + (i >> 1) * pitch + 16 * (i % 2));
        left.set(left.add(32));
      }, left.lt(pitch));
      top.set(top.add(16));
    }, top.lt(pitch));
    // Mirror to the part below the diagonal.
    const [i, j, above] = [f.i32(0), f.i32(), f.i32()];
    f.repeat(() => {
      row.set(i.mul(pitch / 4).add(at));
      above.set(at.add(i));
      j.set(row);
      f.while(j.lt(row.add(i)), () => {
        f.store(j, above.f32(scratch.matrix), scratch.matrix);
        j.set(j.add(4));
        above.set(above.add(pitch));
      });
      i.set(i.add(4));
    }, i.lt(pitch));
  });
}

/** (members, rank, scratch): x ← mean + Σ (uᵀx) u over the first vectors u of the scratch, for every patch. */
function projection(module: Module, name: string, target: GroupTarget): Fn {
  const { pass, scratch } = target;
  const N = pass.patch ** 2;
  const pitch = 4 * N;
  return module.fn(`${name}Project`, ['i32', 'i32', 'i32'], undefined, (f) => {
    const [members, rank, at] = f.parameters as [I32, I32, I32];
    const [patch, u, coordinate] = [f.i32(at.add(scratch.group)), f.i32(), f.i32()];
    const sums = f.vectors(8);
    const scale = f.v128();
    const eachVector = (body: () => void) => {
      u.set(at);
      coordinate.set(at);
      f.count(rank, () => {
        body();
        u.set(u.add(pitch));
        coordinate.set(coordinate.add(4));
      });
    };
    f.count(members, () => {
      eachVector(() => {
        for (const sum of sums.slice(0, 4)) sum.set(V128.zero);
        for (let v = 0; v < N / 4; v++) {
          const sum = sums[v % 4];
          sum.set(madd(target, u.v128(scratch.vectors + 16 * v), patch.v128(16 * v), sum));
        }
        f.store(coordinate, sumLanes(f, sums[0].add(sums[1]).add(sums[2].add(sums[3]))), scratch.coordinates);
      });
      for (let left = 0; left < N / 4; left += sums.length) {
        const used = sums.slice(0, Math.min(sums.length, N / 4 - left));
        for (const [v, sum] of used.entries()) sum.set(at.v128(scratch.mean + 16 * (left + v)));
        eachVector(() => {
          scale.set(coordinate.splat(scratch.coordinates));
          for (const [v, sum] of used.entries())
            sum.set(madd(target, scale, u.v128(scratch.vectors + 16 * (left + v)), sum));
        });
        for (const [v, sum] of used.entries()) f.store(patch, sum, 16 * (left + v));
      }
      patch.set(patch.add(pitch));
    });
  });
}
