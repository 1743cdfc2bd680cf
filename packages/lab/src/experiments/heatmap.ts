import { extract, represent } from 'ght';
import { drawHeatmap } from 'ght/draw';
import { catalogue } from '../catalogue.js';
import { optionsOf } from '../contenders.js';
import { patchEnergies } from '../images.js';
import { colourPicture, greyPicture } from '../picture.js';
import type { Experiment, Picture, Setting } from '../setting.js';

/** Figure 2: where the budget goes. */
export interface Heatmap {
  readonly image: string;
  readonly width: number;
  readonly height: number;
  readonly patches: number;
  readonly s: number;
  /** The paper's RMSE per patch. */
  readonly rmse: number;
  readonly rmsePixel: number;
  readonly psnr: number;
  readonly iterations: number;
  /** The number of patches that use 0, 1, 2, … atoms. */
  readonly histogram: readonly number[];
  /** Spearman's rank correlation of the atoms per patch with the energy of the patch about its mean. */
  readonly correlation: number;
  readonly original: Picture;
  readonly atoms: Picture;
  readonly reconstruction: Picture;
}

const PER_PATCH = 20;

export const heatmap: Experiment<Heatmap> = {
  ...catalogue.heatmap,
  seconds: { full: 1.5, quick: 2 },
  describe: ({ image, width, height, s }) =>
    `GHT-QPM on ${image}, ${width}×${height} pixels, over the 64×100 overcomplete DCT with S = ${s}P: the original, the ` +
    'atoms each patch was given, and the reconstruction.',
  run,
};

async function run(setting: Setting): Promise<Heatmap> {
  const { name, image } = setting.images[0];
  const { width, height, planes, peak } = image;
  const result = await represent(image, {
    ...optionsOf('qpm', 'natural'),
    threads: setting.threads,
    budget: { perPatch: PER_PATCH },
    signal: setting.signal,
    onProgress: ({ fraction }) => setting.onProgress?.(fraction),
  });
  const counts = result.atomsPerPatch;
  const histogram = new Array<number>(counts.reduce((a, b) => Math.max(a, b), 0) + 1).fill(0);
  for (const count of counts) histogram[count]++;
  return {
    image: name,
    width,
    height,
    patches: result.patches,
    s: PER_PATCH,
    rmse: result.rmse,
    rmsePixel: result.rmsePixel,
    psnr: result.psnr,
    iterations: result.iterations,
    histogram,
    correlation: rankCorrelation(counts, patchEnergies(extract(result.grid, planes[0]))),
    original: await greyPicture(planes[0], width, height, peak),
    atoms: await colourPicture(drawHeatmap(result), width, height),
    reconstruction: await greyPicture(result.image.planes[0], width, height, peak),
  };
}

/** Spearman's rank correlation; equal values share the mean of their ranks. */
function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (a.length - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) ** 2;
    yy += (y[i] - mean) ** 2;
  }
  return xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy);
}

function ranks(values: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: values.length }, (_, i) => i).sort((i, j) => values[i] - values[j]);
  const result = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to]] === values[order[from]]) to++;
    for (let i = from; i < to; i++) result[order[i]] = (from + to - 1) / 2;
    from = to;
  }
  return result;
}
