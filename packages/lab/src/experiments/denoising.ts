import { type Image, psnr, type Rectangle, randomSource, represent, type SolverName } from 'ght';
import { catalogue } from '../catalogue.js';
import { optionsOf, tabled } from '../contenders.js';
import { busiestWindow, middles } from '../images.js';
import { windowPicture } from '../picture.js';
import { type Experiment, type Picture, pacer, type Setting } from '../setting.js';

/** A PSNR in dB against the clean image. */
export interface DenoisingRun {
  readonly solver: SolverName;
  readonly sigma: number;
  readonly psnr: number;
}

/** Tables 1 to 3 and Figure 9: denoising in the paper's setting. */
export interface Denoising {
  readonly s: number;
  readonly sigmas: readonly number[];
  readonly images: readonly {
    readonly name: string;
    readonly width: number;
    readonly height: number;
    /** The noisy image itself, for each σ. */
    readonly noisy: readonly number[];
    readonly runs: readonly DenoisingRun[];
  }[];
  readonly closeUp: {
    readonly image: string;
    readonly sigma: number;
    readonly window: Rectangle;
    readonly clean: Picture;
    readonly noisy: Picture;
    readonly omp: Picture;
    readonly admm: Picture;
  };
}

const PER_PATCH = 10;
const SIDE = 160;
const SHOWN_SIGMA = 10;

export const denoising: Experiment<Denoising> = {
  ...catalogue.denoising,
  seconds: { full: 45, quick: 5 },
  describe: ({ s, images }) =>
    `Gaussian noise is added to ${images.map(({ name, width, height }) => `${name} (${width}×${height})`).join(', ')}, not ` +
    `clipped, and the noisy image is represented with S = ${s}P over the 64×100 overcomplete DCT, patches not ` +
    'overlapping. PSNR in dB against the clean image.',
  run,
};

async function run(setting: Setting): Promise<Denoising> {
  const sigmas = setting.quick ? [5, 10, 40] : [5, 10, 20, 30, 40];
  const chosen = setting.quick ? middles(setting.images) : setting.images;
  const pace = pacer(setting, chosen.length * sigmas.length * tabled.length);
  const images = [];
  let closeUp: Denoising['closeUp'] | undefined;
  for (const [i, { name, image }] of chosen.entries()) {
    const clean = image.planes[0];
    const runs: DenoisingRun[] = [];
    const noisyPsnr = [];
    for (const sigma of sigmas) {
      const noisy = addNoise(image, sigma, setting.seed + 100 * i + sigma);
      noisyPsnr.push(psnr(noisy.planes[0], clean, image.peak));
      const planes: Partial<Record<SolverName, ArrayLike<number>>> = {};
      for (const solver of tabled) {
        const options = { ...optionsOf(solver, 'natural'), threads: setting.threads, budget: { perPatch: PER_PATCH } };
        const result = await pace(1, (watch) => represent(noisy, { ...options, ...watch }));
        planes[solver] = result.image.planes[0];
        runs.push({ solver, sigma, psnr: psnr(result.image.planes[0], clean, image.peak) });
      }
      if (!closeUp && sigma === SHOWN_SIGMA) {
        const window = busiestWindow(image, SIDE);
        const show = (plane: ArrayLike<number> = clean) => windowPicture(image, plane, window);
        const [omp, admm] = [await show(planes.omp), await show(planes.admm)];
        closeUp = { image: name, sigma, window, clean: await show(), noisy: await show(noisy.planes[0]), omp, admm };
      }
    }
    images.push({ name, width: image.width, height: image.height, noisy: noisyPsnr, runs });
  }
  return { s: PER_PATCH, sigmas, images, closeUp: closeUp as Denoising['closeUp'] };
}

/** Gaussian noise of standard deviation σ; nothing is clipped. */
export function addNoise(image: Image, sigma: number, seed: number): Image {
  const random = randomSource(seed);
  return {
    ...image,
    planes: image.planes.map((plane) => Float32Array.from(plane, (value) => value + sigma * random.normal())),
  };
}
