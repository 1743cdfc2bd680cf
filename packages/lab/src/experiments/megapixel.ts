import { represent } from 'ght';
import { catalogue } from '../catalogue.js';
import { contenders, optionsOf, runOf, weightOf } from '../contenders.js';
import { middles } from '../images.js';
import { thumbnail } from '../picture.js';
import { type Experiment, type Picture, pacer, type Run, type Setting } from '../setting.js';

/** Figures 4 and 5: every solver at every budget on three images. */
export interface Megapixel {
  readonly budgets: readonly number[];
  readonly images: readonly {
    readonly name: string;
    readonly source: string;
    readonly width: number;
    readonly height: number;
    readonly patches: number;
    readonly picture: Picture;
    readonly runs: readonly Run[];
  }[];
}

/** The largest width of the picture that is kept of each image. */
const KEPT_WIDTH = 480;

export const megapixel: Experiment<Megapixel> = {
  ...catalogue.megapixel,
  seconds: { full: 200, quick: 6 },
  describe: ({ images, budgets }) =>
    `Non-overlapping 8×8 patches over the 64×100 overcomplete DCT, s = ${budgets[0]} to ${budgets.at(-1)} atoms per ` +
    `patch on average: ${images.map(({ name, width, height }) => `${name} (${width}×${height})`).join(', ')}.`,
  run,
};

async function run(setting: Setting): Promise<Megapixel> {
  const budgets = setting.quick ? [5, 10, 20, 30] : Array.from({ length: 26 }, (_, i) => 5 + i);
  const chosen = setting.quick ? middles(setting.images) : setting.images;
  const weight = budgets.reduce((sum, s) => sum + contenders.reduce((all, solver) => all + weightOf(solver, s), 0), 0);
  const pace = pacer(setting, weight * chosen.length);
  const images = [];
  for (const { name, image, source } of chosen) {
    const runs: Run[] = [];
    let patches = 0;
    for (const s of budgets) {
      for (const solver of contenders) {
        const options = { ...optionsOf(solver, 'natural'), threads: setting.threads, budget: { perPatch: s } };
        const result = await pace(weightOf(solver, s), (watch) =>
          represent(image, { ...options, ...watch, dictionary: 'paper' }),
        );
        runs.push(runOf(result, s));
        patches = result.patches;
      }
    }
    const picture = await thumbnail(image, KEPT_WIDTH);
    images.push({ name, source, width: image.width, height: image.height, patches, picture, runs });
  }
  return { budgets, images };
}
