import { type Rectangle, represent, type SolverName, ssim } from 'ght';
import { catalogue } from '../catalogue.js';
import { optionsOf } from '../contenders.js';
import { busiestWindow } from '../images.js';
import { windowPicture } from '../picture.js';
import type { Experiment, Picture, Setting } from '../setting.js';

/** Figure 6: the visible difference. */
export interface CloseUp {
  readonly image: string;
  readonly s: number;
  readonly window: Rectangle;
  readonly original: Picture;
  readonly results: readonly {
    readonly solver: SolverName;
    readonly rmse: number;
    readonly psnr: number;
    /** Structural similarity of the whole image. */
    readonly ssim: number;
    readonly picture: Picture;
  }[];
}

const PER_PATCH = 5;
const SIDE = 192;

export const closeUp: Experiment<CloseUp> = {
  ...catalogue['close-up'],
  seconds: { full: 2, quick: 3 },
  describe: ({ image, s, window }) =>
    `${image} by OMP with s = ${s} atoms for every patch and by GHT-QPM with S = ${s}P: the ${window.width}×` +
    `${window.height} window at (${window.left}, ${window.top}), the one that varies most about the means of its patches.`,
  run,
};

async function run(setting: Setting): Promise<CloseUp> {
  const { name, image } = setting.images[0];
  const { width, height, planes, peak } = image;
  const window = busiestWindow(image, SIDE);
  const results = [];
  for (const [i, solver] of (['omp', 'qpm'] as const).entries()) {
    const result = await represent(image, {
      ...optionsOf(solver, 'natural'),
      threads: setting.threads,
      budget: { perPatch: PER_PATCH },
      signal: setting.signal,
      onProgress: ({ fraction }) => setting.onProgress?.((i + fraction) / 2),
    });
    const [plane] = result.image.planes;
    results.push({
      solver,
      rmse: result.rmse,
      psnr: result.psnr,
      ssim: ssim(plane, planes[0], width, height, peak),
      picture: await windowPicture(image, plane, window),
    });
  }
  const original = await windowPicture(image, planes[0], window);
  return { image: name, s: PER_PATCH, window, original, results };
}
