// Every solver at the same budget with the same dictionary on the same images: mean RMSE per patch, and the claims that rest on it.
// usage: node bench/solvers.js --images DIR [--images DIR …] [--count 6] [--dictionary paper] [--iterations 300]
// --dictionary is paper (the 64×100 DCT) or learned (64×256). --iterations limits those of a budget that grows.
import { represent } from 'ght';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '6' },
  dictionary: { type: 'string', default: 'paper' },
  iterations: { type: 'string', default: '300' },
});
const images = await greyImages(values.images, Number(values.count));
const budgets = [5, 10, 20];
const maxIterations = Number(values.iterations);
const contenders = [
  ['OMP', { solver: 'omp' }],
  ['AIHT', { solver: 'aiht' }],
  ['CoSaMP', { solver: 'cosamp' }],
  ['QPM, whole budget', { solver: 'qpm', growth: false }],
  ['QPM', { solver: 'qpm', maxIterations }],
  ['QPM + refit', { solver: 'qpm', maxIterations, refit: true }],
  ['ADMM, whole budget', { solver: 'admm', growth: false }],
  ['ADMM', { solver: 'admm', maxIterations }],
  ['ADMM + refit', { solver: 'admm', maxIterations, refit: true }],
  ['joint OMP', { solver: 'joint-omp' }],
];
console.log(
  `mean RMSE per patch (PSNR in dB) over ${images.length} images: ${images.map(({ name }) => name).join(', ')}\n`,
);
console.log(`| | ${budgets.map((s) => `s = ${s}`).join(' | ')} |\n|${'---|'.repeat(budgets.length + 1)}`);
for (const [name, options] of contenders) {
  const cells = [];
  for (const s of budgets) {
    let rmse = 0;
    let psnr = 0;
    for (const { image } of images) {
      const result = await represent(image, { ...options, dictionary: values.dictionary, budget: { perPatch: s } });
      rmse += result.rmse / images.length;
      psnr += result.psnr / images.length;
    }
    cells.push(`${rmse.toFixed(2)} (${psnr.toFixed(2)})`);
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
