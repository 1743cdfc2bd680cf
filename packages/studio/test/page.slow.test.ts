/** The page in a real browser, as `ght studio` serves it. The tests share one page; each leaves it usable. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeImage } from 'ght-images/node';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  choose,
  current,
  dist,
  goTo,
  hasBrowser,
  openMore,
  reading,
  settled,
  startBrowser,
  startPlainHost,
  startStudio,
  watch,
} from './browser.js';

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let plain: { url: string; server: Server };
let page: Page;
let seen: Awaited<ReturnType<typeof watch>>;

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio, plain] = await Promise.all([startBrowser(), startStudio(), startPlainHost()]);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  seen = await watch(page);
  await page.goto(`${studio.url}#tab=represent`);
  await settled(page);
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
  plain?.server.closeAllConnections();
  plain?.server.close();
});

/** A grey 16-bit PNG of gratings and texture. */
function scan(width = 160, height = 120): Promise<Buffer> {
  const samples = Uint16Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return 30000 + 12000 * Math.sin(x / 5) * Math.cos(y / 7) + ((x * 7919 + y * 104729) % 6007);
  });
  return sharp(samples, { raw: { width, height, channels: 1 } })
    .toColourspace('grey16')
    .png()
    .toBuffer();
}

async function opened(facts: RegExp): Promise<void> {
  await page.waitForFunction(
    (text) => new RegExp(text).test(document.querySelector('.facts')?.textContent ?? ''),
    facts.source,
  );
  await settled(page);
}

const alertText = () => page.textContent('[role="alert"]');
const dismiss = () => page.click('[aria-label="Dismiss"]');

