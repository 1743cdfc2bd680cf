/** The Restore tab in a real browser. The tests share one page; each opens the image it needs. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose, current, dist, goTo, hasBrowser, reading, startBrowser, startStudio, watch } from './browser.js';

/** The size of the images, which the fastest quality restores in about a second. */
const [WIDTH, HEIGHT] = [120, 90];
/** The length of the movement that blurs one of them, in pixels. */
const LENGTH = 9;

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let page: Page;
let seen: Awaited<ReturnType<typeof watch>>;
/** A part of a sample, and a wider one of the same rows. */
let truth: Uint8Array;
let wide: Uint8Array;

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio] = await Promise.all([startBrowser(), startStudio()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  seen = await watch(page);
  await page.goto(`${studio.url}#tab=restore&image=dust-bowl-home`);
  await page.waitForSelector('canvas');
  const part = (width: number, left: number) =>
    sharp(join(dist, 'samples/nagasaki-boats.png'))
      .extract({ left, top: 380, width, height: HEIGHT })
      .toColourspace('b-w')
      .raw()
      .toBuffer();
  [truth, wide] = await Promise.all([part(WIDTH, 360), part(WIDTH + LENGTH - 1, 360 - (LENGTH - 1) / 2)]);
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
});

function grey(samples: Uint8Array, width = WIDTH, height = HEIGHT): Promise<Buffer> {
  return sharp(samples, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

/** Opens an image and chooses a task. */
async function begin(task: 'inpaint' | 'deblur' | 'upscale', name: string, samples: Uint8Array, on = page) {
  await choose(on, name, await grey(samples));
  await on.waitForFunction((text) => document.querySelector('.facts')?.textContent?.includes(text), name);
  await on.waitForSelector('[data-task="none"]');
  await goTo(on, task);
}

/** Restores the image, and gives the samples of the saved file. */
async function restored(): Promise<{ data: Buffer; width: number; height: number }> {
  await page.click('[data-action="restore"]');
  await current(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="save"]')]);
  const file = sharp(await download.path()).toColourspace('b-w');
  const { data, info } = await file.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Drags the pointer between two points of the picture's stage, given as fractions of it. */
async function drag(selector: string, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`no ${selector}`);
  await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + to[0] * box.width, box.y + to[1] * box.height, { steps: 8 });
  await page.mouse.up();
}

const stage = '.stage[role="application"]';
const missing = async (on = page) =>
  Number.parseInt((await on.textContent('[data-missing]'))?.replace(/\s/g, '') ?? '', 10) || 0;
const psnr = (a: Uint8Array, b: Uint8Array) => {
  const square = a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length;
  return 10 * Math.log10(255 ** 2 / square);
};

describe.skipIf(!hasBrowser)('inpainting', () => {
  /** The truth with a white scratch, which the mask covers. */
  const scratch = (i: number) => Math.abs((i % WIDTH) - Math.floor(i / WIDTH) - 15) < 2;
  const scratched = () => truth.map((value, i) => (scratch(i) ? 255 : value));
  const maskFile = () => grey(truth.map((_, i) => (scratch(i) ? 1 : 0)));
  const giveMask = (name: string, buffer: Buffer) =>
    page.setInputFiles('[aria-label="Mask from a file"]', { name, mimeType: 'image/png', buffer });

  it('paints and erases; the rest of the picture stays as it is', async () => {
    await begin('inpaint', 'painted.png', truth);
    expect(await page.isDisabled('[data-action="restore"]')).toBe(true);
    await page.fill('[data-control="brush"]', '4');
    await drag(stage, [0.4, 0.5], [0.6, 0.5]);
    const painted = await missing();
    expect(painted).toBeGreaterThan(40);
    // The preview lies where it was painted, and no divider is in the way of the brush.
    await page.waitForSelector('[data-part] canvas');
    expect(await page.locator('.handle').count()).toBe(0);
    await page.click('[data-choice="tool-eraser"]');
    await drag(stage, [0.5, 0.5], [0.6, 0.5]);
    await page.click('[data-choice="tool-brush"]');
    const left = await missing();
    expect(left).toBeLessThan(0.7 * painted);
    const { data } = await restored();
    const changed = data.reduce((sum, value, i) => sum + Number(value !== truth[i]), 0);
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThanOrEqual(left);
    expect(await page.textContent('.tag.right')).toBe('Repaired');
    // Nobody knows what should be there.
    expect(await page.locator('[data-reading="PSNR"]').count()).toBe(0);
    await page.click('[data-action="clear-mask"]');
    expect(await missing()).toBe(0);
    expect(await page.getAttribute('.actions', 'data-current')).toBe('false');
  });

  it('paints with the keyboard in the middle, and does not move the picture with the brush', async () => {
    await begin('inpaint', 'keys.png', truth);
    const place = () => page.$eval('.sheet', (sheet) => (sheet as HTMLElement).style.transform);
    const before = await place();
    await drag(stage, [0.4, 0.4], [0.6, 0.6]);
    expect(await place()).toBe(before);
    await page.click('[data-action="clear-mask"]');
    await page.focus(stage);
    await page.keyboard.press('Enter');
    expect(await missing()).toBeGreaterThan(5);
    await page.click('[data-choice="tool-move"]');
    await drag(stage, [0.4, 0.4], [0.6, 0.6]);
    // The whole picture is seen: there is nothing to move.
    expect(await place()).toBe(before);
    for (let i = 0; i < 3; i++) await page.click('[aria-label="Zoom in"]');
    await drag(stage, [0.4, 0.4], [0.6, 0.6]);
    expect(await place()).not.toBe(before);
    await page.click('[data-choice="tool-brush"]');
  });

  it('fills what a mask from a file marks', async () => {
    const image = scratched();
    await begin('inpaint', 'scratched.png', image);
    await giveMask('mask.png', await maskFile());
    await page.waitForFunction(() =>
      /will be filled/.test(document.querySelector('[data-missing]')?.textContent ?? ''),
    );
    const { data } = await restored();
    expect(psnr(data, truth)).toBeGreaterThan(psnr(image, truth) + 8);
    expect(data.every((value, i) => scratch(i) || value === truth[i])).toBe(true);
  });

  it('refuses a mask of another size', async () => {
    await giveMask('small.png', await grey(truth.subarray(0, 100), 10, 10));
    await page.waitForSelector('[role="alert"] .notice');
    expect(await page.textContent('[role="alert"]')).toContain(
      'small.png has 10×10 pixels, and the image 120×90. Use a mask of the size of the image.',
    );
    await page.click('[aria-label="Dismiss"]');
  });

  it.each(['text', 'pixels'])('measures the repair of damage by %s', async (damage) => {
    await begin('inpaint', `${damage}.png`, truth);
    await page.click(`[data-action="damage-${damage}"]`);
    await page.waitForFunction(() =>
      /will be filled/.test(document.querySelector('[data-missing]')?.textContent ?? ''),
    );
    expect(await page.textContent('.tag.left')).toBe('Damaged');
    const { data } = await restored();
    expect(await reading(page, 'PSNR')).toBeGreaterThan(20);
    // The file is rounded.
    expect(await reading(page, 'PSNR')).toBeCloseTo(psnr(data, truth), 0);
    expect(await page.isEnabled('[data-choice="overlay-error"]')).toBe(true);
  });

  it('paints with one finger and zooms with two', async () => {
    const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
    const phone = await context.newPage();
    await phone.goto(`${studio.url}#tab=restore`);
    await phone.waitForSelector(`${stage} canvas`);
    const box = await phone.locator(stage).boundingBox();
    if (!box) throw new Error('no stage');
    const devtools = await context.newCDPSession(phone);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: (readonly [number, number])[]) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x: box.x + x * box.width, y: box.y + y * box.height, id })),
      });
    const percent = () => phone.textContent('.percent');
    const fitted = await percent();
    await touch('touchStart', [0.45, 0.5]);
    await touch('touchStart', [0.45, 0.5], [0.55, 0.5]);
    await touch('touchMove', [0.3, 0.5], [0.55, 0.5]);
    await touch('touchMove', [0.3, 0.5], [0.7, 0.5]);
    await touch('touchEnd');
    expect(await percent()).not.toBe(fitted);
    expect(await missing(phone)).toBe(0);
    await touch('touchStart', [0.4, 0.5]);
    await touch('touchMove', [0.6, 0.5]);
    await touch('touchEnd');
    expect(await missing(phone)).toBeGreaterThan(100);
    await context.close();
  });
});

