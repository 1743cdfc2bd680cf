/** Working with the page in a real browser: own photographs, large images, exports, links, small screens, no network. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoise, fromInterleaved, toInterleaved } from 'ght';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asCode, asCommand } from '../src/settings/as-command.js';
import { defaults } from '../src/settings/settings.js';
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
} from './browser.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const command = join(repository, 'packages/cli/bin/ght.js');
const sample = (name: string) => join(dist, 'samples', name);

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let context: BrowserContext;
let page: Page;
/** Inside the repository, so that programs find its packages. */
const folder = mkdtempSync(join(repository, 'node_modules', '.studio-'));

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio] = await Promise.all([startBrowser(), startStudio()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${studio.url}#tab=represent`);
  await settled(page);
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
  rmSync(folder, { recursive: true });
});

/** Opens the page again with these settings. */
async function visit(hash: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(studio.url + hash);
  await page.waitForSelector('[role="application"]');
}

async function downloaded(action: string): Promise<Buffer> {
  if (action !== 'save') await openMore(page);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`[data-action="${action}"]`)]);
  return readFileSync(await file.path());
}

/** Copies, and returns what was copied; `what` is how the page calls it. */
async function copied(action: string, what: string): Promise<string> {
  await openMore(page);
  await page.click(`[data-action="${action}"]`);
  await page.waitForSelector(`[data-said] >> text="${what} copied."`);
  return page.evaluate(() => navigator.clipboard.readText());
}

const rowsOf = () => page.$$eval('[data-row]', (rows) => rows.map((row) => row.querySelector('.wide')?.textContent));
const number = (text: string | null | undefined) => Number((text ?? '').replace(/[^\d.]/g, ''));
const idle = () => page.waitForSelector('[data-task="none"]');

describe.skipIf(!hasBrowser)('the same number of atoms', () => {
  it.each([0.5, 3.7])('has every solver of a comparison at %d atoms per patch', async (s) => {
    await visit(`#tab=compare&image=dust-bowl-home&s=${s}`);
    await page.waitForSelector('[data-row="cosamp"]');
    await idle();
    const atoms = (await rowsOf()).map(number);
    const wanted = number((await page.textContent('[data-budget] p.number'))?.split('nonzeros')[0].replace('S', ''));
    expect(atoms.slice(0, 5)).toEqual([wanted, wanted, wanted, wanted, wanted]);
    // CoSaMP may end with coefficients that are zero, as in flat patches.
    expect(atoms[5]).toBeGreaterThan(0.98 * wanted);
  });

  it('is told alike by legend and table', async () => {
    const cells = await page.$$eval('[data-row] td.medium', (all) => all.map((cell) => cell.textContent));
    const legend = await page.$$eval('.values b', (all) => all.map((value) => value.textContent));
    expect(legend).toEqual(cells);
    // The similarities follow after the comparison, which does not wait for them.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-row] td:nth-of-type(3)')].every((cell) =>
        /^0\.\d{3}$/.test(cell.textContent),
      ),
    );
  });

  it('is meant in grey and in colour: per patch of one plane', async () => {
    await visit('#image=black-canyon&s=3&overlay=heatmap');
    await settled(page);
    expect(await reading(page, 'Atoms per patch')).toBe(3);
    await page.focus('[role="application"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.summary');
    const summary = (await page.textContent('.summary'))?.replace(/\s+/g, ' ') ?? '';
    const [, here, planes, each, mean] =
      /gets (\d+) atoms? of the joint budget in (\d) planes, ([\d.]+) per patch; the mean is ([\d.]+) per patch/.exec(
        summary,
      ) ?? [];
    expect([Number(planes), Number(mean)]).toEqual([3, 3]);
    expect(Number(each)).toBeCloseTo(Number(here) / 3, 1);
    expect(await page.textContent('figcaption')).toContain('the mean, 3.');
    expect(await page.getAttribute('.summary', 'title')).toContain('every position has 3 patches');
  });
});

