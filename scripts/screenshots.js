// Screenshots of the studio for docs/studio.md: node scripts/screenshots.js, after npm run build. Writes docs/studio-*.png.
import { fileURLToPath } from 'node:url';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { serveFolder } from '../packages/cli/dist/serve.js';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const serving = await serveFolder(fileURLToPath(new URL('../packages/studio/dist/', import.meta.url)), 0);
const browser = await chromium.launch({
  executablePath: await sparticuz.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

/** Opens the page with these settings, waits for its result, calls `act` and takes the screenshot. */
async function shoot(name, { hash = '', width = 1280, height = 800, colorScheme = 'light', act = async () => {} }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(serving.url + hash);
  // A comparison, a denoised and a restored image start with a click; the first tab solves by itself.
  // The Learn tab has no task, and waits for its own figure.
  const idle = () => hash === '' || hash.includes('tab=learn') || page.waitForSelector('[data-task="none"]');
  await idle();
  if (hash.includes('tab=represent')) await page.waitForSelector('[data-stage="final"]');
  await act(page);
  await idle();
  // SSIM is measured after the result.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-reading="SSIM"], [data-row] td')].every(
      (each) => each.textContent.trim() !== '–',
    ),
  );
  // The last picture is drawn with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const picture = await page.screenshot();
  await sharp(picture).png({ palette: true, quality: 95, effort: 9 }).toFile(`${docs}studio-${name}.png`);
  await page.close();
  console.log(`docs/studio-${name}.png`);
}

async function clickStage(page, across, down) {
  const box = await page.locator('[role="application"]').boundingBox();
  await page.mouse.click(box.x + across * box.width, box.y + down * box.height);
}

const compare = async (page) => {
  await page.waitForSelector('[data-row="cosamp"]');
};
const denoise = async (page) => {
  await page.click('[data-action="denoise"]');
  await page.waitForSelector('[data-current="true"]');
  await clickStage(page, 0.28, 0.66);
};
const restore = async (page) => {
  await page.waitForSelector('[data-current="true"]');
};
const figures = async (page) => {
  await page.waitForSelector('[data-step="3"] [data-save]:not(:disabled)');
};
const heat = async (page) => {
  await page.waitForSelector('.overlay canvas');
  await clickStage(page, 0.72, 0.6);
  await page.waitForSelector('[data-patch="patchwise"]');
};

try {
  await shoot('start', {});
  await shoot('represent', { hash: '#v=2&tab=represent&overlay=heatmap', act: heat });
  await shoot('represent-dark', { hash: '#v=2&tab=represent&overlay=heatmap', colorScheme: 'dark', act: heat });
  await shoot('compare', { hash: '#tab=compare&image=airplane-from-above&s=3', act: compare });
  await shoot('denoise', {
    hash: '#v=2&tab=denoise&image=black-canyon-camera&zoom=2&x=300&y=330',
    colorScheme: 'dark',
    act: denoise,
  });
  await shoot('restore', { hash: '#v=2&tab=restore&image=scratched-print', act: restore });
  await shoot('learn', { hash: '#tab=learn&step=3', act: figures });
  await shoot('phone', {
    hash: '#v=2&tab=represent&overlay=heatmap&image=dust-bowl-home',
    width: 390,
    height: 844,
    act: (page) => page.waitForSelector('.overlay canvas'),
  });
} finally {
  await browser.close();
  await serving.close();
}
