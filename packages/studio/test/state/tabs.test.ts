/** What each tab shows for the worker's answers, in every order in which they may arrive. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { denoised, idle, layer, opened, openPage, preview, shown, solvedPage, usual } from './fake-worker.js';

const file = (name: string) => new File(['bytes'], name);

afterEach(() => void vi.useRealTimers());

describe('a moving slider', () => {
  it('finishes a preview in progress, then runs only the latest settings', async () => {
    const { studio, worker } = await solvedPage();
    for (const s of [6, 7, 8]) studio.set({ s });
    const [, run] = worker.all('represent');
    expect([worker.all('represent').length, run.cancelled]).toEqual([2, false]);
    await run.tell(preview(31));
    expect([studio.representing.stage, studio.readings('result')?.psnr]).toEqual(['preview', 31]);
    expect(run.cancelled).toBe(true);
    expect(worker.all('represent').map(({ ask }) => ask.settings.s)).toEqual([5, 6, 8]);
  });

  it('does not wait for a preview that takes longer than a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { studio, worker } = await solvedPage();
    studio.set({ s: 6 });
    vi.advanceTimersByTime(999);
    studio.set({ s: 7 });
    expect(worker.last('represent').ask.settings.s).toBe(6);
    vi.advanceTimersByTime(1);
    studio.set({ s: 8 });
    expect(worker.all('represent').map(({ cancelled }) => cancelled)).toEqual([false, true, false]);
    expect(worker.last('represent').ask.settings.s).toBe(8);
  });

  it('that has returned to its position keeps the run for it', async () => {
    const { studio, worker } = await solvedPage();
    for (const s of [6, 7, 6]) studio.set({ s });
    const run = worker.last('represent');
    await run.tell(preview(31));
    await run.tell(shown('result', 32));
    expect([studio.representing.stage, worker.all('represent').length]).toEqual(['final', 2]);
  });

  it('continues with the latest settings if the run in progress fails', async () => {
    const { studio, worker } = await solvedPage();
    studio.set({ stride: 2 });
    studio.set({ stride: 4 });
    await worker.last('represent').fail('too large');
    expect(worker.last('represent').ask.settings.stride).toBe(4);
  });

  it('starts no run after a cancel', async () => {
    const { studio, worker } = await solvedPage();
    studio.set({ s: 6 });
    studio.set({ s: 7 });
    studio.runner.cancel();
    await worker.last('represent').fail('aborted');
    expect(worker.all('represent')).toHaveLength(2);
    studio.solve();
    expect(worker.last('represent').ask.settings.s).toBe(7);
  });
});

describe('a result', () => {
  it('of older settings is never final', async () => {
    const { studio, worker } = await openPage();
    studio.set({ s: 6 });
    await worker.last('represent').tell(shown('result', 30));
    expect(studio.representing.stage).toBe('stale');
    const run = worker.last('represent');
    expect(run.ask.settings.s).toBe(6);
    await run.tell(shown('result', 31));
    expect(studio.representing.stage).toBe('final');
  });

  it('is not final while the worker may hold another, even if its settings are restored', async () => {
    const { studio, worker } = await solvedPage();
    studio.set({ s: 6 });
    studio.runner.cancel();
    studio.set({ s: 5 });
    expect(studio.representing.stage).toBe('stale');
    await worker.last('represent').tell(shown('result', 30));
    expect(studio.representing.stage).toBe('final');
  });

  it('that still matches the settings is not computed again', async () => {
    const { studio, worker } = await solvedPage();
    studio.set({ tab: 'compare' });
    studio.set({ s: 6 });
    expect(studio.representing.stage).toBe('stale');
    studio.set({ s: 5 });
    studio.set({ tab: 'represent' });
    expect(studio.representing.stage).toBe('final');
    expect(worker.all('represent')).toHaveLength(1);
  });

  it('is not waited for in another tab', async () => {
    const { studio, worker } = await openPage();
    studio.set({ tab: 'denoise' });
    expect(worker.last('represent').cancelled).toBe(true);
    studio.set({ tab: 'represent' });
    expect(worker.all('represent')).toHaveLength(2);
  });

  it('draws its curve while it converges; a search for a target draws the curve of its last budget', async () => {
    const { studio, worker } = await openPage({ goal: 'psnr', solver: 'qpm' });
    const run = worker.last('represent');
    for (const [k, rmse] of [
      [1, 9],
      [2, 8],
      [2, 8],
      [1, 7],
    ]) {
      await run.tell({ kind: 'progress', fraction: 0.1, k, rmse });
    }
    expect(studio.representing.curve).toEqual({ solver: 'qpm', points: [{ k: 1, rmse: 7 }] });
  });

  it('gets its SSIM after its run, which does not wait for it', async () => {
    const { studio, worker } = await solvedPage();
    expect([studio.runner.task, worker.last('ssim').ask.slot]).toEqual([undefined, 'result']);
    await worker.last('ssim').reply(0.875);
    expect(studio.similarity.values.result).toBe(0.875);
  });

  it('loses its SSIM with the next run, which stops the measuring; another task only delays it', async () => {
    const { studio, worker } = await solvedPage();
    const first = worker.last('ssim');
    void studio.compare();
    await idle();
    expect([first.cancelled, worker.all('ssim').length]).toEqual([true, 1]);
    await worker.last('compare').reply(null);
    expect(worker.all('ssim')).toHaveLength(2);
    await worker.last('ssim').reply(0.5);
    expect(studio.similarity.values.result).toBe(0.5);
    studio.set({ s: 6 });
    expect(studio.similarity.values.result).toBeUndefined();
  });

  it('is looked into as soon as it is there, if a patch was picked during its preview', async () => {
    const { studio, worker } = await openPage();
    await worker.last('represent').tell(preview(31, true));
    void studio.inspect(40, 24, 'result');
    expect([studio.patch.awaited, worker.all('inspect').length]).toEqual([{ x: 40, y: 24 }, 0]);
    await worker.last('represent').tell(shown('result', 30));
    expect(worker.last('inspect').ask).toEqual({ x: 40, y: 24, slot: 'result' });
  });
});

describe('codes from a file', () => {
  it('replace the result', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('saved.npz'));
    await idle();
    await worker.last('readCodes').tell(shown('result', 27));
    await worker.last('readCodes').reply(null);
    expect([studio.representing.stage, studio.readings('result')?.psnr]).toEqual(['final', 27]);
    expect(studio.representing.shown?.codesFile).toBe('saved.npz');
    studio.set({ s: 6 });
    await worker.last('represent').tell(shown('result', 28));
    expect(studio.representing.shown?.codesFile).toBeUndefined();
  });

  it('that are invalid leave the result unchanged', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('broken.npz'));
    await idle();
    await worker.last('readCodes').fail('no codes');
    expect(studio.runner.notice?.message).toBe('no codes');
    expect(studio.representing.stage).toBe('final');
  });

  it('that are cancelled leave the result stale, unless they were shown before', async () => {
    for (const [before, stage] of [
      [false, 'stale'],
      [true, 'final'],
    ] as const) {
      const { studio, worker } = await solvedPage();
      void studio.openFile(file('saved.npz'));
      await idle();
      if (before) await worker.last('readCodes').tell(shown('result', 27));
      studio.runner.cancel();
      await idle();
      expect(studio.representing.stage).toBe(stage);
    }
  });
});

describe('a comparison', () => {
  const compared = async (settings = {}) => {
    const page = await openPage({ tab: 'compare', ...settings });
    const run = page.worker.last('compare');
    for (const solver of ['qpm', 'admm'] as const) await run.tell(shown(solver, 28));
    await run.reply(null);
    await page.worker.last('ssim').reply(0.75);
    return page;
  };

  it('starts by itself once, if it is quick', async () => {
    const { studio, worker } = await compared();
    expect([studio.readings('qpm')?.psnr, studio.similarity.values.qpm]).toEqual([28, 0.75]);
    studio.set({ tab: 'denoise' });
    studio.set({ tab: 'compare' });
    expect(worker.all('compare')).toHaveLength(1);
    const large = await openPage({ tab: 'compare' }, opened({ width: 4000, height: 3000 }));
    expect(large.worker.all('compare')).toHaveLength(0);
  });

  it('is stale if the settings request another, and only then', async () => {
    const { studio } = await compared();
    for (const [change, stale] of [
      [{ rho: 0.5 }, false],
      [{ solver: 'qpm' }, false],
      [{ s: 6 }, true],
      [{ s: 5 }, false],
      [{ goal: 'psnr' }, true],
    ] as const) {
      studio.set(change);
      expect(studio.comparing.stale).toBe(stale);
    }
  });

  it('marks the rows of the previous one until they are replaced, even with the same settings', async () => {
    const { studio, worker } = await compared();
    void studio.compare();
    await idle();
    await worker.last('compare').tell(shown('qpm', 28));
    expect([studio.comparing.isOld('qpm'), studio.comparing.isOld('admm')]).toEqual([false, true]);
    await worker.last('compare').reply(null);
    expect(studio.comparing.isOld('admm')).toBe(false);
  });

  it('that is cancelled shows rows of its own only', async () => {
    const { studio, worker } = await compared();
    studio.set({ s: 6 });
    void studio.compare();
    await idle();
    await worker.last('compare').tell(shown('qpm', 29));
    studio.runner.cancel();
    await idle();
    expect([studio.readings('qpm')?.psnr, studio.picture('admm')]).toEqual([29, undefined]);
  });

  it('for a PSNR passes the result that found the budget to the other tab', async () => {
    const { studio, worker } = await openPage({ tab: 'compare', goal: 'psnr' });
    await worker.last('compare').tell(shown('result', 32));
    await worker.last('compare').tell(shown('qpm', 31));
    studio.set({ tab: 'represent' });
    expect([studio.representing.stage, worker.all('represent').length]).toEqual(['final', 0]);
  });

  it('that is cancelled leaves the result of the other tab stale, if it may have replaced it', async () => {
    for (const [goal, stage] of [
      ['atoms', 'final'],
      ['psnr', 'stale'],
    ] as const) {
      const { studio } = await solvedPage({ goal });
      void studio.compare();
      await idle();
      studio.runner.cancel();
      await idle();
      expect(studio.representing.stage).toBe(stage);
    }
  });
});

describe('noise', () => {
  it('is added in the units of the image', async () => {
    const { worker } = await openPage({ tab: 'denoise', noise: 10 }, opened({ depth: 16, peak: 65535 }));
    expect(worker.last('noise').ask.noise).toBe(2570);
  });

  it('follows a moving slider with its latest position only', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise' });
    for (const noise of [30, 40, 50]) studio.set({ noise });
    expect(worker.all('noise')).toHaveLength(1);
    await worker.last('noise').reply({ picture: layer(20), psnr: 22 });
    expect(worker.all('noise').map(({ ask }) => ask.noise)).toEqual([20, 50]);
    await worker.last('noise').reply({ picture: layer(50), psnr: 14 });
    expect(studio.denoising.noisy?.psnr).toBe(14);
    expect(worker.all('noise')).toHaveLength(2);
  });

  it('is an experiment on samples: a file is denoised as it is, and a link decides', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise' });
    expect(worker.last('noise').ask.noise).toBe(20);
    void studio.openFile(file('mine.jpg'));
    await worker.last('open').reply(opened({ picture: layer(7) }));
    // The noise of the sample is answered first: requests for it follow one another.
    await worker.last('noise').reply({ picture: layer(20), psnr: 22 });
    expect([studio.settings.noise, worker.all('noise').length]).toEqual([0, 1]);
    expect(studio.picture('noisy')).toEqual(layer(7));
    studio.set({ noise: 35 });
    void studio.openFile(file('another.jpg'));
    await worker.last('open').reply(opened());
    expect(studio.settings.noise).toBe(35);
    void studio.restore({ ...usual, tab: 'denoise', image: 'black-canyon', noise: 0 });
    await idle();
    await worker.last('open').reply(opened());
    expect(studio.settings.noise).toBe(0);
  });

  it('of the last image is not shown on the next one', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise' });
    const old = worker.last('noise');
    void studio.image.openSample('black-canyon');
    await idle();
    await worker.last('open').reply(opened());
    await old.reply({ picture: layer(20), psnr: 22 });
    expect(studio.picture('noisy')).toBeUndefined();
    await worker.last('noise').reply({ picture: layer(21), psnr: 23 });
    expect(studio.picture('noisy')).toEqual(layer(21));
  });
});

describe('a denoised image', () => {
  const denoising = async () => {
    const page = await openPage({ tab: 'denoise' });
    await page.worker.last('noise').reply({ picture: layer(20), psnr: 22 });
    void page.studio.denoise();
    await idle();
    return page;
  };

  it.each([{ sigma: 12 }, { strengthChroma: 2 }, { quality: 'best' }] as const)(
    'stays with other settings, of which it is not the result, and its run goes on: %o',
    async (change) => {
      const { studio, worker } = await denoising();
      studio.set(change);
      expect([worker.last('denoise').cancelled, studio.runner.task]).toEqual([false, 'denoise']);
      await worker.last('denoise').reply(denoised(31));
      expect([studio.picture('denoised'), studio.stale, studio.denoising.current]).toEqual([
        layer(31),
        true,
        undefined,
      ]);
      void studio.denoise();
      await idle();
      expect(studio.picture('denoised')).toEqual(layer(31));
      await worker.last('denoise').reply(denoised(32));
      expect([studio.picture('denoised'), studio.stale]).toEqual([layer(32), false]);
    },
  );

  it('is not shown with another noise, which it does not belong to', async () => {
    const { studio, worker } = await denoising();
    await worker.last('denoise').reply(denoised(31));
    studio.set({ noise: 30 });
    expect(studio.picture('denoised')).toBeUndefined();
  });

  it('stays in other tabs and while it is computed again', async () => {
    const { studio, worker } = await denoising();
    await worker.last('denoise').reply(denoised(31));
    studio.set({ tab: 'represent', s: 9 });
    studio.set({ tab: 'denoise' });
    expect(studio.denoising.denoised?.psnr).toBe(31);
    void studio.denoise();
    await idle();
    expect([studio.runner.task, studio.denoising.denoised?.psnr]).toEqual(['denoise', 31]);
  });

  it('is the one that the worker holds, also after a cancel that came too late', async () => {
    const { studio, worker } = await denoising();
    await worker.last('denoise').reply(denoised(31));
    studio.set({ quality: 'best' });
    for (const late of [false, true]) {
      void studio.denoise();
      await idle();
      studio.runner.cancel();
      expect([worker.last('denoise').cancelled, studio.runner.task]).toEqual([true, undefined]);
      if (late) await worker.last('denoise').reply(denoised(32));
      else await worker.last('denoise').fail('aborted');
      expect(studio.picture('denoised')).toEqual(layer(late ? 32 : 31));
    }
  });

  it('does not end the opening of another image when requested', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise' });
    void studio.denoise();
    await idle();
    void studio.openFile(file('next.png'));
    await worker.last('noise').reply({ picture: layer(20), psnr: 22 });
    expect(worker.last('open').cancelled).toBe(false);
    expect(studio.runner.task).toBe('open');
  });
});
