/** The page on a GPU: a real browser with SwiftShader, a GPU in software. */
import type { ChildProcess } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { choose, hasBrowser, reading, settled, startBrowser, startStudio } from './browser.js';

let browser: Browser;
let studio: { url: string; process: ChildProcess };
let page: Page;
let hasGpu = false;

beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, studio] = await Promise.all([startBrowser({ webgpu: true }), startStudio()]);
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${studio.url}#solver=qpm&engine=wasm`);
  hasGpu = await page.evaluate(async () => (await navigator.gpu?.requestAdapter()) != null);
  await settled(page);
});

afterAll(async () => {
  await browser?.close();
  studio?.process.kill('SIGINT');
});

const badge = () => page.getAttribute('.badge', 'data-engine');
const needsGpu = ({ skip }: TestContext) => skip(!hasGpu, 'this Chromium offers no WebGPU');

describe.skipIf(!hasBrowser)('the engine', () => {
  it('is the GPU with one click, with the PSNR of the CPU, and the link says so', async (context) => {
    needsGpu(context);
    const side = 24;
    const samples = Uint8Array.from({ length: side * side }, (_, i) => 128 + 90 * Math.sin(i / 5) * Math.cos(i / 31));
    const tiny = sharp(samples, { raw: { width: side, height: side, channels: 1 } });
    await choose(page, 'tiny.png', await tiny.png().toBuffer());
    await page.waitForSelector('.facts >> text=/tiny\\.png/');
    await settled(page);
    expect(await badge()).toMatch(/^WASM SIMD.* thread/);
    const cpu = await reading(page, 'PSNR');
    await page.click('.badge summary');
    await page.click('[data-choice="engine-webgpu"]');
    await page.waitForSelector('.badge[data-engine^="GPU"]');
    await settled(page);
    expect(await badge()).toMatch(/swiftshader/i);
    expect(Math.abs((await reading(page, 'PSNR')) - cpu)).toBeLessThanOrEqual(0.01 + 1e-9);
    expect(new URL(page.url()).hash).toContain('engine=webgpu');
  });

  it('is the CPU for a solver that does not run on a GPU, and says why', async (context) => {
    needsGpu(context);
    await page.selectOption('[data-control="solver"]', 'aiht');
    await page.waitForSelector('.badge[data-engine^="WASM"]');
    await settled(page);
    expect(await page.textContent('[data-fallback]')).toBe('The GPU is not used: AIHT runs on the CPU.');
  });
});