describe.skipIf(!hasBrowser)('a photograph of the user', () => {
  it('is denoised as it is, and its noise is described', async () => {
    await goTo(page, 'denoise');
    const noisy = await sharp(sample('black-canyon-camera.jpg'))
      .extract({ left: 256, top: 128, width: 160, height: 128 })
      .jpeg({ quality: 90 })
      .toBuffer();
    await choose(page, 'mine.jpg', noisy);
    await page.waitForSelector('.facts >> text=mine.jpg');
    expect(await page.isChecked('[data-control="experiment"]')).toBe(false);
    await page.click('[data-action="denoise"]');
    await current(page);
    expect(await page.textContent('[data-looks]')).toMatch(/^Strong coarse grain.*JPEG of quality (89|90|91)\.$/);
    expect(await page.textContent('[data-found]')).toMatch(/Noise: /);
    expect(await page.locator('[data-reading="PSNR noisy"]').count()).toBe(0);
    expect(await page.textContent('.tag.left')).toBe('Before');
    // Smoother than it was: the mean step between neighbours falls.
    const steps = async (file: Buffer) => {
      const data = await sharp(file).greyscale().raw().toBuffer();
      return data.reduce((sum, value, i) => sum + (i > 0 ? Math.abs(value - data[i - 1]) : 0), 0) / data.length;
    };
    expect(await steps(await downloaded('save'))).toBeLessThan(0.6 * (await steps(noisy)));
  });

  it('is opened again after a reload, until it is erased', async () => {
    expect(new URL(page.url()).hash).toContain('image=own');
    await page.reload();
    await page.waitForSelector('.facts >> text=mine.jpg');
    await page.click('[data-action="forget"]');
    await page.waitForSelector('[data-action="forget"]', { state: 'detached' });
    await page.reload();
    await page.waitForSelector('.notice >> text=/is not in this browser/');
    expect(await page.textContent('.facts')).toContain('Boats at Nagasaki');
  });

  it('without noise is left alone, which is said, and a slider is offered', async () => {
    const halves = Uint8Array.from({ length: 96 * 64 }, (_, i) => (i % 96 < 48 ? 80 : 160));
    await choose(
      page,
      'halves.png',
      await sharp(halves, { raw: { width: 96, height: 64, channels: 1 } })
        .png()
        .toBuffer(),
    );
    await page.waitForSelector('.facts >> text=halves.png');
    await page.waitForSelector('[data-found] >> text=/No noise was found/');
    await page.click('[data-action="give-sigma"]');
    await page.waitForSelector('[data-control="sigma"]');
  });
});

describe.skipIf(!hasBrowser)('the learned model', () => {
  // Without the settings of tests before.
  beforeEach(() => visit('#tab=denoise'));

  it('denoises, and its file is loaded when it is used first', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const noise = { type: 'gaussian', mean: 128, sigma: 25 } as const;
    const grain = sharp({ create: { width: 90, height: 70, channels: 3, background: '#888', noise } }).greyscale();
    await choose(page, 'grain.png', await grain.toColourspace('b-w').png().toBuffer());
    await page.waitForSelector('.facts >> text=grain.png');
    await page.selectOption('[data-control="quality"]', 'learned');
    await page.click('[data-action="denoise"]');
    await expect.poll(() => page.textContent('[data-reading="Time"]')).toMatch(/\d/);
    expect(asked.filter((url) => url.endsWith('.npz'))).toHaveLength(1);
    expect(await page.textContent('.tag.right')).toMatch(/denoised/i);
  });

  it('denoises colours by the model for colour, as the library does', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const noise = { type: 'gaussian', mean: 128, sigma: 25 } as const;
    const grain = sharp({ create: { width: 90, height: 70, channels: 3, background: '#888', noise } });
    const file = await grain.png().toBuffer();
    await choose(page, 'colours.png', file);
    await page.waitForSelector('.facts >> text=colours.png');
    await page.selectOption('[data-control="quality"]', 'learned');
    await page.click('[data-action="denoise"]');
    await expect.poll(() => page.textContent('[data-reading="Time"]')).toMatch(/\d/);
    expect(asked.filter((url) => /colour-[^/]*\.npz$/.test(url))).toHaveLength(1);
    const rgb = (from: Buffer) => sharp(from).removeAlpha().raw().toBuffer();
    const image = fromInterleaved({ data: await rgb(file), width: 90, height: 70, channels: 3 });
    const expected = toInterleaved((await denoise(image, { quality: 'learned' })).image).data;
    const saved = await rgb(await downloaded('save'));
    expect(Math.max(...saved.map((value, i) => Math.abs(value - expected[i])))).toBeLessThanOrEqual(1);
    expect(saved).not.toEqual(await rgb(file));
  });
});

