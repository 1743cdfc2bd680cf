// How well and how fast the denoisers are: mean PSNR a folder and seconds a megapixel; everything in bench/denoise.json.
// usage: node bench/denoise.js --images DIR [--images DIR …] [--sigma 15,25,50] [--quality fast,balanced,best]
//                              [--count n] [--half first|second] [--threads n]
// Noise is Gaussian and unclipped, from one seed an image and σ, the same for all qualities. PSNR is that of the 8-bit range:
// what was denoised is clipped to 0 … 255, not rounded. The first half of a folder, by name, may be tuned on.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { psnr, randomSource } from 'ght';
import { denoisePlanes } from '../packages/ght/dist/tasks/denoise-planes.js';
import { greyImages } from './images.js';

const { values } = parseArgs({
  options: {
    images: { type: 'string', multiple: true, default: [] },
    sigma: { type: 'string', default: '15,25,50' },
    quality: { type: 'string', default: 'fast,balanced,best' },
    count: { type: 'string' },
    half: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});
const threads = Number(values.threads);
const environment = { node: process.version, cpu: cpus()[0].model.trim(), threads, load: loadavg()[0] };
console.log(
  Object.entries(environment)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
);

const runs = [];
for (const folder of values.images) {
  const all = (await greyImages([folder], Number.POSITIVE_INFINITY)).map(({ name, image }, i) => ({ name, image, i }));
  const middle = Math.ceil(all.length / 2);
  const halves = { first: all.slice(0, middle), second: all.slice(middle) };
  const chosen = (values.half ? halves[values.half] : all).slice(0, values.count ? Number(values.count) : all.length);
  console.log(`\n${folder}, ${chosen.length} images${values.half ? `, ${values.half} half` : ''}`);
  console.log('| quality | σ | PSNR, dB | s a megapixel | CPU s a megapixel |\n|---|---|---|---|---|');
  for (const quality of values.quality.split(',')) {
    for (const sigma of values.sigma.split(',').map(Number)) {
      const total = { psnr: 0, pixels: 0, seconds: 0, cpu: 0 };
      for (const { name, image, i } of chosen) {
        const { width, height, planes } = image;
        const random = randomSource(1000 * sigma + i + 1);
        const noisy = planes[0].map((value) => value + sigma * random.normal());
        const [wall, used] = [performance.now(), process.cpuUsage()];
        const [denoised] = await denoisePlanes([noisy], width, height, [sigma], { quality, threads });
        const seconds = (performance.now() - wall) / 1e3;
        const { user, system } = process.cpuUsage(used);
        const level = psnr(planes[0], clipped(denoised), 255);
        runs.push({ name, quality, sigma, psnr: level, width, height, seconds, cpu: (user + system) / 1e6 });
        total.psnr += level;
        total.pixels += width * height;
        total.seconds += seconds;
        total.cpu += (user + system) / 1e6;
      }
      const each = (value) => ((value * 1e6) / total.pixels).toFixed(2);
      const mean = (total.psnr / chosen.length).toFixed(2);
      console.log(`| ${quality} | ${sigma} | ${mean} | ${each(total.seconds)} | ${each(total.cpu)} |`);
    }
  }
}
writeFileSync(fileURLToPath(new URL('denoise.json', import.meta.url)), JSON.stringify({ environment, runs }, null, 1));

function clipped(plane) {
  return plane.map((value) => Math.min(255, Math.max(0, value)));
}
