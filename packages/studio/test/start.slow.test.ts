/** From the first screen to a saved file, in a real browser. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose, current, goTo, hasBrowser, startBrowser, startStudio, watch } from './browser.js';

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let page: Page;
let seen: Awaited<ReturnType<typeof watch>>;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio] = await Promise.all([startBrowser(), startStudio()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  seen = await watch(page);
  await page.goto(studio.url);
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
});

/** A flat picture with noise, in the colours of Display P3. */
function photograph(): Promise<Buffer> {
  const [width, height] = [64, 48];
  const base = [230, 60, 40];
  const samples = Uint8Array.from({ length: 3 * width * height }, (_, i) => base[i % 3] + ((i * 7919) % 13) - 6);
  return sharp(samples, { raw: { width, height, channels: 3 } })
    .withMetadata({ density: 300, icc: 'p3', exif: { IFD0: { Artist: 'Somebody' } } })
    .png()
    .toBuffer();
}

describe.skipIf(!hasBrowser)('a photograph that is dropped on the first screen', () => {
  it('is denoised at once, and its noise is described', async () => {
    expect(await page.textContent('.drop h2')).toBe('Drop your photograph here');
    await choose(page, 'p3.png', await photograph());
    await page.waitForSelector('[data-looks]');
    expect(await page.textContent('[data-looks]')).toMatch(/grain/);
    expect(new URL(page.url()).hash).toBe('#v=2&tab=denoise&image=own');
    expect(await page.locator('[data-part] canvas').count()).toBe(1);
  });

  it.each([
    ['png', 'p3-denoised.png'],
    ['jpeg', 'p3-denoised.jpg'],
    ['webp', 'p3-denoised.webp'],
    ['tiff', 'p3-denoised.tif'],
  ] as const)('keeps its colours and what its file says when it is saved: %s', async (format, name) => {
    await page.selectOption('[data-control="format"]', format);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="save"]')]);
    expect(download.suggestedFilename()).toBe(name);
    const file = readFileSync(await download.path());
    const [found, given] = await Promise.all([sharp(file).metadata(), sharp(await photograph()).metadata()]);
    expect([found.format, found.width, found.height]).toEqual([format, 64, 48]);
    expect(found.icc?.equals(given.icc ?? Buffer.of())).toBe(true);
    if (format !== 'webp') expect(found.density).toBe(300);
    if (format !== 'tiff') expect(found.exif?.toString('latin1')).toContain('Somebody');
    // The numbers of the samples, which mean Display P3 in both.
    const means = async (picture: Buffer) => (await sharp(picture).stats()).channels.map(({ mean }) => mean);
    const [after, before] = await Promise.all([means(file), means(await photograph())]);
    for (const [c, value] of before.entries()) expect(Math.abs(after[c] - value)).toBeLessThan(2);
  });

  it('becomes the picture when it is applied, and is undone and redone', async () => {
    await current(page);
    await page.click('[data-choice="overlay-removed"]');
    await expect.poll(() => page.textContent('.tag.right')).toMatch(/^Removed, × \d+$/);
    await page.click('[data-choice="overlay-none"]');
    await page.click('[data-action="apply"]');
    await page.waitForSelector('[data-action="undo"][title="Undo: Noise removed"]');
    await page.click('[data-action="undo"]');
    await page.waitForSelector('[data-action="redo"][title="Redo: Noise removed"]');
  });

  it('keeps its results, to compare them by a key and to return to their settings', async () => {
    expect(await page.locator('[data-past]').count()).toBe(0);
    await page.click('[data-action="denoise"]');
    await current(page);
    await page.selectOption('[data-control="quality"]', 'fast');
    await page.click('[data-action="denoise"]');
    await current(page);
    await page.waitForSelector('[data-past]');
    await page.locator('h1').hover();
    await page.keyboard.press('a');
    expect(await page.textContent('.tag.left')).toBe('balanced');
    await page.click('[data-action="use-past"]');
    expect(await page.inputValue('[data-control="quality"]')).toBe('balanced');
    await page.selectOption('[data-control="past"]', { label: 'before' });
    expect(await page.textContent('.tag.left')).toBe('Before');
  });

  it('is compared with what it was by a key', async () => {
    const at = () => page.getAttribute('.handle', 'aria-valuenow');
    await page.waitForSelector('[data-part] canvas');
    await page.keyboard.press('b');
    expect(await at()).toBe('100');
    await page.keyboard.press('b');
    expect(await at()).toBe('0');
  });
});