describe.skipIf(!hasBrowser)('a large image', () => {
  it('is denoised in its visible part first, in the whole on request, and stops at once', async () => {
    const [width, height] = [2400, 1600];
    const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
    const grain = sharp({ create: { width, height, channels: 3, background: '#888', noise } }).greyscale();
    await choose(page, 'large.png', await grain.toColourspace('b-w').png().toBuffer());
    await page.waitForSelector('.facts >> text=large.png');
    await page.selectOption('[data-control="quality"]', 'fast');
    await page.waitForSelector('[data-part] canvas');
    expect(await page.textContent('.tag.right')).toBe('Preview');
    const place = () => page.$eval('[data-part]', (part) => (part as HTMLElement).style.cssText);
    const before = await place();
    for (let i = 0; i < 6; i++) await page.click('[aria-label="Zoom in"]');
    await page.focus('[role="application"]');
    for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      (old) => document.querySelector<HTMLElement>('[data-part]')?.style.cssText !== old,
      before,
    );
    await page.click('[data-action="denoise"]');
    await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0.05);
    await page.click('[data-action="cancel"]');
    await idle();
    // Had it gone on to its end, there would be a time.
    expect(await page.textContent('[data-reading="Time"]')).toBe('–');
  });
});

describe.skipIf(!hasBrowser)('exports', () => {
  it('are figures with labels, in the size of the picture', async () => {
    await visit('#image=french-alpine-landscape&overlay=heatmap&divider=0.25');
    await settled(page);
    await page.waitForSelector('.overlay canvas');
    const { width = 0, height = 0 } = await sharp(sample('french-alpine-landscape.png')).metadata();
    const size = async (action: string) => sharp(await downloaded(action)).metadata();
    const both = await size('side-by-side');
    expect(both.width).toBeGreaterThan(2 * width);
    expect(both.height).toBeGreaterThan(height + 20);
    expect((await size('divided')).width).toBe(width);
    // The scale lies under the heatmap: dark at its left end, bright at its right end.
    const heat = await downloaded('heatmap');
    const { data, info } = await sharp(heat).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const bar = (info.height - height) / 4;
    const line = Math.round(height + 2.35 * bar) * info.width;
    const light = (x: number) => data[3 * (line + x)] + data[3 * (line + x) + 1];
    const end = Math.round(Math.max(12 * bar, 0.4 * width)) - 3;
    expect(light(Math.round(0.25 * bar) + 2)).toBeLessThan(60);
    expect(light(end)).toBeGreaterThan(400);
  });

  it('are plots and tables', async () => {
    const svg = (await downloaded('plot')).toString();
    expect(svg).toMatch(/^<svg xmlns=.*\n[\s\S]*GHT-ADMM[\s\S]*<\/svg>\n$/);
    await expect(sharp(Buffer.from(svg)).metadata()).resolves.toMatchObject({ width: 640, height: 400 });
    const [head, row] = (await downloaded('table-csv')).toString().split('\n');
    expect(head).toBe('solver,psnr,rmse,ssim,atoms,atoms_per_patch,seconds');
    expect(Number(row.split(',')[1])).toBeCloseTo(await reading(page, 'PSNR'), 2);
    expect((await downloaded('table-latex')).toString()).toContain('GHT-ADMM & ');
  });

  const run = (file: string, ...args: string[]) =>
    execFileSync(process.execPath, [file, ...args], { cwd: folder }).toString();
  /** Runs a copied command, and returns what it prints as JSON. */
  const runCommand = (line: string) => JSON.parse(run(command, ...line.split(' ').slice(1), '--json'));
  const runCode = (code: string) => {
    writeFileSync(join(folder, 'copied.mjs'), code);
    return run('copied.mjs').trim();
  };

  it('are the command and the program that give the same numbers: a representation', async () => {
    copyFileSync(sample('french-alpine-landscape.png'), join(folder, 'french-alpine-landscape.png'));
    const [psnr, atoms] = [await reading(page, 'PSNR'), number(await page.textContent('[data-reading="Nonzeros"]'))];
    const line = await copied('command', 'Command');
    expect(line).toBe(
      'ght represent french-alpine-landscape.png -o french-alpine-landscape-admm.png --solver admm --budget 5 --dictionary paper',
    );
    const told = runCommand(line);
    expect([Number(told.psnr.toFixed(2)), told.nonzeros]).toEqual([psnr, atoms]);
    expect(runCode(await copied('code', 'Code'))).toBe(`${psnr.toFixed(2)} ${atoms}`);
  });

  it('are the command and the program that give the same numbers: a denoised image', async () => {
    const noisy = await sharp(sample('black-canyon-camera.jpg'))
      .extract({ left: 256, top: 128, width: 160, height: 128 })
      .png()
      .toBuffer();
    writeFileSync(join(folder, 'camera.png'), noisy);
    await goTo(page, 'denoise');
    await choose(page, 'camera.png', noisy);
    await page.waitForSelector('.facts >> text=camera.png');
    await page.selectOption('[data-control="quality"]', 'fast');
    await page.click('[data-action="denoise"]');
    await current(page);
    const words = (await page.textContent('[data-found]')) ?? '';
    const shown = await sharp(await downloaded('save'))
      .raw()
      .toBuffer();
    const line = await copied('command', 'Command');
    expect(line).toBe('ght denoise camera.png -o camera-denoised.png --quality fast');
    runCommand(line);
    const written = await sharp(join(folder, 'camera-denoised.png')).raw().toBuffer();
    expect(written.equals(shown)).toBe(true);
    for (const sentence of runCode(await copied('code', 'Code')).split('\n'))
      expect(words).toContain(sentence.slice(1));
  });

  it('are the command and the program that give the same size: an enlarged image', async () => {
    const tiny = await sharp(sample('dust-bowl-home.png'))
      .extract({ left: 300, top: 200, width: 48, height: 40 })
      .png()
      .toBuffer();
    writeFileSync(join(folder, 'tiny.png'), tiny);
    await goTo(page, 'upscale');
    await choose(page, 'tiny.png', tiny);
    await page.waitForSelector('.facts >> text=tiny.png');
    await page.click('[data-action="restore"]');
    await current(page);
    const shown = await sharp(await downloaded('save'))
      .raw()
      .toBuffer();
    runCommand(await copied('command', 'Command'));
    expect((await sharp(join(folder, 'tiny-enlarged.png')).raw().toBuffer()).equals(shown)).toBe(true);
    expect(runCode(await copied('code', 'Code'))).toMatch(/^96 80 /);
    await goTo(page, 'denoise');
  });

  it('are the program of an experiment, which no command makes', async () => {
    await page.check('[data-control="experiment"]');
    await page.click('[data-action="denoise"]');
    await current(page);
    const psnr = await reading(page, 'PSNR denoised');
    expect(Number(runCode(await copied('code', 'Code')))).toBeCloseTo(psnr, 2);
    await page.click('[data-action="command"]');
    await page.waitForSelector('[data-said] >> text=/No command adds noise/');
  });
});

