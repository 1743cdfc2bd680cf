// How the error depends on ρ, constant or rising, with the whole budget from the start:
// mean over images of RMSE(ρ) / RMSE(best ρ for that image and budget).
// usage: node bench/rho.js --images DIR [--images DIR …] [--count 6] [--iterations 100] [--solver qpm …] [--dictionary paper …] [--rising]
// --dictionary is paper (the 64×100 DCT), dct (64×256) or learned. --rising compares rising ρ instead of constant ones.
import { learnedDictionary, overcompleteDct, represent } from 'ght';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '6' },
  iterations: { type: 'string', default: '100' },
  solver: { type: 'string', multiple: true, default: ['qpm', 'admm'] },
  dictionary: { type: 'string', multiple: true, default: ['paper'] },
  rising: { type: 'boolean', default: false },
});
const images = await greyImages(values.images, Number(values.count));
const maxIterations = Number(values.iterations);
const constant = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5];
const rising = [0.0005, 0.002, 0.01, 0.05].flatMap((from) => [0.1, 0.2, 0.5].map((to) => ({ from, to })));
const grid = values.rising ? [0.05, 0.15, ...rising] : constant;
const textOf = (rho) => (typeof rho === 'number' ? rho : `${rho.from}..${rho.to}`);
const dictionaries = { paper: overcompleteDct(8, 10), dct: overcompleteDct(8, 16) };
console.log(`${images.length} images, at most ${maxIterations} iterations, ρ in units of ‖D‖₂² (64×100 DCT: 5.346)`);
for (const solver of values.solver) {
  for (const name of values.dictionary) {
    console.log(`\n| ${solver}, ${name}, s | ${grid.map(textOf).join(' | ')} |\n|${'---|'.repeat(grid.length + 1)}`);
    for (const s of [5, 10, 20]) {
      const dictionary = name === 'learned' ? learnedDictionary(s) : dictionaries[name];
      const mean = new Float64Array(grid.length);
      for (const { image } of images) {
        const rmse = [];
        for (const rho of grid) {
          const options = { solver, growth: false, rho, maxIterations, dictionary, budget: { perPatch: s } };
          rmse.push((await represent(image, options)).rmse);
        }
        const best = Math.min(...rmse);
        rmse.forEach((value, i) => {
          mean[i] += value / best / images.length;
        });
      }
      console.log(`| ${s} | ${Array.from(mean, (value) => value.toFixed(3)).join(' | ')} |`);
    }
  }
}
