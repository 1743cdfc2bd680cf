/** The Learn tab in a real browser. The tests share one page, and read it from top to bottom. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose, dist, goTo, hasBrowser, startBrowser, startPlainHost, startStudio, watch } from './browser.js';

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let page: Page;
let seen: Awaited<ReturnType<typeof watch>>;
const scripts: string[] = [];
const steps = [1, 2, 3, 4, 5, 6, 7];

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio] = await Promise.all([startBrowser(), startStudio()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(30_000);
  page.on('request', (request) => scripts.push(request.url()));
  seen = await watch(page);
  await page.goto(`${studio.url}#tab=represent`);
  await page.waitForSelector('[data-stage="final"]');
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
});

/** Brings a figure into view and waits until it is drawn. */
async function see(step: number, on = page): Promise<void> {
  await on.evaluate((n) => document.getElementById(`learn-${n}`)?.scrollIntoView(), step);
  await on.waitForSelector(`[data-step="${step}"] [data-save]:not(:disabled)`);
}

/** One text per canvas of a figure, equal for equal pixels; 'blank' if all pixels are the same. */
function drawn(step: number, on = page): Promise<string[]> {
  return on.$$eval(`[data-step="${step}"] figure canvas`, (all) =>
    all.map((each) => {
      const canvas = each as HTMLCanvasElement;
      const data = new Uint32Array(
        canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data.buffer ?? new ArrayBuffer(4),
      );
      const hash = data.reduce((sum, value) => (Math.imul(sum, 31) + value) | 0, 0);
      return data.every((value) => value === data[0]) ? 'blank' : `${canvas.width}×${canvas.height} ${hash}`;
    }),
  );
}

const proseOf = (step: number) => page.innerText(`[data-step="${step}"] .prose`);

/** Does something and waits until both the pictures and the text of a figure have changed. */
async function changes(step: number, act: () => Promise<unknown>): Promise<void> {
  await see(step);
  const [before, said] = [await drawn(step), await proseOf(step)];
  await act();
  await eventually(() => proseOf(step)).not.toBe(said);
  await eventually(() => drawn(step)).not.toEqual(before);
}