describe.skipIf(!hasBrowser)('the studio', () => {
  it('opens with a sample, solved, on an isolated page', async () => {
    expect(await reading(page, 'PSNR')).toBeGreaterThan(25);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    expect(await page.getAttribute('.badge', 'data-engine')).toMatch(/^WASM SIMD( relaxed)? · \d+ threads?$/);
    expect(await page.getAttribute('.badge', 'data-engine')).toContain(` ${cores} thread`);
  });

  it('does not offer a GPU where there is none, and says why', async () => {
    await page.click('.badge summary');
    expect(await page.textContent('[data-without-gpu]')).toMatch(/^The GPU cannot be used: ./);
    expect(await page.isDisabled('[data-choice="engine-webgpu"]')).toBe(true);
    expect(await page.isEnabled('[data-choice="engine-wasm"]')).toBe(true);
    await page.click('.badge summary');
  });

  it('shows another PSNR for another budget, and says so in its address', async () => {
    const before = await reading(page, 'PSNR');
    await page.focus('[data-control="budget"]');
    for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      (old) => Number.parseFloat(document.querySelector('[data-reading="PSNR"]')?.textContent ?? '') > old,
      before,
    );
    await settled(page);
    expect(await reading(page, 'PSNR')).toBeGreaterThan(before + 0.5);
    expect(new URL(page.url()).hash).toMatch(/^#v=2&tab=represent&s=\d/);
  });

  it('reaches a target PSNR', async () => {
    await page.click('[data-choice="goal-psnr"]');
    await settled(page);
    expect(await reading(page, 'PSNR')).toBeGreaterThanOrEqual(32);
    expect(await reading(page, 'PSNR')).toBeLessThan(32.1);
    await page.click('[data-choice="goal-atoms"]');
    await settled(page);
  });

  it('draws the atoms per patch and the error over the picture, with a scale', async () => {
    for (const overlay of ['heatmap', 'error']) {
      await page.click(`[data-choice="overlay-${overlay}"]`);
      await page.waitForSelector('[data-side="right"] .overlay canvas');
      expect(await page.textContent('.scale')).toMatch(overlay === 'heatmap' ? /Atoms per patch/ : /Error/);
    }
    await page.click('[data-choice="overlay-none"]');
    await page.waitForSelector('.overlay', { state: 'detached' });
  });

  it('moves its divider by mouse and by keys, zooms and pans', async () => {
    const handle = page.locator('[role="slider"].handle');
    const at = async () => Number(await handle.getAttribute('aria-valuenow'));
    await handle.focus();
    await page.keyboard.press('PageUp');
    expect(await at()).toBe(60);
    const box = await handle.boundingBox();
    if (!box) throw new Error('no divider');
    await page.mouse.move(box.x + 18, box.y + 18);
    await page.mouse.down();
    await page.mouse.move(box.x + 18 - 200, box.y + 18, { steps: 4 });
    await page.mouse.up();
    expect(await at()).toBeLessThan(40);
    const sheets = () => page.$$eval('.sheet', (all) => all.map((each) => (each as HTMLElement).style.transform));
    const before = await sheets();
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(
      (old) => document.querySelector<HTMLElement>('.sheet')?.style.transform !== old,
      before[0],
    );
    const [left, right] = await sheets();
    expect(left).toBe(right);
    await page.click('[aria-label^="Show all"]');
    expect(await sheets()).toEqual(before);
  });

  it('looks inside the patch that is clicked', async () => {
    const box = await page.locator('.stage[role="application"]').boundingBox();
    if (!box) throw new Error('no stage');
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 0.6 * box.height);
    await page.waitForSelector('[data-patch="patchwise"]');
    expect(await page.textContent('.summary')).toMatch(/gets \d+\s+atoms? of the joint budget/);
    expect(await page.textContent('[data-patch="patchwise"]')).toContain('OMP adds up');
    expect(await page.locator('[data-patch="joint"] li').count()).toBeGreaterThan(0);
    await page.click('[aria-label="Close the patch"]');
    await page.waitForSelector('[data-patch]', { state: 'detached' });
  });

  it('compares six solvers under one budget, any two of them side by side', async () => {
    await goTo(page, 'compare');
    await page.waitForSelector('[data-row="cosamp"]');
    await page.waitForSelector('[data-task="none"]');
    const psnr = async (row: string) => Number(await page.textContent(`[data-row="${row}"] td`));
    expect(await page.locator('[data-row]').count()).toBe(6);
    expect(await psnr('joint-omp')).toBeGreaterThan((await psnr('omp')) + 2);
    await page.click('[aria-label="GHT-QPM on the left"]');
    expect(await page.textContent('.tag.left')).toBe('GHT-QPM');
    expect(new URL(page.url()).hash).toContain('left=qpm');
    const before = await psnr('admm');
    await page.focus('[data-control="budget"]');
    await page.keyboard.press('PageUp');
    expect(await page.textContent('.stale')).toContain('The settings have changed');
    await page.click('[data-action="compare"]');
    await page.waitForSelector('.stale', { state: 'detached' });
    await page.waitForSelector('[data-task="none"]');
    expect(await psnr('admm')).toBeGreaterThan(before);
  });

  it('raises the PSNR by denoising', async () => {
    await goTo(page, 'denoise');
    await page.click('[data-action="denoise"]');
    await current(page);
    expect(await reading(page, 'PSNR denoised')).toBeGreaterThan((await reading(page, 'PSNR noisy')) + 3);
    expect(await page.textContent('[data-looks]')).toBe('Strong grain.');
    expect(await page.textContent('[data-found]')).toMatch(/Noise: white, σ = (1[89]|2[012])/);
    await goTo(page, 'represent');
    await settled(page);
  });

  it('opens a dropped 16-bit file and saves it at the same depth', async () => {
    const bytes = [...(await scan())];
    await page.evaluate((content) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], 'scan.png'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes);
    await opened(/scan\.png.*160 × 120, grey, 16-bit PNG/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="save"]')]);
    const { depth, width, height } = await sharp(await download.path()).metadata();
    expect({ depth, width, height }).toEqual({ depth: 'ushort', width: 160, height: 120 });
  });

  it('saves its codes and opens them again', async () => {
    const psnr = await reading(page, 'PSNR');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      openMore(page).then(() => page.click('[data-action="codes"]')),
    ]);
    const codes = readFileSync(await download.path());
    await page.selectOption('[data-control="solver"]', 'qpm');
    await settled(page);
    expect(await reading(page, 'PSNR')).not.toBe(psnr);
    await choose(page, 'scan-codes.npz', codes);
    await page.waitForFunction(
      (old) => Number.parseFloat(document.querySelector('[data-reading="PSNR"]')?.textContent ?? '') === old,
      psnr,
    );
    await choose(page, 'broken.npz', codes.subarray(0, 200));
    await page.waitForSelector('[role="alert"] .notice');
    expect(await alertText()).toContain('broken.npz has no codes');
    await dismiss();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="csv"]')]);
    expect(readFileSync(await csv.path(), 'utf8')).toMatch(/^k,rmse,threshold,kept,ms\n/);
  });

  it('reports a corrupt file and continues', async () => {
    const damaged = await scan();
    damaged[60] ^= 0xff;
    await choose(page, 'damaged.png', damaged);
    await page.waitForSelector('[role="alert"] .notice');
    expect(await alertText()).toContain('damaged.png is damaged or incomplete');
    await dismiss();
    expect(await page.textContent('.facts')).toContain('scan.png');
  });

  it('handles an image of one pixel', async () => {
    const pixel = sharp(Uint8Array.of(200, 10, 30), { raw: { width: 1, height: 1, channels: 3 } });
    await choose(page, 'pixel.png', await pixel.png().toBuffer());
    await opened(/pixel\.png.*1 × 1, colour/);
    expect(await reading(page, 'Nonzeros')).toBeGreaterThan(0);
  });

  it.each(['jpeg', 'webp', 'tiff'] as const)('opens %s', async (format) => {
    const picture = sharp({ create: { width: 40, height: 24, channels: 3, background: '#38a' } });
    await choose(page, `picture.${format}`, await picture.toFormat(format, { compression: 'lzw' }).toBuffer());
    await opened(
      new RegExp(`picture\\.${format}.*40 × 24, colour, 8-bit ${format === 'webp' ? 'WebP' : format.toUpperCase()}`),
    );
  });

  it('opens FITS, whose reader is loaded then', async () => {
    const image = { width: 40, height: 24, planes: [Float32Array.from({ length: 960 }, (_, i) => i / 960)], peak: 1 };
    const like = { image, format: 'fits', depth: 32, sample: 'float' } as const;
    await choose(page, 'star.fits', Buffer.from(await encodeImage(image, 'fits', like)));
    await opened(/star\.fits.*40 × 24, grey, .*FITS/);
  });

  it('rejects a folder, and opens the first of several files, which it offers to save together', async () => {
    const devtools = await page.context().newCDPSession(page);
    const drop = async (...files: string[]) => {
      const data = { items: [], files, dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await devtools.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
      }
    };
    const sample = (name: string) => join(dist, 'samples', name);
    await drop(join(dist, 'samples'));
    await page.waitForSelector('.notice >> text="samples is a folder; drop the images in it."');
    await drop(sample('dust-bowl-home.png'), sample('black-canyon.png'));
    await opened(/dust-bowl-home\.png/);
    await goTo(page, 'denoise');
    await page.waitForSelector('text="Save all 2 files"');
    await goTo(page, 'represent');
    await settled(page);
    await devtools.detach();
  });

  it('opens what does not fit a run, states the memory that it needs, and opens it reduced', async () => {
    await page.selectOption('[data-control="stride"]', '2');
    const large = sharp({ create: { width: 4000, height: 2500, channels: 3, background: '#456' } });
    await choose(page, 'large.png', await large.png().toBuffer());
    await page.waitForSelector('[role="alert"] .notice');
    expect(await page.textContent('.facts')).toMatch(/large\.png4\u2009000 × 2\u2009500, colour/);
    expect(await alertText()).toMatch(
      /4000×2500 \(10 megapixels\) needs about [\d.]+ GiB of memory.*Open it reduced to/,
    );
    await page.click('[role="alert"] button >> text=/^Open at 1\\/\\d of its size$/');
    await page.waitForFunction(() =>
      /2\u2009000 × 1\u2009250, colour/.test(document.querySelector('.facts')?.textContent ?? ''),
    );
    await page.selectOption('[data-control="stride"]', '8');
  });

  it('cancels at once, and can be asked again', async () => {
    await page.click('[aria-label="Sample: Dust Bowl home"]');
    await opened(/Dust Bowl home/);
    await page.selectOption('[data-control="dictionary"]', 'dct-196');
    await page.selectOption('[data-control="solver"]', 'cosamp');
    await page.selectOption('[data-control="stride"]', '2');
    await page.waitForSelector('[data-task="represent"]');
    await page.click('[data-action="cancel"]');
    await page.waitForSelector('[data-task="none"]');
    await page.selectOption('[data-control="stride"]', '8');
    await page.selectOption('[data-control="solver"]', 'omp');
    await settled(page);
    expect(await reading(page, 'PSNR')).toBeGreaterThan(20);
  });

  it('restores everything from a link', async () => {
    await page.goto(`${studio.url}#image=black-canyon&s=2&solver=qpm&overlay=heatmap`);
    await page.reload();
    await settled(page);
    expect(await page.textContent('.facts')).toMatch(/Black Canyon.*colour/);
    expect(await page.inputValue('[data-control="solver"]')).toBe('qpm');
    expect(await page.textContent('label:has([data-control="budget"])')).toMatch(/^2 atoms/);
    await page.waitForSelector('.scale');
  });

  it('opens a transparent WebP upright and with the colours it holds', async () => {
    const background = { r: 201, g: 103, b: 57, alpha: 2 / 255 };
    const faint = sharp({ create: { width: 40, height: 24, channels: 4, background } });
    const file = await faint.withMetadata({ orientation: 6 }).webp({ lossless: true, exact: true }).toBuffer();
    await choose(page, 'faint.webp', file);
    await opened(/faint\.webp.*24 × 40, colour, 8-bit WebP/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="save"]')]);
    const pixels = await sharp(await download.path())
      .raw()
      .toBuffer();
    expect([...pixels.subarray(0, 4)]).toEqual([201, 103, 57, 2]);
  });

  it('has contacted only its own host, and logged no errors', () => {
    expect([...seen.asked].filter((origin) => origin !== 'null')).toEqual([new URL(studio.url).origin]);
    expect(seen.complaints).toEqual([]);
  });
});

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