describe.skipIf(!hasBrowser)('deblurring', () => {
  const blurred = () =>
    truth.map((_, i) => {
      const start = Math.floor(i / WIDTH) * (WIDTH + LENGTH - 1) + (i % WIDTH);
      return Math.round(wide.subarray(start, start + LENGTH).reduce((a, b) => a + b) / LENGTH);
    });

  it('sharpens by a shape, and by the same kernel drawn by mouse and by keys', async () => {
    const image = blurred();
    await begin('deblur', 'moved.png', image);
    await page.click('[data-choice="kernel-motion"]');
    await page.fill('[data-control="angle"]', '0');
    await page.fill('[data-control="length"]', String(LENGTH));
    await page.waitForSelector('text="11 × 11 pixels"');
    const { data } = await restored();
    expect(psnr(data, truth)).toBeGreaterThan(psnr(image, truth) + 4);
    expect(await reading(page, 'Noise σ')).toBeGreaterThan(0);

    await page.click('[data-choice="kernel-drawn"]');
    expect(await page.getAttribute('.actions', 'data-current')).toBe('false');
    const cell = (x: number): readonly [number, number] => [(x + 0.5) / 15, 0.5];
    // From left to the one before the middle, which is set from the start.
    await drag('[data-kernel="drawn"]', cell(3), cell(6));
    await page.focus('[data-kernel="drawn"]');
    await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
    }
    const drawn = await restored();
    expect(psnr(drawn.data, data)).toBeGreaterThan(45);
  });

  it('takes a kernel from a file, and refuses a photograph', async () => {
    const give = (name: string, buffer: Buffer) =>
      page.setInputFiles('[aria-label="Kernel from a file"]', { name, mimeType: 'image/png', buffer });
    await give(
      'line.png',
      await grey(
        Uint8Array.from({ length: 27 }, (_, i) => (i >= 9 && i < 18 ? 255 : 0)),
        9,
        3,
      ),
    );
    await page.waitForSelector('text="9 × 3 pixels"');
    await give('photograph.png', readFileSync(join(dist, 'samples/dust-bowl-home.png')));
    await page.waitForSelector('[role="alert"] .notice');
    expect(await page.textContent('[role="alert"]')).toMatch(
      /photograph\.png has \d+×\d+ pixels, and a kernel at most 255×255\. Crop its dark border\./,
    );
    await page.click('[aria-label="Dismiss"]');
    expect(psnr((await restored()).data, truth)).toBeGreaterThan(psnr(blurred(), truth) + 4);
  });

  it('blurs a sharp picture first, finds that blur, and undoes it all', async () => {
    await begin('deblur', 'sharp.png', truth);
    await page.click('[data-choice="kernel-gaussian"]');
    await page.click('[data-action="blur-first"]');
    await page.waitForSelector('[data-action="undo"]:not(:disabled)');
    const { data } = await restored();
    expect(psnr(data, truth)).toBeGreaterThan(28);
    await page.click('[data-action="apply"]');
    await page.waitForSelector('[data-action="undo"][title="Undo: Deblurred"]');
    await page.click('[data-action="undo"]');
    await page.waitForSelector('[data-action="undo"][title="Undo: Blurred"]');
    await page.click('[data-action="undo"]');
    await page.waitForSelector('[data-action="undo"]:disabled');
  });

  it('shows the error of the library for a kernel without weights', async () => {
    await page.click('[data-choice="kernel-drawn"]');
    await page.click('[data-action="clear-kernel"]');
    await page.locator('[data-kernel="drawn"]').click();
    await page.click('[data-action="restore"]');
    await page.waitForSelector('[role="alert"] .notice');
    expect(await page.textContent('[role="alert"]')).toMatch(/kernel.*must have a sum above 0/);
    await page.click('[aria-label="Dismiss"]');
  });
});

