// Accuracy of the estimated noise level: rms and mean relative error of σ over images with unclipped Gaussian noise.
// usage: node bench/noise.js --images DIR [--images DIR …] [--count 100] [--skip 0] [--sigma 5 --sigma 25 …]
import { diagnose, randomSource } from 'ght';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '100' },
  skip: { type: 'string', default: '0' },
  sigma: { type: 'string', multiple: true, default: ['5', '10', '15', '25', '50'] },
});
const percent = (value) => `${(100 * value).toFixed(2)}%`;
const sigmas = values.sigma.map(Number);
console.log(`| | ${sigmas.map((sigma) => `σ = ${sigma}`).join(' | ')} | ms per image |`);
console.log(`|${'---|'.repeat(sigmas.length + 2)}`);
for (const folder of values.images) {
  const images = (await greyImages([folder], Number(values.skip) + Number(values.count))).slice(Number(values.skip));
  let ms = 0;
  const cells = [];
  for (const sigma of sigmas) {
    const errors = [];
    for (const [i, { image }] of images.entries()) {
      // One seed per image, the same for every σ.
      const { normal } = randomSource(i + 1);
      const noisy = { ...image, planes: [Float64Array.from(image.planes[0], (value) => value + sigma * normal())] };
      const start = performance.now();
      const [estimate] = (await diagnose(noisy, { kind: 'white', impulses: 'off', banding: 'off' })).model.sigma;
      ms += performance.now() - start;
      errors.push(estimate / sigma - 1);
    }
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const range = `from ${percent(Math.min(...errors))} to ${percent(Math.max(...errors))}`;
    cells.push(`${percent(rms)} (mean ${percent(mean)}, ${range})`);
  }
  const speed = Math.round(ms / (sigmas.length * images.length));
  console.log(`| ${folder.split('/').at(-1)}, ${images.length} images | ${cells.join(' | ')} | ${speed} |`);
}
