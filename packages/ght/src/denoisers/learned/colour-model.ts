/** The model for colour pictures as data, and the reader of its file. */
import { InputError } from '../../errors.js';
import type { Surroundings } from './blocks.js';
import { readWeights } from './weights.js';

/** The planes: luma and two chromas. */
export const PLANES = 3;
/** The side of the squares of pixels that the finest scale takes for a site. */
export const SQUARE = 2;
/** Channels of a site of the picture: the pixels of a square in all planes, and the deviation of the noise in each plane. */
export const PIXELS = PLANES * SQUARE ** 2;
export const PICTURE_CHANNELS = PIXELS + PLANES;
/**
 * The pixels around a block that it is computed with. A pixel depends on others up to 78 pixels away, but with 12 the PSNR of blocks of 96 pixels was
 * about 0.02 dB lower at most.
 */
export const COLOUR_HALO = 12;
/** Engines work on this many channels at a time. */
const CHANNELS_AT_ONCE = 8;

/** An array of channels at every site of a scale: site of row y and column x, then channel. Scale s has a site per 2^(s+1) pixels. */
export interface Place {
  readonly scale: number;
  readonly channels: number;
}

/**
 * A linear map from a place to another. `same`: from the 3×3 sites around each site, with zeros outside. `down`: from squares of 2×2
 * sites to one of the next scale. `up`: from a site to the square of 2×2 at the scale before.
 */
export interface Layer {
  readonly kind: 'same' | 'down' | 'up';
  readonly from: number;
  readonly into: number;
  /** What becomes of the outputs o: they replace what is there, as they are or as max(o, 0), or they are added or subtracted. */
  readonly mode: 'set' | 'rectify' | 'add' | 'subtract';
  readonly inputs: number;
  readonly outputs: number;
  /** Outputs × taps × inputs; taps row by row, of the inputs, or for `up` of the outputs. */
  readonly weights: Float32Array;
}

/** The number of taps of a layer, in a row and in a column. */
export const tapsOf = ({ kind }: Pick<Layer, 'kind'>): number => (kind === 'same' ? 3 : 2);

/** The network (`network.ts`): layers that are computed in order. The first place is the picture, which becomes the result. */
export interface ColourModel extends Surroundings {
  readonly places: readonly Place[];
  readonly layers: readonly Layer[];
}

const REMEDY = 'write it again with training/export_colour.py';

/** Reads the model from a `.npz` file, which `training/export_colour.py` writes in float16. */
export async function readColourModel(bytes: Uint8Array): Promise<ColourModel> {
  const { names, array, values } = await readWeights(bytes, /^(head|tail|(A|B|down|up)\d+)$/, REMEDY);
  const scales = names.filter((name) => /^A\d+$/.test(name)).length;
  const widths: number[] = [];
  for (let s = 0; s < Math.max(1, scales); s++) widths.push(array(`A${s}`).shape[1] ?? 0);
  for (const [s, width] of widths.entries()) {
    if (width < 1 || width % CHANNELS_AT_ONCE !== 0) {
      throw new InputError(`model.A${s}`, `must have a multiple of ${CHANNELS_AT_ONCE} channels`, width, REMEDY);
    }
  }
  return networkOf(widths, (s) => array(`A${s}`).shape[0], values);
}

/** The layers of a network with these channels per scale, from the finest. */
function networkOf(
  widths: readonly number[],
  blocksOf: (scale: number) => number,
  weightsOf: (name: string, shape: readonly number[]) => Float32Array,
): ColourModel {
  const places: Place[] = [{ scale: 0, channels: PICTURE_CHANNELS }];
  // Each scale has h, and what is between the two layers of a block.
  for (const [scale, channels] of widths.entries()) places.push({ scale, channels }, { scale, channels });
  const [picture, h, between] = [0, (s: number) => 1 + 2 * s, (s: number) => 2 + 2 * s];
  const layers: Layer[] = [];
  const add = (kind: Layer['kind'], from: number, into: number, mode: Layer['mode'], weights: Float32Array) => {
    const taps = tapsOf({ kind }) ** 2;
    const inputs = places[from].channels;
    layers.push({ kind, from, into, mode, inputs, outputs: weights.length / taps / inputs, weights });
  };
  const single = (
    name: string,
    kind: Layer['kind'],
    from: number,
    into: number,
    mode: Layer['mode'],
    outputs: number,
  ) => {
    const taps = tapsOf({ kind });
    add(kind, from, into, mode, weightsOf(name, [outputs, taps, taps, places[from].channels]));
  };
  const blocks = (s: number, first: number, end: number) => {
    const size = 9 * widths[s] ** 2;
    const [A, B] = ['A', 'B'].map((name) => weightsOf(`${name}${s}`, [blocksOf(s), widths[s], 3, 3, widths[s]]));
    for (let k = first; k < end; k++) {
      add('same', h(s), between(s), 'rectify', A.subarray(k * size, (k + 1) * size));
      add('same', between(s), h(s), 'add', B.subarray(k * size, (k + 1) * size));
    }
  };
  const coarsest = widths.length - 1;
  single('head', 'same', picture, h(0), 'set', widths[0]);
  for (let s = 0; s < coarsest; s++) {
    blocks(s, 0, blocksOf(s) / 2);
    single(`down${s}`, 'down', h(s), h(s + 1), 'set', widths[s + 1]);
  }
  blocks(coarsest, 0, blocksOf(coarsest));
  for (let s = coarsest - 1; s >= 0; s--) {
    single(`up${s}`, 'up', h(s + 1), h(s), 'add', widths[s]);
    blocks(s, blocksOf(s) / 2, blocksOf(s));
  }
  single('tail', 'same', h(0), picture, 'subtract', PIXELS);
  return { places, layers, halo: COLOUR_HALO, multiple: SQUARE * 2 ** coarsest };
}
