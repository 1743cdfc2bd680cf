/** The first screen, and what happens to a picture from there: previews of the visible part, results that become the picture. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaults } from '../../src/settings/settings.js';
import type { WindowResult } from '../../src/worker/protocol.js';
import { denoised, idle, layer, opened, openPage, restored, startPage } from './fake-worker.js';

const file = (name: string) => new File(['bytes'], name);
const found = { looks: ['Strong grain.'], messages: [], changed: true };
const part = (grey: number): WindowResult => ({ left: 0, top: 0, width: 1, height: 1, layer: layer(grey), found });
const whole = { left: 0, top: 0, width: 320, height: 240 };

/** Lets the view rest, until its preview is asked for. */
async function rest(): Promise<void> {
  vi.advanceTimersByTime(300);
  vi.useRealTimers();
  await idle();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** Waits for a page whose timers are fake. */
async function still(): Promise<void> {
  vi.useRealTimers();
  await idle();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

afterEach(() => void vi.useRealTimers());

describe('the first screen', () => {
  it('opens no picture', async () => {
    const { worker } = startPage(defaults);
    await idle();
    expect(worker.all('open')).toHaveLength(0);
  });

  it('denoises what is dropped on it, as it is', async () => {
    const { studio, worker } = startPage(defaults);
    void studio.openFile(file('mine.jpg'));
    await idle();
    await worker.last('open').reply(opened());
    expect(studio.settings).toMatchObject({ tab: 'denoise', image: '', noise: 0 });
    studio.viewed(whole);
    await expect.poll(() => worker.all('denoiseWindow').length).toBe(1);
    expect(worker.last('denoiseWindow').ask).toMatchObject({ noise: 0, window: whole });
    await worker.last('denoiseWindow').reply(part(7));
    expect([studio.denoising.parts, studio.denoising.found?.looks]).toEqual([[part(7)], ['Strong grain.']]);
  });

  it('opens an example where a verb has no picture yet, and keeps the picture afterwards', async () => {
    const { studio, worker } = startPage(defaults);
    void studio.go({ tab: 'restore', restore: 'inpaint' });
    await idle();
    await worker.last('open').reply(opened());
    expect(studio.settings).toMatchObject({ tab: 'restore', image: 'scratched-print' });
    // Its scratches are marked from the start.
    await worker.last('mask').reply(new Uint8Array(320 * 240).fill(1, 0, 9));
    expect([studio.restoring.mask.count, studio.restoring.mask.truth]).toEqual([9, false]);
    void studio.go({ tab: 'denoise' });
    await idle();
    expect(worker.all('open')).toHaveLength(1);
  });
});

describe('the preview', () => {
  it('follows the settings once they rest, below a result of older settings until it is there', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise', image: 'black-canyon-camera', noise: 0 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    studio.viewed(whole);
    void studio.denoise();
    await still();
    await still();
    vi.useRealTimers();
    await worker.last('denoise').reply(denoised(31));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await rest();
    expect(worker.all('denoiseWindow')).toHaveLength(0);
    for (const strength of [1.1, 1.2, 1.3]) studio.set({ strength });
    await rest();
    expect(worker.all('denoiseWindow').map(({ ask }) => ask.strength)).toEqual([1.3]);
    expect([studio.denoising.parts, studio.denoising.previewing]).toEqual([[], true]);
    vi.useRealTimers();
    await worker.last('denoiseWindow').reply(part(7));
    expect(studio.denoising.previewing).toBe(false);
    expect([studio.denoising.parts, studio.picture('denoised')]).toEqual([[part(7)], layer(31)]);
  });

  it('of a repair is cut around the missing pixels that are visible', async () => {
    const { studio, worker } = await openPage({ tab: 'restore', image: 'dust-bowl-home' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    studio.viewed({ left: 0, top: 0, width: 200, height: 240 });
    await rest();
    expect(worker.all('restoreWindow')).toHaveLength(0);
    studio.restoring.brush = 2;
    studio.restoring.paint({ x: 60, y: 50 }, { x: 70, y: 50 });
    studio.restoring.paint({ x: 300, y: 50 }, { x: 310, y: 50 });
    await rest();
    const { ask } = worker.last('restoreWindow');
    if (ask.task !== 'inpaint') throw new Error('another task');
    expect(ask.window).toEqual({ left: 43, top: 33, width: 44, height: 34 });
    const marked = Array.from(ask.missing, (value, i) => value && i % 44).filter((x) => x > 0);
    expect([ask.missing.length, Math.min(...marked), Math.max(...marked)]).toEqual([44 * 34, 16, 27]);
  });

  it('of a blur or of a larger picture is that of the middle', async () => {
    const { studio, worker } = await openPage(
      { tab: 'restore', restore: 'upscale' },
      opened({ width: 1000, height: 900 }),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    studio.viewed({ left: 100, top: 100, width: 800, height: 600 });
    await rest();
    const { window } = worker.last('restoreWindow').ask;
    expect(window.width * window.height).toBeLessThanOrEqual(128 ** 2);
    expect(Math.abs(window.left + window.width / 2 - 500)).toBeLessThan(17);
    expect(Math.abs(window.top + window.height / 2 - 400)).toBeLessThan(17);
  });
});

describe('a result that was applied', () => {
  const repaired = async () => {
    const page = await openPage({ tab: 'restore', image: 'dust-bowl-home' });
    page.studio.restoring.paint({ x: 60, y: 50 }, { x: 70, y: 50 });
    void page.studio.restoreImage();
    await idle();
    await page.worker.last('restore').reply(restored(31));
    void page.studio.apply();
    await idle();
    expect(page.worker.last('apply').ask).toEqual({ slot: 'restored' });
    await page.worker.last('apply').reply({ opened: opened({ picture: layer(31) }), count: 2 });
    return page;
  };

  it('is the picture that the next repair builds on', async () => {
    const { studio } = await repaired();
    expect([studio.picture('original'), studio.picture('restored')]).toEqual([layer(31), undefined]);
    expect([studio.restoring.mask.count, studio.image.versions, studio.image.version]).toEqual([
      0,
      ['Opened', 'Repaired'],
      1,
    ]);
  });

  it('can be undone and redone; what was undone is replaced by what is applied next', async () => {
    const { studio, worker } = await repaired();
    void studio.image.goTo(0);
    await idle();
    expect(worker.last('version').ask).toEqual({ at: 0 });
    await worker.last('version').reply({ opened: opened(), count: 2 });
    expect([studio.picture('original'), studio.image.version, studio.image.versions.length]).toEqual([layer(0), 0, 2]);
    studio.set({ tab: 'denoise' });
    await idle();
    void studio.denoise();
    await idle();
    await worker.last('denoise').reply(denoised(20));
    void studio.apply();
    await idle();
    await worker.last('apply').reply({ opened: opened({ picture: layer(20) }), count: 2 });
    expect([studio.image.versions, studio.image.version]).toEqual([['Opened', 'Noise removed'], 1]);
  });

  it('may follow more results than are kept', async () => {
    const { studio, worker } = await repaired();
    studio.restoring.paint({ x: 60, y: 50 }, { x: 70, y: 50 });
    void studio.restoreImage();
    await idle();
    await worker.last('restore').reply(restored(32));
    void studio.apply();
    await idle();
    await worker.last('apply').reply({ opened: opened(), count: 2 });
    expect([studio.image.versions, studio.image.version]).toEqual([['Repaired', 'Repaired'], 1]);
  });
});
