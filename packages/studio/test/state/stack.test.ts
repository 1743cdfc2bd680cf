/** A file of several pages: its pages are looked at one by one, and denoised as a series in the background. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isCurrent, savedFile } from '../../src/state/saving.js';
import { denoised, idle, layer, opened, openPage } from './fake-worker.js';

const found = { looks: ['Strong grain.'], messages: [], changed: true };
const { picture: _, ...page } = { ...denoised(0), psnr: null, noisyPsnr: null };

afterEach(() => void vi.useRealTimers());

/** A page with an open stack of three pages, whose first preview is shown. */
async function openStack() {
  const stack = await openPage({ tab: 'denoise', image: 'black-canyon-camera', noise: 0 }, opened({ pages: 3 }));
  stack.studio.viewed({ left: 0, top: 0, width: 320, height: 240 });
  await vi.waitFor(() => stack.worker.last('denoiseWindow'));
  const part = { left: 0, top: 0, width: 320, height: 240, layer: layer(1), found };
  await stack.worker.last('denoiseWindow').reply(part);
  await idle();
  return stack;
}

/** A page of the series is denoised; its picture has a grey value. */
async function finish({ worker, studio }: Awaited<ReturnType<typeof openStack>>, at: number, grey: number) {
  await worker.last('denoiseSeries').tell({ kind: 'page', page: at, denoised: page });
  if (studio.image.opened?.page !== at) return;
  await worker.last('picture').reply(layer(grey));
  await idle();
}

describe('a stack', () => {
  it('is denoised as a series by itself, once its first preview is there', async () => {
    const stack = await openStack();
    const { studio, worker } = stack;
    expect([worker.all('denoiseSeries').length, worker.all('denoise').length]).toEqual([1, 0]);
    await finish(stack, 0, 7);
    expect([studio.picture('denoised'), studio.denoising.pagesDone, isCurrent(studio)]).toEqual([layer(7), 1, false]);
    await finish(stack, 1, 8);
    await finish(stack, 2, 9);
    await worker.last('denoiseSeries').reply(null);
    expect([studio.denoising.pagesDone, isCurrent(studio)]).toEqual([3, true]);
  });

  it('shows the pages that a slider stops at, and the results that they have', async () => {
    const stack = await openStack();
    const { studio, worker } = stack;
    await finish(stack, 0, 7);
    for (const at of [1, 2]) void studio.image.showPage(at);
    await idle();
    expect(worker.all('page').map(({ ask }) => ask.at)).toEqual([1]);
    await worker.last('page').reply(opened({ pages: 3, page: 1 }));
    await worker.last('page').reply(opened({ pages: 3, page: 2 }));
    expect([worker.all('page').map(({ ask }) => ask.at), studio.image.opened?.page]).toEqual([[1, 2], 2]);
    expect(studio.picture('denoised')).toBeUndefined();
    // The series goes on.
    expect(worker.last('denoiseSeries').cancelled).toBe(false);
    await finish(stack, 2, 9);
    expect(studio.picture('denoised')).toEqual(layer(9));
    void studio.image.showPage(0);
    await idle();
    await worker.last('page').reply(opened({ pages: 3 }));
    await worker.last('picture').reply(layer(7));
    expect(studio.picture('denoised')).toEqual(layer(7));
  });

  it('is saved whole, as a TIFF', async () => {
    const stack = await openStack();
    const { studio, worker } = stack;
    for (const at of [0, 1, 2]) await finish(stack, at, 7 + at);
    await worker.last('denoiseSeries').reply(null);
    void savedFile(studio, 'tiff');
    await idle();
    expect(worker.last('file').ask).toEqual({ slot: 'denoised', format: 'tiff', stack: true });
    studio.set({ strength: 2 });
    expect([isCurrent(studio), studio.stale]).toEqual([false, true]);
  });

  it('stays at its page if another one cannot be opened', async () => {
    const { studio, worker } = await openStack();
    void studio.image.showPage(1);
    await idle();
    await worker.last('page').fail('stack.tif is damaged.');
    expect([studio.image.page, studio.runner.notice?.message]).toEqual([0, 'stack.tif is damaged.']);
  });
});