describe.skipIf(!hasBrowser)('enlarging', () => {
  it('saves an image of the chosen size, and says so', async () => {
    await begin('upscale', 'small.png', truth);
    await page.click('[data-choice="factor-3"]');
    const { width, height } = await restored();
    expect([width, height]).toEqual([3 * WIDTH, 3 * HEIGHT]);
    expect(await page.textContent('[data-reading="Size"]')).toBe('360 × 270');
    expect(new URL(page.url()).hash).toContain('restore=upscale');
  });

  it('can be cancelled, and asked again', async () => {
    await page.click('[aria-label="Sample: Dust Bowl home"]');
    await page.waitForFunction(() => /Dust Bowl home/.test(document.querySelector('.facts')?.textContent ?? ''));
    await page.waitForSelector('[data-task="none"]');
    await page.click('[data-choice="factor-2"]');
    await page.click('[data-action="restore"]');
    await page.waitForSelector('.progress >> text=/Restoring: step \\d+ of \\d+/');
    await page.click('[data-action="cancel"]');
    await page.waitForSelector('[data-task="none"]');
    expect(await page.getAttribute('.actions', 'data-current')).toBe('false');
    await begin('upscale', 'again.png', truth);
    expect((await restored()).width).toBe(2 * WIDTH);
  });

  it('has logged no errors', () => {
    expect(seen.complaints).toEqual([]);
  });
});

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

describe.skipIf(!hasBrowser)('every task of the tab', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

  it.each([
    ['dark', 1280],
    ['light', 390],
    ['light', 320],
  ] as const)(
    'passes an accessibility check, %s at %i pixels, without a sideways scroll',
    async (colorScheme, width) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true });
      const other = await context.newPage();
      await other.goto(`${studio.url}#tab=restore&kernel=drawn&blurNoise=3`);
      await other.waitForSelector(`${stage} canvas`);
      await other.evaluate(axe);
      for (const task of ['inpaint', 'deblur', 'upscale']) {
        await goTo(other, task);
        const { violations } = await other.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
        expect(violations.map(({ id, nodes }) => `${task}: ${id} ${nodes[0].html}`)).toEqual([]);
        expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      }
      await context.close();
    },
  );
});
