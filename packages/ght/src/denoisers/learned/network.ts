/**
 * A residual network on several scales, learned from photographs (`training/network.py`). The picture has luma and two chromas with
 * mean 0, and the deviation of the noise in each. Its squares of 2×2 pixels are the sites of the finest scale:
 *
 *     h₀ = head(picture)
 *     h ← h + B max(A h, 0)                            some blocks of each scale, and then
 *     hₛ₊₁ = down(hₛ)                                   to the coarsest
 *     hₛ ← hₛ + up(hₛ₊₁)                                and back, with more blocks of each scale
 *     picture ← picture − tail(h₀)
 *
 * `colour-model.ts` has these layers in order. All are linear but max(·, 0), and nothing is added that does not depend on the picture or its
 * noise, so the result is scaled as both are scaled.
 */
import { part, type Work } from '../../work.js';
import { type ColourModel, type Layer, tapsOf } from './colour-model.js';

/** The sites of a scale. */
interface Sites {
  readonly columns: number;
  readonly rows: number;
}

/** The result for a picture of these sites at the finest scale, as written above, in its place. */
export function* network(model: ColourModel, { columns, rows }: Sites, picture: Float64Array): Work<void> {
  const sites = model.places.map(({ scale }) => ({ columns: columns / 2 ** scale, rows: rows / 2 ** scale }));
  const values = model.places.map(({ channels }, p) =>
    p === 0 ? picture : new Float64Array(sites[p].columns * sites[p].rows * channels),
  );
  const count = model.layers.length;
  for (const [k, layer] of model.layers.entries()) {
    const { from, into } = layer;
    const outputs = { ...sites[into], values: values[into], channels: model.places[into].channels };
    yield* part(apply(layer, { ...sites[from], values: values[from] }, outputs), k / count, (k + 1) / count);
  }
}

/** Values at sites. */
interface Grid extends Sites {
  readonly values: Float64Array;
}

/** The values at `into` after a layer. */
function* apply(layer: Layer, from: Grid, into: Grid & { readonly channels: number }): Work<void> {
  const { kind, mode, inputs, outputs, weights } = layer;
  const [taps, read] = [tapsOf(layer), from.values];
  for (let y = 0; y < into.rows; y++) {
    for (let x = 0; x < into.columns; x++) {
      const to = (y * into.columns + x) * into.channels;
      // The sites that the taps read: one for each, or one in all, which has its own tap for each place in a square.
      const [top, left] = kind === 'same' ? [y - 1, x - 1] : kind === 'down' ? [2 * y, 2 * x] : [y >> 1, x >> 1];
      const [first, reach] = kind === 'up' ? [2 * (y & 1) + (x & 1), 1] : [0, taps];
      for (let o = 0; o < outputs; o++) {
        let sum = 0;
        for (let v = 0; v < reach; v++) {
          for (let u = 0; u < reach; u++) {
            const [row, column] = [top + v, left + u];
            if (row < 0 || row >= from.rows || column < 0 || column >= from.columns) continue;
            const [w, h] = [(o * taps ** 2 + first + v * taps + u) * inputs, (row * from.columns + column) * inputs];
            for (let i = 0; i < inputs; i++) sum += weights[w + i] * read[h + i];
          }
        }
        if (mode === 'add') into.values[to + o] += sum;
        else if (mode === 'subtract') into.values[to + o] -= sum;
        else into.values[to + o] = mode === 'rectify' ? Math.max(sum, 0) : sum;
      }
    }
    yield y / into.rows;
  }
}