describe('what cannot be run in a test of this length', () => {
  const shown = { file: 'my photo.png', channels: 3, unit: 257, nonzeros: 1234 };
  it('is copied with its options, in quotes where the shell needs them', () => {
    const settings = { ...defaults, tab: 'restore', restore: 'deblur', kernel: 'motion', blurNoise: 2 } as const;
    expect(asCommand(settings, shown)).toBe(
      "ght deblur './my photo.png' -o './my photo-deblurred.png' --kernel motion:15,30 --sigma 514 --quality fast",
    );
    expect(asCode(settings, shown)).toContain(
      "await deblur(image, motionKernel(15, 30), { quality: 'fast', sigma: 514 })",
    );
    const onGpu = { ...settings, engine: 'webgpu' } as const;
    expect(asCommand(onGpu, shown)).toMatch(/ --quality fast --engine webgpu$/);
    expect(asCode(onGpu, shown)).toContain("sigma: 514, engine: 'webgpu' })");
    expect(asCommand({ ...settings, kernel: 'drawn' }, shown)).toHaveProperty('reason');
    expect(asCommand({ ...defaults, dictionary: 'gaussian-100' }, shown)).toHaveProperty('reason');
    // The command chooses between two learned dictionaries by the budget.
    expect(asCommand({ ...defaults, goal: 'psnr' }, shown)).toHaveProperty('reason');
    expect(asCode({ ...defaults, s: 20 }, shown)).toContain('const dictionary = learnedDictionary(20);');
  });

  it('is of all pages of a stack, or of none', () => {
    const stack = { ...shown, file: 'stack.tif', pages: 9 };
    const settings = { ...defaults, tab: 'denoise', noise: 0 } as const;
    expect(asCommand(settings, stack)).toBe('ght denoise stack.tif -o stack-denoised.tif');
    expect(asCode(settings, stack)).toHaveProperty('reason');
    expect(asCommand({ ...defaults, tab: 'represent' }, stack)).toHaveProperty('reason');
  });

  it('has the budget that a target has found, and all solvers of a comparison', () => {
    const found = asCommand({ ...defaults, dictionary: 'dct-100', goal: 'psnr', solver: 'omp', stride: 4 }, shown);
    expect(found).toContain('--solver omp --total-budget 1234 --dictionary paper --stride 4 --spread');
    expect(String(asCommand({ ...defaults, tab: 'compare' }, shown)).split('\n')).toHaveLength(6);
    expect(asCode({ ...defaults, tab: 'compare' }, shown)).toContain('for (const solver of solverNames)');
  });
});