/** Pages of a still scene with noise of their own; `pageOf` returns the scene, or a page. */
function stackOfPages() {
  const [width, height, pages] = [80, 64, 5];
  const scene = Float64Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return 120 + 60 * Math.sin(x / 5) * Math.cos(y / 7) + (x > 40 ? 30 : 0);
  });
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const noise = () => 20 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const data = Uint8Array.from({ length: pages * scene.length }, (_, i) =>
    Math.min(255, Math.max(0, Math.round(scene[i % scene.length] + noise()))),
  );
  const file = sharp(data, { raw: { width, height: pages * height, channels: 1, pageHeight: height } })
    .toColourspace('b-w')
    .tiff({ compression: 'lzw' })
    .toBuffer();
  const error = (page: ArrayLike<number>) =>
    Math.sqrt(scene.reduce((sum, value, i) => sum + (page[i] - value) ** 2, 0) / scene.length);
  return { file, pages, data, error };
}

describe.skipIf(!hasBrowser)('a stack', () => {
  it('is denoised as a series while its pages are looked at, and saved as a stack', async () => {
    const { file, pages, data, error } = stackOfPages();
    await page.reload();
    await choose(page, 'stack.tif', await file);
    await expect.poll(() => page.textContent('[data-pages]')).toMatch(/Page 1 of 5, 5 denoised/);
    await current(page);
    await page.focus('[data-control="page"]');
    await page.keyboard.press('End');
    await expect.poll(() => page.textContent('.tag.right')).toBe('Denoised');
    expect(await page.textContent('[data-pages]')).toMatch(/Page 5 of 5/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="save"]')]);
    expect(download.suggestedFilename()).toBe('stack-denoised.tif');
    const saved = readFileSync(await download.path());
    expect((await sharp(saved).metadata()).pages).toBe(pages);
    for (const at of [0, pages - 1]) {
      const after = await sharp(saved, { page: at }).extractChannel(0).raw().toBuffer();
      expect(error(after)).toBeLessThan(0.4 * error(data.subarray(at * after.length)));
    }
  });
});

describe.skipIf(!hasBrowser)('an example', () => {
  it('shows a repair, with its mask, which a reload keeps', async () => {
    await page.click('[data-action="start"]');
    await page.click('[data-example="scratched-print"]');
    await page.waitForFunction(() =>
      /will be filled/.test(document.querySelector('[data-missing]')?.textContent ?? ''),
    );
    await page.click('[data-action="cancel"]', { timeout: 3000 }).catch(() => {});
    await page.click('[data-action="clear-mask"]');
    await page.focus('[role="application"]');
    await page.keyboard.press('Enter');
    const text = await page.textContent('[data-missing]');
    // It is kept once it rests.
    await page.waitForTimeout(1000);
    await page.reload();
    await expect.poll(() => page.textContent('[data-missing]')).toBe(text);
  });

  it('is opened by a verb where there is no picture yet', async () => {
    const other = await browser.newPage();
    await other.goto(studio.url);
    await goTo(other, 'upscale');
    await other.waitForSelector('.facts >> text=Dust Bowl home');
    await other.close();
  });
});

describe.skipIf(!hasBrowser)('no part of the page', () => {
  const widths = [320, 360, 768, 900, 1000, 1440, 2560, 3840];

  it.each(['light', 'dark'] as const)(
    'is clipped or scrolls sideways, or fails an accessibility check: %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, bypassCSP: true });
      const other = await context.newPage();
      // Pictures as wide as 3840 pixels are drawn by the CPU here, while one is denoised.
      other.setDefaultTimeout(120_000);
      await other.goto(studio.url);
      for (const tab of ['start', 'denoise', 'inpaint', 'upscale', 'deblur']) {
        if (tab !== 'start') await goTo(other, tab);
        if (tab !== 'start') await other.waitForSelector('[role="application"]');
        for (const width of widths) {
          await other.setViewportSize({ width, height: 844 });
          const outside = await other.evaluate(() =>
            [...document.querySelectorAll('main button, main select, main input:not(.hidden), main p, header button')]
              .filter((element) => !element.closest('.stage, details:not([open])'))
              .filter((element) => {
                const around = element.closest('.controls, .details, .picture, header, main')?.getBoundingClientRect();
                const box = element.getBoundingClientRect();
                return around && box.width > 0 && (box.right > around.right + 4 || box.left < around.left - 4);
              })
              .map((element) => element.outerHTML),
          );
          expect([tab, width, outside]).toEqual([tab, width, []]);
          expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        }
        await other.setViewportSize({ width: 390, height: 844 });
        await other.evaluate(axe);
        const { violations } = await other.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
        expect(violations.map(({ id, nodes }) => `${tab}: ${id} ${nodes[0].html}`)).toEqual([]);
      }
      await context.close();
    },
  );

  it('has logged an error', () => {
    expect(seen.complaints).toEqual([]);
  });
});
