/**
 * The layers of the network for colour pictures (`denoisers/learned/network.ts`) for one row of sites. Every place has a row of sites after the
 * other, in a rim of zeros, and a site has its channels one after the other. So the inputs of the taps in a row are a run of floats, and all
 * layers are one product of a matrix with such runs, of which they have three (`same`), two (`down`) or one (`up`).
 */
import type { Layer } from '../../../denoisers/learned/colour-model.js';
import { tapsOf } from '../../../denoisers/learned/colour-model.js';
import { type I32, Module, V128 } from './assembler.js';
import { type Fused, madd } from './maps.js';
import { define, networkKernel } from './signatures.js';

/** Sites by vectors of channels whose sums stay in registers: tiles of two widths, so that almost every row is filled exactly. */
const TILE_SITES = { wide: 5, narrow: 4 } as const;
const TILE_VECTORS = 2;
/** Outputs that are computed at once, and inputs between two turns of the loop. */
const OUTPUTS_AT_ONCE = 4 * TILE_VECTORS;
const INPUTS_AT_ONCE = 4;

/** The tiles that fill a row of sites, and how many sites they have too many: none for 12 sites and more. */
export function tilesOf(sites: number): { readonly wide: number; readonly narrow: number; readonly surplus: number } {
  for (let surplus = 0; ; surplus++) {
    const all = sites + surplus;
    const narrow = (TILE_SITES.wide - (all % TILE_SITES.wide)) % TILE_SITES.wide;
    const wide = (all - TILE_SITES.narrow * narrow) / TILE_SITES.wide;
    if (wide >= 0) return { wide, narrow, surplus };
  }
}

/** Channels have room for whole vectors, and outputs for all that are computed at once. */
export function paddedChannels(channels: number): number {
  return OUTPUTS_AT_ONCE * Math.ceil(channels / OUTPUTS_AT_ONCE);
}

/** The shape of a layer that its code depends on; inputs and outputs are padded. */
export interface LayerShape extends Pick<Layer, 'kind' | 'mode'> {
  readonly inputs: number;
  readonly outputs: number;
  /** Bytes of a row of sites that are read. */
  readonly row: number;
}

/** The name of the code for a shape. */
export function layerName({ kind, mode, inputs, outputs, row }: LayerShape): string {
  return `${kind}-${mode}-${inputs}-${outputs}-${row}`;
}

/** Runs of inputs, the sites of each, and how far sites lie apart where they are read and written. */
function runsOf(kind: Layer['kind']) {
  if (kind === 'up') return { runs: 1, sites: 1, step: 1, stride: 2 };
  const taps = tapsOf({ kind });
  return { runs: taps, sites: taps, step: kind === 'down' ? 2 : 1, stride: 1 };
}

/** The weights of a layer as its kernel reads them: eight outputs at a time, input after input. For `up` there is a table per tap. */
export function weightTables({ kind, mode, weights, ...layer }: Layer): Float32Array[] {
  const taps = tapsOf({ kind }) ** 2;
  const [inputs, outputs] = [paddedChannels(layer.inputs), paddedChannels(layer.outputs)];
  const sign = mode === 'subtract' ? -1 : 1;
  const perTable = kind === 'up' ? 1 : taps;
  return Array.from({ length: taps / perTable }, (_, t) => {
    const table = new Float32Array(outputs * perTable * inputs);
    for (let o = 0; o < layer.outputs; o++) {
      const panel = Math.floor(o / OUTPUTS_AT_ONCE) * OUTPUTS_AT_ONCE * perTable * inputs + (o % OUTPUTS_AT_ONCE);
      for (let tap = 0; tap < perTable; tap++) {
        for (let i = 0; i < layer.inputs; i++) {
          const weight = weights[(o * taps + t * perTable + tap) * layer.inputs + i];
          table[panel + (tap * inputs + i) * OUTPUTS_AT_ONCE] = sign * weight;
        }
      }
    }
    return table;
  });
}

/** The code for layers of these shapes. */
export function networkModule(shapes: readonly LayerShape[], fma: boolean, shared: boolean): Uint8Array<ArrayBuffer> {
  const module = new Module();
  for (const shape of shapes) product(module, shape, { fma });
  return module.bytes(shared);
}

/** Adds the kernel of a layer: a row of sites, whose first inputs are at `from`. Sites beyond the row become zero. */
function product(module: Module, shape: LayerShape, target: Fused): void {
  const { kind, mode, inputs, outputs, row } = shape;
  const { runs, sites, step, stride } = runsOf(kind);
  const [run, siteRead, siteWritten] = [4 * sites * inputs, 4 * step * inputs, 4 * stride * outputs];
  const adds = mode === 'add' || mode === 'subtract';
  define(module, layerName(shape), networkKernel, (f, { from, into, table, wide, narrow, surplus }) => {
    const registers = f.vectors(TILE_SITES.wide * TILE_VECTORS);
    const sources = f.vectors(TILE_VECTORS);
    const splat = f.v128();
    const [patch, out, panel, sample, source, end] = f.words(6);
    const tiles = (width: number, count: I32) => {
      const sums = registers.slice(0, width * TILE_VECTORS);
      const places = sums.map((_, n) => siteWritten * Math.floor(n / TILE_VECTORS) + 16 * (n % TILE_VECTORS));
      f.count(count, () => {
        for (const [n, sum] of sums.entries()) sum.set(adds ? out.v128(places[n]) : V128.zero);
        sample.set(patch);
        source.set(table);
        f.count(runs, () => {
          end.set(sample.add(run));
          f.repeat(() => {
            for (let i = 0; i < INPUTS_AT_ONCE; i++) {
              for (const [v, vector] of sources.entries()) vector.set(source.v128(16 * (TILE_VECTORS * i + v)));
              for (let s = 0; s < width; s++) {
                splat.set(sample.splat(siteRead * s + 4 * i));
                for (const [v, vector] of sources.entries()) {
                  const sum = sums[s * TILE_VECTORS + v];
                  sum.set(madd(target, splat, vector, sum));
                }
              }
            }
            sample.set(sample.add(4 * INPUTS_AT_ONCE));
            source.set(source.add(16 * TILE_VECTORS * INPUTS_AT_ONCE));
          }, sample.lt(end));
          sample.set(sample.add(row - run));
        });
        for (const [n, sum] of sums.entries()) f.store(out, mode === 'rectify' ? sum.max(V128.zero) : sum, places[n]);
        patch.set(patch.add(siteRead * width));
        out.set(out.add(siteWritten * width));
      });
    };
    panel.set(into);
    f.count(outputs / OUTPUTS_AT_ONCE, () => {
      patch.set(from);
      out.set(panel);
      tiles(TILE_SITES.wide, wide);
      tiles(TILE_SITES.narrow, narrow);
      panel.set(panel.add(4 * OUTPUTS_AT_ONCE));
      table.set(table.add(4 * OUTPUTS_AT_ONCE * runs * sites * inputs));
    });
    const all = wide.mul(TILE_SITES.wide).add(narrow.mul(TILE_SITES.narrow));
    out.set(into.add(all.sub(surplus).mul(siteWritten)));
    f.count(surplus, () => {
      for (let v = 0; v < outputs / 4; v++) f.store(out, V128.zero, 16 * v);
      out.set(out.add(siteWritten));
    });
  });
}
