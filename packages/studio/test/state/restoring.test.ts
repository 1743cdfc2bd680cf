/** The Restore tab: what it requests, and which results it shows. */
import { describe, expect, it, vi } from 'vitest';
import { Mask } from '../../src/state/mask.svelte.js';
import { idle, opened, openPage, restored, startPage } from './fake-worker.js';

const file = (name: string) => new File(['bytes'], name);

describe('a brush', () => {
  const drawn = (mask: Mask) =>
    Array.from({ length: 5 }, (_, y) => [...mask.missing.subarray(7 * y, 7 * y + 7)].map((m) => '.#'[m]).join(''));
  const painted = () => {
    const mask = new Mask();
    mask.clear(7, 5);
    mask.stroke({ x: 1.5, y: 2.5 }, { x: 5.5, y: 2.5 }, 1.2, 1);
    return mask;
  };

  it('marks the pixels within its width, along the whole line', () => {
    const mask = painted();
    expect(drawn(mask)).toEqual(['.......', '.#####.', '#######', '.#####.', '.......']);
    expect(mask.count).toBe(17);
  });

  it('takes away again, and may leave the picture', () => {
    const mask = painted();
    mask.stroke({ x: 3.5, y: -9 }, { x: 3.5, y: 2.5 }, 0.5, 0);
    expect(drawn(mask)).toEqual(['.......', '.##.##.', '###.###', '.#####.', '.......']);
    expect(mask.count).toBe(15);
  });

  it('shows what it marked, and nothing else', () => {
    const { layer } = painted();
    const alpha = Array.from({ length: 7 }, (_, x) => layer?.pixels[4 * (7 + x) + 3]);
    expect(alpha).toEqual([0, 255, 255, 255, 255, 255, 0]);
  });
});

describe('missing pixels', () => {
  const inpaint = () => openPage({ tab: 'restore' }, opened({ width: 20, height: 10 }));
  const across = [
    { x: 2, y: 5 },
    { x: 18, y: 5 },
  ] as const;

  it('are those that were painted, without a truth', async () => {
    const { studio, worker } = await inpaint();
    studio.restoring.brush = 2;
    studio.restoring.paint(...across);
    void studio.restoreImage();
    await idle();
    const { ask } = worker.last('restore');
    if (ask.task !== 'inpaint') throw new Error('another task');
    expect([ask.truth, ask.quality, ask.missing.reduce((a, b) => a + b)]).toEqual([false, 'fast', 36]);
  });

  it('can be measured after damage, until they are painted on', async () => {
    const { studio, worker } = await inpaint();
    void studio.restoring.takeMask('pixels');
    await worker.last('mask').reply(new Uint8Array(200).fill(1, 0, 100));
    expect([studio.restoring.mask.count, studio.restoring.mask.truth]).toEqual([100, true]);
    studio.restoring.paint(...across);
    expect(studio.restoring.mask.truth).toBe(false);
  });

  it('of a file cannot be measured', async () => {
    const { studio, worker } = await inpaint();
    void studio.restoring.takeMask(file('mask.png'));
    await worker.last('mask').reply(new Uint8Array(200).fill(1, 0, 7));
    expect([studio.restoring.mask.count, studio.restoring.mask.truth]).toEqual([7, false]);
  });

  it('of a file that does not fit stay as they were, and the reason is shown', async () => {
    const { studio, worker } = await inpaint();
    studio.restoring.paint(...across);
    const { count } = studio.restoring.mask;
    void studio.restoring.takeMask(file('mask.png'));
    await worker.last('mask').fail('mask.png has 3×3 pixels');
    expect([studio.restoring.mask.count, studio.runner.notice?.message]).toEqual([count, 'mask.png has 3×3 pixels']);
  });

  it('are marked again after a reload, on the same picture only', async () => {
    const { studio, kept } = await inpaint();
    studio.restoring.paint(...across);
    const { count } = studio.restoring.mask;
    await expect.poll(() => kept.mask?.image).toBe('nagasaki-boats');
    for (const [image, width, marked] of [
      ['nagasaki-boats', 20, count],
      ['black-canyon', 20, 0],
      ['nagasaki-boats', 10, 0],
    ] as const) {
      const again = startPage({ tab: 'restore', image });
      again.kept.mask = kept.mask;
      void again.studio.image.openLinked(image);
      await idle();
      await again.worker.last('open').reply(opened({ width, height: 10 }));
      await idle();
      expect(again.studio.restoring.mask.count).toBe(marked);
    }
  });

  it('of the last image are not those of the next one', async () => {
    const { studio, worker } = await inpaint();
    studio.restoring.paint(...across);
    void studio.restoring.takeMask('text');
    const late = worker.last('mask');
    void studio.openFile(file('next.png'));
    await worker.last('open').reply(opened({ width: 8, height: 8 }));
    await late.reply(new Uint8Array(200).fill(1));
    expect([studio.restoring.mask.count, studio.restoring.mask.missing.length]).toEqual([0, 64]);
  });
});

