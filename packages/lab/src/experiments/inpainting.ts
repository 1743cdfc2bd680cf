import { type Image, type InpaintOptions, inpaint, psnr, randomSource } from 'ght';
import { inpaintPaper } from 'ght/paper';
import { biharmonic, drive } from 'ght/plans';
import { catalogue } from '../catalogue.js';
import { busiestWindow, cut } from '../images.js';
import { letters } from '../letters.js';
import { windowPicture } from '../picture.js';
import { type Experiment, type NamedImage, type Picture, pacer, type Setting } from '../setting.js';

/** How missing pixels are filled: smoothly, from codes of the known pixels, or by the loop that starts from the smooth filling. */
export const fillings = ['biharmonic', 'joint-omp', 'fast', 'balanced'] as const;

/** One of the ways to fill missing pixels. */
export type Filling = (typeof fillings)[number];

/** Which pixels are missing: a share of all at random, or lines of letters. */
export type Missing = number | 'text';

/** Inpainting under one global budget on the known pixels, and by two methods that do not code patches by themselves. */
export interface Inpainting {
  readonly masks: readonly Missing[];
  readonly images: readonly {
    readonly name: string;
    readonly width: number;
    readonly height: number;
    /** PSNR in dB against the whole image. */
    readonly runs: readonly { readonly missing: Missing; readonly filling: Filling; readonly psnr: number }[];
  }[];
  readonly closeUp: {
    readonly image: string;
    readonly missing: Missing;
    readonly original: Picture;
    readonly known: Picture;
    readonly results: readonly { readonly filling: Filling; readonly psnr: number; readonly picture: Picture }[];
  };
}

const SIDE = { full: 192, quick: 64 };
/** The side of the window that is shown, and its mask. */
const [SHOWN_SIDE, SHOWN] = [128, 0.8];

export const inpainting: Experiment<Inpainting> = {
  ...catalogue.inpainting,
  seconds: { full: 150, quick: 8 },
  describe: ({ images }) =>
    `Pixels of the middle of ${images.map(({ name, width, height }) => `${name} (${width}×${height})`).join(', ')} are removed ` +
    'and filled again. Joint OMP codes the known pixels of overlapping 8×8 patches over the 64×256 overcomplete DCT, under one ' +
    'budget for all patches: a fifth of the number of known pixels. Biharmonic interpolation is the smoothest filling. The loop ' +
    'of ght inpaint starts from it. PSNR in dB of the whole image, clipped to 0 … 255.',
  run,
};

async function run(setting: Setting): Promise<Inpainting> {
  const masks: readonly Missing[] = setting.quick ? [0.5, 0.8, 'text'] : [0.2, 0.5, 0.8, 'text'];
  const chosen = setting.quick ? setting.collection.slice(0, 2) : setting.collection;
  const pace = pacer(setting, chosen.length * masks.length * fillings.length);
  const images = [];
  let closeUp: Inpainting['closeUp'] | undefined;
  for (const [i, each] of chosen.entries()) {
    const { name, image } = middle(each, setting.quick ? SIDE.quick : SIDE.full);
    const runs: Inpainting['images'][number]['runs'][number][] = [];
    for (const missing of masks) {
      const mask = maskOf(image, missing, setting.seed + i);
      const given = { ...image, planes: [image.planes[0].map((value, p) => (mask[p] ? 0 : value))] };
      const filled: { filling: Filling; psnr: number; plane: Float32Array }[] = [];
      for (const filling of fillings) {
        const plane = await pace(1, async (watch) => {
          const planes = await fill(given, mask, filling, { threads: setting.threads, ...watch });
          return Float32Array.from(planes[0], (value) => Math.min(image.peak, Math.max(0, value)));
        });
        filled.push({ filling, plane, psnr: psnr(plane, image.planes[0], image.peak) });
      }
      runs.push(...filled.map(({ filling, psnr }) => ({ missing, filling, psnr })));
      if (!closeUp && missing === SHOWN) {
        const window = busiestWindow(image, SHOWN_SIDE);
        const show = (plane: ArrayLike<number>) => windowPicture(image, plane, window);
        const results = [];
        for (const { plane, ...rest } of filled) results.push({ ...rest, picture: await show(plane) });
        const [original, known] = [await show(image.planes[0]), await show(given.planes[0])];
        closeUp = { image: name, missing, original, known, results };
      }
    }
    images.push({ name, width: image.width, height: image.height, runs });
  }
  return { masks, images, closeUp: closeUp as Inpainting['closeUp'] };
}

/** The filled planes. */
async function fill(image: Image, mask: Uint8Array, filling: Filling, options: InpaintOptions) {
  const { signal } = options;
  if (filling === 'biharmonic') {
    return [await drive(biharmonic(Float64Array.from(image.planes[0]), image, mask), { signal })];
  }
  const result =
    filling === 'joint-omp'
      ? await inpaintPaper(image, mask, { signal })
      : await inpaint(image, mask, { ...options, quality: filling });
  return result.image.planes;
}

/** The middle of an image, at most `side` pixels wide and high. */
function middle({ name, image }: NamedImage, side: number): Pick<NamedImage, 'name' | 'image'> {
  const [width, height] = [Math.min(side, image.width), Math.min(side, image.height)];
  const window = { left: (image.width - width) >> 1, top: (image.height - height) >> 1, width, height };
  return { name, image: { ...image, width, height, planes: [cut(image.planes[0], image.width, window)] } };
}

/** 1 for each missing pixel. */
function maskOf({ width, height }: Image, missing: Missing, seed: number): Uint8Array {
  if (missing === 'text') return letters(width, height);
  const { uniform } = randomSource(seed);
  return Uint8Array.from({ length: width * height }, () => Number(uniform() < missing));
}