describe.skipIf(!hasBrowser)('the link', () => {
  it('has the whole view; back and forward move through it', async () => {
    await visit('#image=dust-bowl-home&zoom=3&x=300&y=200&divider=0.75&patch=304,200');
    await settled(page);
    await page.waitForSelector('.summary >> text=/\\(304, 200\\)/');
    expect(await page.textContent('.percent')).toBe('300 %');
    expect(await page.getAttribute('.handle', 'aria-valuenow')).toBe('75');
    await goTo(page, 'compare');
    await page.waitForSelector('[data-action="compare"]');
    await page.selectOption('[data-control="dictionary"]', 'dct-64');
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes('dct-64') && location.hash.includes('compare'));
    expect(await page.inputValue('[data-control="dictionary"]')).toBe('dct-100');
    await page.goBack();
    await page.waitForSelector('#tab-represent[aria-current="page"]', { state: 'attached' });
    await page.goForward();
    await page.waitForSelector('#tab-compare[aria-current="page"]', { state: 'attached' });
    await goTo(page, 'represent');
    await settled(page);
  });
});

describe.skipIf(!hasBrowser)('hands and keys', () => {
  it('Escape closes one thing after the other', async () => {
    await page.focus('[role="application"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.summary');
    await page.click('.badge summary');
    await choose(page, 'no.png', Buffer.from('no image'));
    await page.waitForSelector('.notice');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.notice', { state: 'detached' });
    expect(await page.locator('header details[open]').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('header details[open]').count()).toBe(0);
    // A message that came late is closed before the patch.
    await expect
      .poll(async () => {
        await page.keyboard.press('Escape');
        return page.locator('.summary').count();
      })
      .toBe(0);
  });

  it('two fingers on a touchpad move the picture, and a wheel zooms', async () => {
    await page.click('[aria-label^="Show all"]');
    for (let i = 0; i < 3; i++) await page.click('[aria-label="Zoom in"]');
    const transform = () => page.$eval('.sheet', (sheet) => (sheet as HTMLElement).style.transform);
    const [, x, y, scale] =
      /translate\(([-\d.]+)px, ([-\d.]+)px\) scale\(([\d.]+)\)/.exec(await transform())?.map(Number) ?? [];
    await page.mouse.move(600, 400);
    await page.mouse.wheel(12, 20);
    await page.waitForFunction(
      (old) => !document.querySelector<HTMLElement>('.sheet')?.style.transform.includes(old),
      `${x}px`,
    );
    const moved = /translate\(([-\d.]+)px, ([-\d.]+)px\) scale\(([\d.]+)\)/.exec(await transform())?.map(Number) ?? [];
    expect(moved[1]).toBeCloseTo(x - 12, 0);
    expect(moved[2]).toBeCloseTo(y - 20, 0);
    expect(moved[3]).toBe(scale);
    await page.mouse.wheel(0, -120);
    await page.waitForFunction(
      (old) => !document.querySelector<HTMLElement>('.sheet')?.style.transform.endsWith(old),
      `scale(${scale})`,
    );
  });

  it('a transparent image shows one picture on each side', async () => {
    const half = {
      create: { width: 64, height: 64, channels: 4 as const, background: { r: 250, g: 10, b: 10, alpha: 0.3 } },
    };
    await choose(page, 'glass.png', await sharp(half).png().toBuffer());
    await page.waitForSelector('.facts >> text=glass.png');
    await settled(page);
    const clips = await page.$$eval('.pane', (panes) => panes.map((pane) => (pane as HTMLElement).style.clipPath));
    expect(clips).toEqual(['inset(0px 25% 0px 0px)', 'inset(0px 0px 0px 75%)']);
  });

  it('codes from a file change the words about the budget', async () => {
    const codes = await downloaded('codes');
    await page.focus('[data-control="budget"]');
    await page.keyboard.press('PageUp');
    await settled(page);
    await choose(page, 'glass-codes.npz', codes);
    await page.waitForSelector('[data-codes-file] >> text=/glass-codes\\.npz, with 5\\.00/');
    expect(await page.textContent('.tag.right')).toBe('glass-codes.npz');
    await page.keyboard.press('PageUp');
    await page.waitForSelector('[data-codes-file]', { state: 'detached' });
  });

  it('measures this machine', async () => {
    await page.click('.badge summary');
    await page.click('[data-action="measure"]');
    await page.waitForSelector('[data-speeds]');
    const lines = await page.$$eval('[data-speeds] li', (all) => all.map((line) => line.textContent ?? ''));
    expect(lines.map((line) => line.split(',')[0])).toEqual(['wasm', 'portable', 'reference']);
    const speeds = lines.map((line) => number(line.split(':')[1]));
    expect(speeds[0]).toBeGreaterThan(speeds[1]);
    expect(speeds[1]).toBeGreaterThan(speeds[2]);
    await page.click('[data-action="copy-speeds"]');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(lines[0]);
  });
});

