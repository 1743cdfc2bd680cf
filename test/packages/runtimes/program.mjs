// What a user does on any runtime: represent, denoise with `balanced` and with `learned`, on two threads; then requires the library.
import { createRequire } from 'node:module';
import { denoise, probeEngines, psnr, represent } from 'ght';

const [width, height] = [96, 80];
const clean = Float32Array.from({ length: width * height }, (_, i) => {
  return 128 + 60 * Math.sin((i % width) / 9) + 40 * Math.cos(Math.floor(i / width) / 5);
});
let state = 1;
const noisy = clean.map((value) => {
  state = (48271 * state) % 2147483647;
  return value + 50 * (state / 2147483647 - 0.5);
});
const image = { width, height, planes: [noisy], peak: 255 };

const report = {};
const represented = await represent(image, { budget: { perPatch: 3 }, threads: 2 });
report.represent = [represented.nonzeros, represented.psnr];
report.threads = represented.engine.threads;
for (const quality of ['balanced', 'learned']) {
  const result = await denoise(image, { sigma: 14.4, quality, threads: 2 });
  report[quality] = [result.quality, psnr(result.image.planes[0], clean, 255)];
}
report.engines = (await probeEngines()).filter(({ available }) => available).map(({ name }) => name);
try {
  report.required = typeof createRequire(import.meta.url)('ght').denoise;
} catch (error) {
  report.required = error.message;
}
console.log(JSON.stringify(report));