describe.skipIf(!hasBrowser)('in the middle of something else', () => {
  let other: Page;
  beforeAll(async () => {
    if (!hasBrowser) return;
    other = await browser.newPage();
    other.setDefaultTimeout(60_000);
    await other.goto(`${studio.url}#tab=represent`);
    await settled(other);
  });
  afterAll(() => other?.close());

  const press = async (control: string, ...keys: string[]) => {
    await other.focus(`[data-control="${control}"]`);
    for (const key of keys) await other.keyboard.press(key);
  };

  /** A cancel may come too late: then the whole result has arrived. */
  const cancel = () => other.click('[data-action="cancel"]', { timeout: 2000 }).catch(() => {});

  it('an image whose opening is cancelled is open completely or not at all', async () => {
    for (const act of [cancel, () => press('budget', 'ArrowRight')]) {
      await choose(other, 'large.png', await scan(1600, 1200));
      await act();
      // However it ended, the next result must belong to the image that is named.
      await other.waitForSelector('[data-task="none"]');
      await press('budget', 'ArrowRight');
      await settled(other);
      const facts = (await other.textContent('.facts'))?.replace(/\s/g, '') ?? '';
      const [file] = await Promise.all([other.waitForEvent('download'), other.click('[data-action="save"]')]);
      const { width, height } = await sharp(await file.path()).metadata();
      expect(facts).toContain(`${width}×${height}`);
      expect(file.suggestedFilename()).toContain(facts.includes('large.png') ? 'large' : 'nagasaki-boats');
    }
  });

  it('a result of other settings is never exported', async () => {
    await press('budget', 'Home');
    await settled(other);
    for (let i = 0; i < 40; i++) {
      if (i % 4 === 0) await press('budget', i % 8 === 0 ? 'PageUp' : 'ArrowRight');
      const { given, asked, shown } = await other.evaluate(() => ({
        given: document.querySelector('[data-action="codes"]:not(:disabled)') !== null,
        asked: Number.parseFloat(document.querySelector('.value')?.textContent ?? ''),
        shown: Number.parseFloat(document.querySelector('[data-reading="Atoms per patch"]')?.textContent ?? ''),
      }));
      if (given) expect(shown).toBeCloseTo(asked, 1);
    }
    await settled(other);
  });

  it('a denoised image stays until a better one replaces it, and is told to be of older settings', async () => {
    await other.click('[aria-label="Sample: Dust Bowl home"]');
    await other.waitForSelector('.facts >> text=Dust Bowl home');
    await goTo(other, 'denoise');
    await other.selectOption('[data-control="quality"]', 'fast');
    await other.click('[data-action="denoise"]');
    await current(other);
    const level = await other.textContent('[data-reading="PSNR denoised"]');
    await press('strength', 'ArrowRight');
    await other.waitForSelector('.actions[data-current="false"]');
    expect(await other.textContent('.tag.right')).toMatch(/^(Denoised, older settings|Preview)$/);
    await press('strength', 'ArrowLeft');
    await current(other);
    expect(await other.textContent('[data-reading="PSNR denoised"]')).toBe(level);
    await goTo(other, 'represent');
    await settled(other);
    await goTo(other, 'denoise');
    expect(await other.textContent('[data-reading="PSNR denoised"]')).toBe(level);
  });

  it('a comparison that is cancelled shows rows of its own only', async () => {
    await goTo(other, 'compare');
    await other.waitForSelector('[data-row="cosamp"]');
    await other.waitForSelector('[data-task="none"]');
    await press('budget', 'End');
    await other.click('[data-action="compare"]');
    await other.waitForFunction(() => document.querySelector('[data-row="qpm"]:not(.old)') !== null);
    await cancel();
    await other.waitForSelector('[data-task="none"]');
    const atoms = await other.$$eval('[data-row] td.wide', (cells) => cells.map((cell) => cell.textContent));
    expect(atoms.length).toBeGreaterThan(0);
    expect(new Set(atoms).size).toBe(1);
  });
});