describe('a restored image', () => {
  const restoring = async () => {
    const page = await openPage({ tab: 'restore', restore: 'upscale' });
    void page.studio.restoreImage();
    await idle();
    return page;
  };

  it.each([{ factor: 3 }, { restoreQuality: 'best' }] as const)(
    'stays with other settings, of which it is not the result, and its run goes on: %o',
    async (change) => {
      const { studio, worker } = await restoring();
      studio.set(change);
      expect([worker.last('restore').cancelled, studio.runner.task]).toEqual([false, 'restore']);
      await worker.last('restore').reply(restored(31));
      expect([studio.picture('restored'), studio.stale]).toEqual([restored(31).picture, true]);
      expect(studio.restoring.current).toBeUndefined();
    },
  );

  it('is not that of another task', async () => {
    const { studio, worker } = await restoring();
    await worker.last('restore').reply(restored(31));
    studio.set({ restore: 'deblur' });
    expect(studio.picture('restored')).toBeUndefined();
  });

  it('stays after another stroke, as one of the mask before', async () => {
    const { studio, worker } = await openPage({ tab: 'restore' });
    const stroke = (y: number) => studio.restoring.paint({ x: 10, y }, { x: 50, y });
    stroke(20);
    void studio.restoreImage();
    await idle();
    stroke(60);
    expect(worker.last('restore').cancelled).toBe(false);
    await worker.last('restore').reply(restored(31));
    expect([studio.picture('restored'), studio.stale]).toEqual([restored(31).picture, true]);
  });

  it('stays in other tabs and with settings of other tasks', async () => {
    const { studio, worker } = await restoring();
    await worker.last('restore').reply(restored(31));
    studio.set({ tab: 'denoise', quality: 'best' });
    studio.set({ tab: 'restore', blur: 3 });
    expect(studio.picture('restored')).toEqual(restored(31).picture);
  });

  it('of the last image is not shown on the next one', async () => {
    const { studio, worker } = await restoring();
    await worker.last('restore').reply(restored(31));
    void studio.openFile(file('next.png'));
    await worker.last('open').reply(opened());
    expect(studio.picture('restored')).toBeUndefined();
  });

  it('is announced with the time left, in which the start of the work does not count', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { studio, worker } = await restoring();
    const tell = (fraction: number) => worker.last('restore').tell({ kind: 'progress', fraction });
    vi.advanceTimersByTime(20_000);
    await tell(0.01);
    vi.advanceTimersByTime(1900);
    await tell(0.105);
    expect(studio.runner.secondsLeft).toBeUndefined();
    vi.advanceTimersByTime(100);
    await tell(0.11);
    expect(studio.runner.secondsLeft).toBeCloseTo(17.8);
    vi.useRealTimers();
  });

  it('is announced step by step, and an error is shown', async () => {
    const { studio, worker } = await restoring();
    await worker.last('restore').tell({ kind: 'progress', fraction: 0.4, doing: 'step 3 of 8' });
    expect([studio.runner.fraction, studio.runner.doing]).toEqual([0.4, 'step 3 of 8']);
    await worker.last('restore').fail('factor must give at most 100 pixels');
    expect(studio.runner.notice?.message).toBe('factor must give at most 100 pixels');
  });
});

