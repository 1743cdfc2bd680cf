// How the error depends on ρ: mean over images of RMSE(ρ) / RMSE(best ρ for that image and budget).
// usage: node bench/rho.js --images DIR [--images DIR …] [--count 6] [--iterations 100]
import { represent } from 'ght';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '6' },
  iterations: { type: 'string', default: '100' },
});
const images = await greyImages(values.images, Number(values.count));
const maxIterations = Number(values.iterations);
const grid = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5];
console.log(`${images.length} images, at most ${maxIterations} iterations, ρ in units of ‖D‖₂² (64×100 DCT: 5.346)`);
for (const solver of ['qpm', 'admm']) {
  console.log(`\n| ${solver}, s | ${grid.join(' | ')} |\n|${'---|'.repeat(grid.length + 1)}`);
  for (const s of [5, 10, 20]) {
    const mean = new Float64Array(grid.length);
    for (const { image } of images) {
      const rmse = [];
      for (const rho of grid) {
        rmse.push((await represent(image, { solver, rho, maxIterations, budget: { perPatch: s } })).rmse);
      }
      const best = Math.min(...rmse);
      rmse.forEach((value, i) => {
        mean[i] += value / best / images.length;
      });
    }
    console.log(`| ${s} | ${Array.from(mean, (value) => value.toFixed(3)).join(' | ')} |`);
  }
}