describe.skipIf(!hasBrowser)('a small screen', () => {
  it('shows what was asked for: a tapped patch, and the picture that is denoised', async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true });
    const small = await phone.newPage();
    await small.goto(`${studio.url}#image=dust-bowl-home`);
    await settled(small);
    await small.evaluate(() => scrollTo(0, 0));
    const box = await small.locator('[role="application"]').boundingBox();
    if (!box) throw new Error('no stage');
    await small.touchscreen.tap(box.x + 0.3 * box.width, box.y + 0.6 * box.height);
    await small.waitForSelector('.summary');
    const inView = (selector: string) =>
      small.$eval(selector, (element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return bottom > 0 && top < innerHeight - 40;
      });
    await expect.poll(() => inView('.summary')).toBe(true);
    // A swipe over the whole picture scrolls the page. Two fingers move a picture that is zoomed in.
    await small.evaluate(() => scrollTo(0, 0));
    const devtools = await phone.newCDPSession(small);
    const finger = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: 120, y }] });
    await finger('touchStart', box.y + 0.8 * box.height);
    for (let i = 1; i <= 10; i++) {
      await finger('touchMove', box.y + 0.8 * box.height - 20 * i);
      await small.waitForTimeout(30);
    }
    await finger('touchEnd', 0);
    await expect.poll(() => small.evaluate(() => scrollY)).toBeGreaterThan(50);
    await small.evaluate(() => scrollTo(0, 0));
    for (let i = 0; i < 3; i++) await small.click('[aria-label="Zoom in"]');
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: number) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [
                { x: 120 + at, y: box.y + 100 },
                { x: 220 + at, y: box.y + 100 },
              ],
      });
    const left = () =>
      small.$eval('.sheet', (sheet) =>
        Number(/translate\(([-\d.]+)/.exec((sheet as HTMLElement).style.transform)?.[1]),
      );
    // A browser that is busy may leave out a gesture.
    const moved = async () => {
      const before = await left();
      await touch('touchStart', 0);
      await touch('touchMove', 10);
      await touch('touchMove', 40);
      await small.waitForTimeout(100);
      const after = await left();
      await touch('touchEnd', 40);
      return Math.round((after - before) / 4);
    };
    await expect.poll(moved).toBe(10);
    // Not taps: right after two fingers, the browser may take a made one for a part of their gesture.
    await goTo(small, 'denoise');
    // The picture and what can be done with it are seen together, and large enough for a finger.
    await small.evaluate(() => scrollTo(0, 0));
    for (const selector of ['[role="application"]', '[data-action="denoise"]', '[data-action="save"]']) {
      expect(await inView(selector)).toBe(true);
    }
    // A check is as high as its label; words that are explained stand in lines of text.
    const all = 'button:not([data-term]), summary, select, label:has([type="checkbox"]), nav a, footer a, .tools a';
    for (const tab of ['denoise', 'deblur', 'compare', 'learn']) {
      if (tab !== 'denoise') await goTo(small, tab);
      if (tab === 'learn') await small.waitForSelector('[data-step="7"]');
      const low = await small.$$eval(all, (targets) =>
        targets
          .map((target) => ({ text: target.outerHTML.slice(0, 120), height: target.getBoundingClientRect().height }))
          .filter(({ height }) => height > 0 && height < 43.5),
      );
      expect([tab, low]).toEqual([tab, []]);
    }
    await phone.close();
  });
});

describe.skipIf(!hasBrowser)('without a network', () => {
  it('the page works after one visit, and can be installed', async () => {
    const { url, server } = await startPlainHost();
    const away = await browser.newContext();
    const other = await away.newPage();
    other.setDefaultTimeout(60_000);
    await other.goto(`${url}#tab=represent`);
    await settled(other);
    await other.waitForSelector('[data-offline]', { state: 'attached' });
    const manifest = await other.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
      return (await fetch(link?.href ?? '')).json();
    });
    expect(manifest).toMatchObject({ display: 'standalone', start_url: './' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await other.goto(`${url}#image=dust-bowl-home`);
    await other.reload();
    await settled(other);
    expect(await other.textContent('.facts')).toContain('Dust Bowl home');
    expect(await other.evaluate(() => crossOriginIsolated)).toBe(true);
    await away.close();
  });
});