describe.skipIf(!hasBrowser)('manners', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['light', 320],
  ] as const)('pass an accessibility check, %s at %i pixels, without a sideways scroll', async (colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true });
    const other = await context.newPage();
    await other.goto(`${studio.url}#image=french-alpine-landscape`);
    await settled(other);
    const check = async (state: string) => {
      await other.evaluate(axe);
      const { violations } = await other.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
      expect(violations.map(({ id, nodes }) => `${state}: ${id} ${nodes[0].html}`)).toEqual([]);
      expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    };
    await other.click('[data-choice="overlay-heatmap"]');
    await other.waitForSelector('.overlay canvas');
    await other.focus('[role="application"]');
    await other.keyboard.press('Enter');
    await other.waitForSelector('[data-patch="patchwise"]');
    await check('a patch');
    await goTo(other, 'compare');
    await other.waitForSelector('[data-row="cosamp"]');
    await check('a comparison');
    await goTo(other, 'denoise');
    await other.waitForSelector('text="Close up"');
    await choose(other, 'no.png', Buffer.from('no image'));
    await other.waitForSelector('[role="alert"] .notice');
    await check('an error');
    await context.close();
  });

  it('load under 226 KB compressed, without samples', () => {
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    const all = readdirSync(join(dist, 'assets'));
    const scripts = all.filter((name) => name.startsWith('worker-'));
    // What a worker imports at once is loaded with it; what it imports later, such as restoration, is not.
    const imported = scripts.flatMap((name) => {
      const text = readFileSync(join(dist, 'assets', name), 'utf8');
      return [...text.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)].map(([, target]) => target);
    });
    const assets = all.filter((name) => scripts.includes(name) || imported.includes(name) || html.includes(name));
    expect(assets.length).toBeGreaterThanOrEqual(4);
    const files = ['index.html', 'favicon.svg', ...assets.map((name) => join('assets', name))];
    const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, name))).length, 0);
    expect(size).toBeLessThan(226_000);
  });
});

