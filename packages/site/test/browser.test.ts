/** The site in a real browser: every kind of page loads without an error and is accessible, and what moves works. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, startBrowser, watch } from '../../studio/test/browser.js';
import { pages, startHost } from './built.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const isReference = (page: string) => page.startsWith('api/');
const guides = pages.filter((page) => !isReference(page));
/** Sixty pages on a busy machine. */
const LONG = 300_000;

/** The pages of the reference have few kinds: its index, those of the packages, and some of the names. */
const reference = pages.filter(isReference).filter((page, i) => page.endsWith('/index.html') || i % 40 === 0);

describe.skipIf(!hasBrowser)('the site in a browser', () => {
  let browser: Browser;
  let host: { url: string; server: Server };
  beforeAll(async () => {
    [browser, host] = await Promise.all([startBrowser(), startHost()]);
  });
  afterAll(async () => {
    await browser?.close();
    host?.server.close();
  });

  /** Opens pages one after the other in one tab, and tells what each of them complained about. */
  async function visit(
    addresses: readonly string[],
    options: BrowserContextOptions,
    check: (page: Page) => Promise<string[]>,
  ) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const { complaints, asked } = await watch(page);
    const found: string[] = [];
    for (const address of addresses) {
      await page.goto(host.url + address);
      found.push(...(await check(page)).map((each) => `${address}: ${each}`));
      found.push(...complaints.splice(0).map((each) => `${address}: ${each}`));
    }
    await context.close();
    expect([...asked]).toEqual([new URL(host.url).origin]);
    return found;
  }

  /** What axe finds on a page. Only `whole` looks at contrast, and into the menu, code and formulas, which takes long. */
  async function violations(page: Page, whole: boolean): Promise<string[]> {
    await page.addScriptTag({ path: axe });
    return page.evaluate(async (all) => {
      const { run } = (window as unknown as { axe: typeof import('axe-core') }).axe;
      const exclude = all ? [] : ['.menu', '.outline', 'pre code *', '.katex'];
      const rules = { 'color-contrast': { enabled: all } };
      const { violations: found } = await run({ include: ['html'], exclude }, { resultTypes: ['violations'], rules });
      return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 120)}`));
    }, whole);
  }

  /** One page of each kind. */
  const kinds = [
    'index.html',
    'mathematics.html',
    'gallery.html',
    'examples/index.html',
    'api/ght/functions/represent.html',
  ];

  it(
    'every guide, example and kind of reference loads without an error, and axe finds nothing',
    async () => {
      expect(guides.length).toBeGreaterThan(35);
      const light = { colorScheme: 'light' } as const;
      expect(await visit([...guides, ...reference], light, (page) => violations(page, false))).toEqual([]);
      expect(await visit(kinds, light, (page) => violations(page, true))).toEqual([]);
    },
    LONG,
  );

  it('in dark, and on a phone, axe finds nothing either', async () => {
    const phone = { colorScheme: 'dark', viewport: { width: 390, height: 800 } } as const;
    expect(await visit(kinds, phone, (page) => violations(page, true))).toEqual([]);
  });

  const overflow = async (page: Page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    return wide > 0 ? [`${wide} pixels too wide`] : [];
  };

  it('no page is wider than the narrowest phone', async () => {
    expect(await visit(guides, { viewport: { width: 320, height: 640 } }, overflow)).toEqual([]);
  });

  it.each([360, 768, 1000, 1440, 2560])('pages of each kind fit into %i pixels', async (width) => {
    expect(await visit(kinds, { viewport: { width, height: 900 } }, overflow)).toEqual([]);
  });

  it('the line between before and after follows a drag, and the arrow keys', async () => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    await page.goto(host.url);
    const shown = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('.before-after .before') as Element).clipPath);
    const middle = await shown();
    const box = await page.locator('.before-after').boundingBox();
    if (!box) throw new Error('there is no picture');
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 100, { steps: 4 });
    await page.mouse.up();
    const left = await shown();
    expect(left).not.toBe(middle);
    await page.keyboard.press('ArrowRight');
    expect(await shown()).not.toBe(left);
    await page.close();
  });

  it('a picture of the gallery opens large, and in the studio', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.url}gallery.html`);
    await page.click('article:has-text("White noise") .enlarge');
    expect(await page.isVisible('dialog.large img')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('dialog.large')).toBe(false);
    await page.click('article:has-text("Coarse grain") a:has-text("Open in the studio")');
    await page.waitForURL(/studio\/index\.html#tab=denoise&image=black-canyon-camera/);
    await page.close();
  });

  it('an address that does not exist leads back, from any folder', async () => {
    const page = await browser.newPage();
    for (const address of ['gone.html', 'api/ght/functions/gone.html']) {
      await page.goto(host.url + address);
      await page.click('a:has-text("Quick start")');
      await page.waitForURL(`${host.url}quick-start.html`);
    }
    await page.close();
  });

  it('the figure of the front page follows its slider, and one budget has the smaller error', async () => {
    const page = await browser.newPage();
    await page.goto(host.url);
    await page.waitForSelector('[data-figure="ready"]');
    const shown = async () => {
      const number = async (id: string) => Number.parseFloat((await page.textContent(id)) ?? '');
      return { joint: await number('#joint-psnr'), even: await number('#even-psnr') };
    };
    const before = await shown();
    expect(before.joint).toBeGreaterThan(before.even + 2);
    await page.fill('#budget', '12');
    await page.waitForFunction(
      (last) => !document.querySelector('#joint-psnr')?.textContent?.startsWith(String(last)),
      before.joint,
    );
    expect((await shown()).joint).toBeGreaterThan(before.joint + 3);
    await page.close();
  });

  it('search finds a guide and a name of the library, by keyboard, and works offline', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${host.url}api/index.html`);
    await page.keyboard.press('/');
    await page.waitForFunction(() => 'searchIndex' in window);
    await context.setOffline(true);
    const first = async (words: string) => {
      await page.fill('dialog input', words);
      return page.getAttribute('dialog li a', 'href');
    };
    expect(await first('inpainting')).toMatch(/\/inpainting\.html$/);
    expect(await first('estimateMemory')).toMatch(/api\/ght\/functions\/estimateMemory\.html$/);
    await page.fill('dialog input', 'no such word anywhere');
    expect(await page.textContent('dialog .status')).toBe('Nothing was found.');
    await context.setOffline(false);
    await page.fill('dialog input', 'estimateMemory');
    await page.keyboard.press('Enter');
    await page.waitForURL(/estimateMemory/);
    await context.close();
  });

  it('the theme is kept, and the menu with the links of the header opens on a phone', async () => {
    const context = await browser.newContext({ colorScheme: 'light', viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${host.url}denoising.html`);
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.click('.theme-button');
    const dark = await background();
    expect(dark).not.toBe(light);
    expect(await page.isVisible('#menu')).toBe(false);
    await page.click('.menu-button');
    for (const name of ['Gallery', 'Studio'])
      expect(await page.isVisible(`.site-links a:has-text("${name}")`)).toBe(true);
    await page.click('#menu a:has-text("Upscaling")');
    await page.waitForURL(/upscaling/);
    expect(await background()).toBe(dark);
    await context.close();
  });

  it('a command is copied without what is said about it', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${host.url}restoration.html`);
    await page.hover('.code');
    await page.click('.code .copy');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split('\n')[0]).toBe('npx ght-cli inpaint photo.png --mask scratches.png -o out.png');
    await context.close();
  });

  it('the studio is part of the site', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.url}studio/index.html`);
    await page.waitForSelector('text="Drop your photograph here"', { timeout: 60_000 });
    await page.click('footer >> text="Documentation"');
    await page.waitForURL(`${host.url}index.html`);
    await page.close();
  });
});