/** Waits for what a slow machine may take a while to show. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000, interval: 20 });
const iteration = () => page.innerText('[data-step="4"] label .number');

async function press(selector: string, ...keys: string[]): Promise<void> {
  await page.focus(selector);
  for (const key of keys) await page.keyboard.press(key);
}

describe.skipIf(!hasBrowser)('the Learn tab', () => {
  it('is loaded when it is opened, under 25 KB compressed', async () => {
    const parts = () => scripts.filter((url) => /\/Learn-.*\.js$/.test(url));
    expect(parts()).toEqual([]);
    await goTo(page, 'learn');
    await page.waitForSelector('[data-step="7"]');
    expect(parts()).toHaveLength(1);
    const files = readdirSync(join(dist, 'assets')).filter((name) => name.startsWith('Learn-'));
    const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, 'assets', name))).length, 0);
    expect(size).toBeLessThan(25_000);
  });

  it('begins with what starves, and asks before it answers', async () => {
    await page.waitForSelector('[data-opening] canvas');
    const opening = await page.innerText('[data-opening]');
    expect(opening).toContain('Why is the mast frayed on the left');
    const [equal, joint] = [...opening.matchAll(/([\d.]+) dB/g)].map(([, psnr]) => Number(psnr));
    expect(joint).toBeGreaterThan(equal + 2);
    const questions = await page.$$eval('[data-step] .question', (all) => all.map(({ textContent }) => textContent));
    expect(questions.map((question) => question?.at(-1))).toEqual(steps.map(() => '?'));
  });

  it('draws every figure from the open picture', async () => {
    const first: string[][] = [];
    for (const step of steps) {
      await see(step);
      first.push(await drawn(step));
    }
    // One colour have the flat atom, and the map of equal shares.
    const blank = first.map((all) => all.filter((each) => each === 'blank').length);
    expect(blank).toEqual([0, 1, 1, 0, 0, 0, 0]);
    await page.click('[aria-label="Sample: Dust Bowl home"]');
    await page.waitForFunction(() => document.querySelector('.lead')?.textContent?.includes('256 × 197'));
    for (const step of steps) {
      await see(step);
      const now = await drawn(step);
      // The dictionaries and the scales of colours are the same.
      const same = now.filter((each) => first[step - 1].includes(each)).length;
      expect(now.length - same).toBeGreaterThanOrEqual(step === 1 ? 1 : 2);
    }
  });

  it('marks the patch that is clicked, and moves to the next one with the keys', async () => {
    await see(1);
    const at = () => page.innerText('[data-step="1"] .patch .labels');
    await page.locator('[data-step="1"] [role="application"]').click({ position: { x: 3, y: 3 } });
    await eventually(at).toContain('at (0, 0)');
    await page.focus('[data-step="1"] [role="application"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await eventually(at).toContain('at (8, 8)');
    await page.click('[data-action="busiest"]');
    await eventually(at).not.toContain('at (8, 8)');
  });

  it('adds atoms one by one, and the error falls', async () => {
    await see(2);
    const error = async () => Number(/error of this patch is ([\d.]+)/.exec(await proseOf(2))?.[1]);
    const before = await error();
    await changes(2, () => page.click('[data-action="more"]'));
    expect(await error()).toBeLessThan(before);
    expect(await page.locator('[data-step="2"] ol li').count()).toBe(4);
    await press('[data-control="learn-atoms"]', 'End');
    await eventually(error).toBeLessThan(before / 2);
  });

  it('shares one budget better than five for every patch', async () => {
    await changes(3, () => press('[data-control="learn-budget"]', 'ArrowRight'));
    const [equal, joint] = await page.$$eval('[data-way] .title', (all) =>
      all.map((each) => Number(/([\d.]+) dB/.exec(each.textContent ?? '')?.[1])),
    );
    expect(joint).toBeGreaterThan(equal + 1);
    await eventually(() => page.innerText('[data-way="equal"]')).toContain('6 here');
  });

  it('iterates step by step, and by itself', async () => {
    await changes(4, () => page.click('[data-action="step"]'));
    const placed = async () =>
      Number((await page.innerText('[data-step="4"] figure')).match(/([\d\u2009]+) placed/)?.[1].replace('\u2009', ''));
    const all = await placed();
    await page.click('[data-action="play"]');
    await eventually(placed).toBeLessThan(all);
    await eventually(iteration).not.toContain('2 of 24');
    await page.click('[data-action="play"]');
    await eventually(placed).toBe(all);
  });

  it('does not move the cut by itself if motion is to be reduced', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const placed = () => page.innerText('[data-step="4"] .pair .labels .number');
    const [all, k] = [await placed(), await iteration()];
    const during = new Set<string>();
    await page.click('[data-action="play"]');
    await eventually(async () => during.add(await placed()) && iteration()).not.toBe(k);
    await page.click('[data-action="play"]');
    expect([...during]).toEqual([all]);
    await page.emulateMedia({ reducedMotion: null });
  });

  it('moves the threshold by mouse and by keys, and with it the budget', async () => {
    const kept = async () => Number(await page.getAttribute('[data-handle]', 'aria-valuenow'));
    await see(5);
    const before = await kept();
    await changes(5, async () => {
      const box = await page.locator('[data-handle]').boundingBox();
      if (!box) throw new Error('no handle');
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 60, y - 40, { steps: 3 });
      await page.mouse.up();
    });
    const dragged = await kept();
    expect(dragged).toBeLessThan(0.7 * before);
    await changes(5, () => press('[data-handle]', 'PageDown'));
    expect(await kept()).toBe(Math.ceil(1.5 * dragged));
    await changes(5, () => page.check('[data-control="learn-refit"]'));
  });

  it('finds the best budget against noise', async () => {
    await see(6);
    await page.waitForSelector('[data-action="best"]:not(:disabled)');
    const [, from, to] = /rises from ([\d.]+) dB to ([\d.]+) dB/.exec(await proseOf(6)) ?? [];
    expect(Number(to)).toBeGreaterThan(Number(from) + 4);
    await press('[data-control="learn-noise"]', 'End');
    await changes(6, () => page.click('[data-action="best"]'));
    expect(await page.innerText('[data-step="6"] .pair')).toContain(`${to} dB`);
    await changes(6, () => page.click('[data-choice="learn-stride-8"]'));
    await page.waitForSelector('[data-action="best"]:not(:disabled)');
    expect(Number(/rises from [\d.]+ dB to ([\d.]+)/.exec(await proseOf(6))?.[1])).toBeLessThan(Number(to));
  });

  it('compares learned atoms with cosines at the same budget', async () => {
    await changes(7, () => press('[data-control="learn-versus"]', 'ArrowLeft'));
    const [, cosines, learned] = /reach ([\d.]+) dB, the learned atoms ([\d.]+) dB/.exec(await proseOf(7)) ?? [];
    expect(Number(learned)).toBeGreaterThan(Number(cosines) + 0.5);
    await eventually(() => proseOf(7)).toMatch(/the cosines need [\d.]+ atoms per patch/);
  });

  it('saves a figure as it is shown', async () => {
    await see(3);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-save="3"]')]);
    expect(file.suggestedFilename()).toBe('ght-learn-3-dust-bowl-home.svg');
    const svg = readFileSync(await file.path(), 'utf8');
    expect(svg.match(/<image /g)).toHaveLength(6);
    expect(svg).toContain('One budget for all');
    expect(svg).not.toContain('Save figure');
    // Another program can draw it, with the colours of the map.
    const { dominant } = await sharp(Buffer.from(svg)).stats();
    expect([dominant.r, dominant.g, dominant.b]).not.toEqual([0, 0, 0]);
  });

  it('explains a word by mouse and by keys', async () => {
    await page.focus('[data-step="3"] [data-term="budget"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=The number of atoms that may be used');
    await page.keyboard.press('Escape');
    await page.waitForSelector('text=The number of atoms that may be used', { state: 'hidden' });
  });

  it('is as the reader left it when the tab is opened again', async () => {
    await goTo(page, 'inpaint');
    await page.waitForSelector('[data-step="1"]', { state: 'detached' });
    await goTo(page, 'learn');
    await page.waitForSelector('[data-step="2"] canvas');
    expect(await page.locator('[data-step="2"] ol li').count()).toBe(16);
    expect(await page.isChecked('[data-control="learn-refit"]')).toBe(true);
  });

  it.each([
    ['a tiny colour picture', 21, 13, 3],
    ['a black picture', 64, 48, 0],
  ])('takes the reader’s own image: %s', async (_, width, height, swing) => {
    const rgb = Uint8Array.from({ length: 3 * width * height }, (_, i) => swing * ((i * 7919) % 80));
    await choose(
      page,
      'own.png',
      await sharp(rgb, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer(),
    );
    await page.waitForFunction(
      (size) => document.querySelector('.lead')?.textContent?.includes(size),
      `${width} × ${height}`,
    );
    for (const step of steps) await see(step);
    expect(await page.locator('[role="alert"] .notice').count()).toBe(0);
  });

  it('logs no errors, and asks nobody else', () => {
    // The first is about the way in which these tests look at pictures.
    expect(seen.complaints.filter((each) => !each.includes('willReadFrequently'))).toEqual([]);
    expect([...seen.asked]).toEqual([new URL(studio.url).origin]);
  });
});

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

describe.skipIf(!hasBrowser)('a link to a figure', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

  it.each([
    ['light', 1280, 4],
    ['dark', 320, 6],
  ] as const)(
    'opens it, %s at %i pixels, accessible and without a sideways scroll',
    async (colorScheme, width, step) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      const other = await context.newPage();
      await other.goto(`${studio.url}#tab=learn&image=black-canyon&step=${step}`);
      await other.waitForSelector(`[data-step="${step}"] [data-save]:not(:disabled)`);
      const top = () => other.$eval(`#learn-${step}`, (section) => Math.abs(section.getBoundingClientRect().top));
      await eventually(top).toBeLessThan(60);
      // Not by the mouse: the page may scroll away from the link, since it follows the figure that was opened.
      await other.$eval('[data-link="3"]', (link: HTMLElement) => link.click());
      await eventually(() => new URL(other.url()).hash).toContain('step=3');
      // The page follows the figure that was opened until the reader does something.
      await other.mouse.wheel(0, 10);
      for (const each of steps) await see(each, other);
      await other.click('[data-term="patch"]');
      await other.evaluate(axe);
      const { violations } = await other.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0].html}`)).toEqual([]);
      expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await context.close();
    },
  );
});

describe.skipIf(!hasBrowser)('a host that cannot be reached any more', () => {
  it('is named as the reason if the tab does not open', async () => {
    const lost = readdirSync(join(dist, 'assets')).find((name) => /^Learn-.*\.js$/.test(name));
    const { url, server } = await startPlainHost(`/assets/${lost}`);
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const other = await context.newPage();
    await other.goto(`${url}#tab=learn`);
    await other.waitForSelector('text="The story could not be loaded. Reload the page when you are online."');
    await context.close();
    server.closeAllConnections();
    server.close();
  });
});