describe.skipIf(!hasBrowser)('a host that sends no headers', () => {
  it('gets them from a service worker, and threads with them', async () => {
    const context = await browser.newContext();
    const other = await context.newPage();
    const { complaints } = await watch(other);
    await other.goto(`${plain.url}#tab=represent`);
    await settled(other);
    expect(await other.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('uses one thread if there can be no service worker, and says why', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const other = await context.newPage();
    await other.goto(`${plain.url}#tab=represent`);
    await settled(other);
    expect(await other.evaluate(() => crossOriginIsolated)).toBe(false);
    expect(await other.getAttribute('.badge', 'data-engine')).toMatch(/^WASM SIMD( relaxed)? · 1 thread$/);
    expect(await other.textContent('.badge p')).toContain('not cross-origin isolated');
    await context.close();
  });
});

/** The script of the threads and that of the worker that starts them; the first is much smaller. */
function workerScripts(): string[] {
  const scripts = readdirSync(join(dist, 'assets')).filter((name) => /^worker-.*\.js$/.test(name));
  const size = (name: string) => statSync(join(dist, 'assets', name)).size;
  return scripts.sort((a, b) => size(a) - size(b)).map((name) => `/assets/${name}`);
}

describe.skipIf(!hasBrowser)('a host that has lost the worker or the first sample', () => {
  it.each([
    ['worker', () => workerScripts()[1], 'A part of this page could not be loaded. Reload the page.'],
    ['sample', () => '/samples/nagasaki-boats.png', 'The sample could not be loaded (404 Not Found).'],
  ])('is reported, and nothing is waited for: %s', async (_, lost, said) => {
    const { url, server } = await startPlainHost(lost());
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${url}#tab=represent`);
    await other.waitForSelector(`.notice >> text="${said}"`);
    await other.waitForSelector('.stage >> text="Open or drop an image"');
    expect(await other.textContent('.facts')).toContain('No image is open');
    expect(await other.textContent('body')).not.toContain('0 patches');
    await context.close();
    server.closeAllConnections();
    server.close();
  });
});

describe.skipIf(!hasBrowser)('a host that has lost the script of the threads', () => {
  it('uses one thread, and says why', async () => {
    const { url, server } = await startPlainHost(workerScripts()[0]);
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${url}#tab=represent`);
    await settled(other);
    expect(await other.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(await reading(other, 'PSNR')).toBeGreaterThan(25);
    expect(await other.getAttribute('.badge', 'data-engine')).toMatch(/^WASM SIMD( relaxed)? · 1 thread$/);
    expect(await other.textContent('.badge p')).toContain('its script could not be loaded');
    await context.close();
    server.closeAllConnections();
    server.close();
  });
});

describe.skipIf(!hasBrowser)('a host that cannot be reached any more', () => {
  it('is not blamed on the file', async () => {
    const lost = readdirSync(join(dist, 'assets')).find((name) => name.startsWith('tiff-'));
    const { url, server } = await startPlainHost(`/assets/${lost}`);
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${url}#tab=represent`);
    await settled(other);
    const blank = sharp({ create: { width: 40, height: 24, channels: 3, background: '#38a' } });
    await choose(other, 'scan.tif', await blank.tiff({ compression: 'lzw' }).toBuffer());
    await other.waitForSelector('[role="alert"] .notice');
    expect(await other.textContent('[role="alert"]')).toContain(
      'needs a part of the page that could not be loaded. Reload the page when you are online.',
    );
    await context.close();
    server.closeAllConnections();
    server.close();
  });
});
