import type { Module } from '../assembler.js';
import { madd } from '../maps.js';
import { define, passKernels } from '../signatures.js';

/** The vectors that hold the distances of a row of a window of this many columns. */
export function windowVectors(columns: number): number {
  return Math.ceil(columns / 4);
}

/**
 * name(patch, window, rows, out, more): the distances of a patch from all patches of a window, row by row. With `more` they are added to
 * those in `out`. A row has whole vectors, so a few patches to the right of the window are measured, too.
 */
export function windowDistances(
  module: Module,
  name: string,
  target: { readonly width: number; readonly patch: number; readonly fma: boolean },
  columns: number,
): void {
  const { width, patch: side } = target;
  const pitch = 4 * width;
  const vectors = windowVectors(columns);
  define(module, name, passKernels.distances, (f, { patch, window, rows, out, more }) => {
    const [from, to, at] = [f.i32(), f.i32(window), f.i32(out)];
    const sums = f.vectors(vectors);
    const [sample, difference] = [f.v128(), f.v128()];
    f.count(rows, () => {
      sums.forEach((sum, v) => {
        sum.set(at.v128(16 * v));
        sum.set(sum.and(more.splatBits()));
      });
      from.set(patch);
      window.set(to);
      f.count(side, () => {
        for (let i = 0; i < side; i++) {
          sample.set(from.splat(4 * i));
          sums.forEach((sum, v) => {
            difference.set(window.v128(4 * i + 16 * v).sub(sample));
            sum.set(madd(target, difference, difference, sum));
          });
        }
        from.set(from.add(pitch));
        window.set(window.add(pitch));
      });
      for (const [v, sum] of sums.entries()) f.store(at, sum, 16 * v);
      at.set(at.add(16 * vectors));
      to.set(to.add(pitch));
    });
  });
}