describe('a blur', () => {
  const deblur = (settings = {}) =>
    openPage({ tab: 'restore', restore: 'deblur', ...settings }, opened({ depth: 16, peak: 65535 }));
  const asked = async ({ studio, worker }: Awaited<ReturnType<typeof deblur>>) => {
    void studio.restoreImage();
    await idle();
    const { ask } = worker.last('restore');
    if (ask.task !== 'deblur') throw new Error('another task');
    return ask;
  };
  const kernel = (weight: number) => ({ width: 1, height: 1, data: [weight] });

  it('is sent by its shape, and its noise in the units of the image', async () => {
    expect(await asked(await deblur())).toMatchObject({ kernel: { kind: 'gaussian', sigma: 1.6 }, sigma: 'auto' });
    const motion = await deblur({ kernel: 'motion', length: 9, angle: 45, blurNoise: 2 });
    expect(await asked(motion)).toMatchObject({ kernel: { kind: 'motion', length: 9, angle: 45 }, sigma: 514 });
    expect(await asked(await deblur({ kernel: 'auto' }))).toMatchObject({ kernel: 'auto', sigma: 'auto' });
    const disk = await deblur({ kernel: 'disk', radius: 3, blurNoise: 0 });
    expect(await asked(disk)).toMatchObject({ kernel: { kind: 'disk', radius: 3 }, sigma: 0 });
  });

  it('is shown as the latest settings have it', async () => {
    const { studio, worker } = await deblur();
    const first = worker.last('kernel');
    studio.set({ blur: 2 });
    await worker.last('kernel').reply(kernel(2));
    await first.reply(kernel(1));
    expect(studio.restoring.kernel).toEqual(kernel(2));
  });

  it('that was drawn is sent weight by weight; drawing more makes its result an older one', async () => {
    const page = await deblur({ kernel: 'drawn' });
    const { studio, worker } = page;
    studio.restoring.draw(8, 7, 1);
    const ask = await asked(page);
    if (ask.kernel === 'auto' || 'kind' in ask.kernel) throw new Error('a shape');
    expect([ask.kernel.width, Array.from(ask.kernel.data).flatMap((w, i) => (w > 0 ? [i] : []))]).toEqual([
      15,
      [7 * 15 + 7, 7 * 15 + 8],
    ]);
    await worker.last('restore').reply(restored(31));
    studio.restoring.draw(8, 7, 0);
    expect(studio.stale).toBe(true);
  });

  it('can be made first, as an experiment that is undone like a result', async () => {
    const { studio, worker } = await deblur({ kernel: 'disk', radius: 3 });
    void studio.restoring.blurFirst();
    await idle();
    expect(worker.last('blur').ask).toEqual({ kernel: { kind: 'disk', radius: 3 } });
    await worker.last('blur').reply({ opened: opened(), count: 2 });
    expect([studio.image.versions, studio.image.version]).toEqual([['Opened', 'Blurred'], 1]);
  });

  it('of a file can be drawn on, in its units', async () => {
    const { studio, worker } = await deblur({ kernel: 'drawn' });
    void studio.restoring.takeKernel(file('kernel.png'));
    await worker.last('kernel').reply({ width: 3, height: 1, data: [10, 200, 10] });
    studio.restoring.draw(0, 0, 1);
    expect(studio.restoring.kernel).toEqual({ width: 3, height: 1, data: Float64Array.of(200, 200, 10) });
  });
});
