/** One task at a time, its image, and the link, for all answers of the worker and all orders of them. */
import { describe, expect, it } from 'vitest';
import type { Studio } from '../../src/state/studio.svelte.js';
import type { Inspection } from '../../src/worker/protocol.js';
import { idle, layer, opened, openPage, shown, solvedPage, startPage, usual } from './fake-worker.js';

const file = (name: string) => new File(['bytes'], name);
const dismiss = ({ runner }: Studio) => {
  runner.notice = undefined;
};

describe('a task', () => {
  it('is ended by the next one, whose name and progress stay', async () => {
    const { studio, worker } = await openPage();
    const run = worker.last('represent');
    void studio.compare();
    await idle();
    expect(run.cancelled).toBe(true);
    await run.tell({ kind: 'progress', fraction: 0.9 });
    await run.fail('aborted');
    expect(studio.runner.task).toBe('compare');
    expect(studio.runner.notice).toBeUndefined();
    await worker.last('compare').tell({ kind: 'progress', fraction: 0.25, doing: 'GHT-QPM' });
    expect([studio.runner.fraction, studio.runner.doing]).toEqual([0.25, 'GHT-QPM']);
  });

  it('ends at once when it is cancelled, without a notice', async () => {
    const { studio, worker } = await openPage();
    studio.runner.cancel();
    expect(studio.runner.task).toBeUndefined();
    await worker.last('represent').tell(shown('result', 30));
    expect(studio.picture('result')).toBeUndefined();
    expect(studio.runner.notice).toBeUndefined();
  });

  it('that fails says why, and ends', async () => {
    const { studio, worker } = await openPage();
    await worker.last('represent').fail('stride must divide 8');
    expect(studio.runner.notice).toEqual({ message: 'stride must divide 8' });
    expect(studio.runner.task).toBeUndefined();
  });

  it('that does not fit offers to open the image reduced, and reduced again', async () => {
    const page = await openPage({ stride: 2 });
    await page.worker.last('represent').fail('too large', { reduce: 2 });
    expect(page.studio.runner.notice?.remedy?.title).toBe('Open at 1/2 of its size');
    page.studio.runner.notice?.remedy?.act();
    expect(page.worker.last('open').ask.reduce).toBe(2);
    await page.worker.last('open').reply(opened({ width: 160 }));
    await page.worker.last('represent').fail('too large', { reduce: 3 });
    page.studio.runner.notice?.remedy?.act();
    expect(page.worker.last('open').ask.reduce).toBe(6);
  });
});

describe('a worker that is lost', () => {
  it('loses the image: nothing runs until it is opened again', async () => {
    const page = await solvedPage();
    const { studio } = page;
    const first = page.worker;
    await first.crash('out of memory');
    const said = 'The computation stopped unexpectedly (out of memory).';
    expect(studio.runner.notice?.message).toBe(said);
    dismiss(studio);
    studio.solve();
    expect(studio.runner.notice?.message).toBe(said);
    dismiss(studio);
    studio.set({ s: 7 });
    await studio.compare();
    expect(studio.runner.notice?.message).toBe(said);
    expect([first.all('represent').length, first.all('compare').length]).toEqual([1, 0]);

    studio.runner.notice?.remedy?.act();
    expect(page.worker).not.toBe(first);
    await page.worker.last('open').reply(opened());
    expect(studio.runner.notice).toBeUndefined();
    expect(page.worker.last('represent').ask.settings.s).toBe(7);
  });

  it('ends the current task with the same notice', async () => {
    const { studio, worker } = await openPage();
    await worker.crash('');
    expect(studio.runner.task).toBeUndefined();
    expect(studio.runner.notice?.message).toBe('The computation stopped unexpectedly (out of memory).');
    expect(studio.runner.notice?.remedy?.title).toBe('Open the image again');
  });

  it('offers nothing to reopen before the first image', async () => {
    const { studio, worker } = startPage();
    await worker.crash('');
    expect(studio.runner.notice).toEqual({ message: 'A part of this page could not be loaded. Reload the page.' });
  });
});

describe('opening', () => {
  it('uses the later of two, even if the earlier file arrives last', async () => {
    let deliver = (_: Blob) => {};
    const fetching = new Promise<Blob>((resolve) => {
      deliver = resolve;
    });
    const { studio, worker } = startPage({}, () => fetching);
    void studio.image.openSample('black-canyon');
    void studio.openFile(file('mine.png'));
    await worker.last('open').reply(opened());
    deliver(new Blob([]));
    await idle();
    expect(worker.all('open')).toHaveLength(1);
    expect([studio.image.title, studio.settings.image]).toEqual(['mine.png', '']);
  });

  it('shows the image the worker has opened if a cancel came too late', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('late.png'));
    studio.runner.cancel();
    expect(studio.runner.task).toBeUndefined();
    expect(worker.last('open').cancelled).toBe(true);
    await worker.last('open').reply(opened({ width: 99 }));
    expect([studio.image.title, studio.image.opened?.width]).toEqual(['late.png', 99]);
    expect(studio.representing.stage).toBe('none');
    expect(worker.all('represent')).toHaveLength(2);
  });

  it('delays settings, and runs the latest', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('next.png'));
    studio.set({ s: 6 });
    studio.set({ s: 7 });
    expect(worker.all('represent')).toHaveLength(1);
    await worker.last('open').reply(opened());
    expect(worker.all('represent')).toHaveLength(2);
    expect(worker.last('represent').ask.settings.s).toBe(7);
  });

  it('leaves the shown result when it fails, as stale if the settings have changed', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('broken.png'));
    expect(studio.representing.stage).toBe('final');
    studio.set({ s: 6 });
    expect(studio.representing.stage).toBe('stale');
    await worker.last('open').fail('broken.png is damaged');
    expect(studio.runner.notice?.message).toBe('broken.png is damaged');
    expect([studio.image.title, studio.readings('result')?.psnr]).toEqual(['Boats at Nagasaki', 30]);
    expect(studio.representing.stage).toBe('stale');
    expect(worker.last('represent').ask.settings.s).toBe(6);
  });

  it('delays tasks requested meanwhile until the last of several has ended', async () => {
    const { studio, worker } = await solvedPage();
    void studio.openFile(file('first.png'));
    void studio.compare();
    void studio.openFile(file('second.png'));
    await worker.all('open')[1].fail('aborted');
    expect(worker.last('open').cancelled).toBe(false);
    expect(worker.all('compare')).toHaveLength(0);
    await worker.last('open').reply(opened());
    expect(studio.image.title).toBe('second.png');
    expect(studio.runner.task).toBe('compare');
  });

  it('of an image that does not fit offers to reduce that image, not the open one', async () => {
    const { studio, worker } = await solvedPage();
    const large = file('large.png');
    void studio.openFile(large);
    await worker.last('open').fail('too large', { reduce: 4 });
    studio.runner.notice?.remedy?.act();
    expect(worker.last('open').ask.file).toBe(large);
    expect(worker.last('open').ask.reduce).toBe(4);
  });

  it('clears the results of the last image', async () => {
    const { studio, worker } = await openPage({ tab: 'compare' });
    await worker.last('compare').tell(shown('qpm', 28));
    studio.set({ tab: 'denoise' });
    await worker.last('noise').reply({ picture: layer(1), psnr: 22 });
    studio.denoising.closeUp = { x: 3, y: 4 };
    void studio.image.openSample('black-canyon');
    await idle();
    await worker.last('open').reply(opened());
    expect([studio.picture('noisy'), studio.picture('qpm')]).toEqual([undefined, undefined]);
    expect(studio.denoising.closeUp).toBeUndefined();
    expect(worker.all('noise')).toHaveLength(2);
  });
});

describe('an image of the user', () => {
  it('is kept for the next visit, until it is erased', async () => {
    const page = await openPage();
    const mine = file('mine.png');
    void page.studio.openFile(mine);
    await page.worker.last('open').reply(opened());
    expect([page.kept.file, page.studio.image.kept, page.hashes.at(-1)]).toEqual([
      mine,
      true,
      '#v=2&tab=represent&image=own',
    ]);
    await page.studio.image.forget();
    expect([page.kept.file, page.studio.image.kept]).toEqual([undefined, false]);
  });

  it('is opened again by its link, with its view', async () => {
    const page = startPage({ image: '', zoom: 4, x: 12, y: 34, noise: 0 });
    page.kept.file = file('mine.png');
    void page.studio.image.openLinked('');
    await idle();
    await page.worker.last('open').reply(opened());
    expect(page.studio.image.title).toBe('mine.png');
    expect(page.studio.settings).toMatchObject({ image: '', zoom: 4, x: 12, y: 34 });
  });

  it('that this browser does not have is named as missing', async () => {
    const page = startPage({ image: '' });
    void page.studio.image.openLinked('');
    await idle();
    await page.worker.last('open').reply(opened());
    expect(page.studio.runner.notice?.message).toContain('is not in this browser');
    expect(page.studio.settings.image).toBe(usual.image);
  });
});

describe('the history', () => {
  it('has a step for every choice, and one for all positions of a slider', async () => {
    const { studio, hashes, steps } = await openPage();
    studio.set({ tab: 'compare' });
    studio.set({ tab: 'represent' });
    for (const s of [6, 7, 8]) studio.set({ s });
    expect(steps).toEqual([true, true, true, false, false]);
    const length = hashes.length;
    await studio.restore({ ...usual, tab: 'compare' });
    expect([studio.settings.tab, hashes.length]).toEqual(['compare', length]);
  });

  it('is not written by going through it, and brings back the patch', async () => {
    const { studio, worker, hashes } = await solvedPage();
    void studio.inspect(40, 24, 'result');
    const found = { x: 40, y: 24 } as Inspection;
    await worker.last('inspect').reply(found);
    expect(hashes.at(-1)).toBe('#v=2&tab=represent&patch=40,24');
    studio.set({ s: 6 });
    expect(hashes.at(-1)).toBe('#v=2&tab=represent&s=6');
    const length = hashes.length;
    void studio.restore({ ...usual, patch: '40,24' });
    // The run in progress shows its picture first; it is of other settings, and not looked into.
    await worker.last('represent').tell(shown('result', 31));
    expect(worker.all('inspect')).toHaveLength(1);
    await worker.last('represent').tell(shown('result', 30));
    expect(worker.last('inspect').ask).toEqual({ x: 40, y: 24, slot: 'result' });
    await worker.last('inspect').reply(found);
    expect([studio.patch.found, hashes.length]).toEqual([found, length]);
  });

  it('keeps the view in the address, in place of the last one', async () => {
    const { studio, hashes, steps } = await openPage();
    studio.look({ zoom: 2, x: 10, y: 20 });
    studio.look({ divider: 0.25 });
    await expect.poll(() => hashes.at(-1)).toBe('#v=2&tab=represent&zoom=2&x=10&y=20&divider=0.25');
    expect(steps.at(-1)).toBe(false);
  });

  it('forgets the view with the image', async () => {
    const { studio, worker } = await openPage({ zoom: 3, x: 5, y: 6, patch: '8,8' });
    expect(studio.patch.awaited).toEqual({ x: 8, y: 8 });
    void studio.image.openSample('black-canyon');
    await idle();
    await worker.last('open').reply(opened());
    expect(studio.settings).toMatchObject({ zoom: null, patch: '' });
  });
});

describe('the link', () => {
  it('contains every setting, and the sample once it is open', async () => {
    const { studio, worker, hashes } = await openPage();
    studio.set({ s: 6 });
    expect(hashes.at(-1)).toBe('#v=2&tab=represent&s=6');
    void studio.image.openSample('black-canyon');
    await idle();
    await worker.last('open').reply(opened());
    expect(hashes.at(-1)).toBe('#v=2&tab=represent&image=black-canyon&s=6');
  });

  it('opens its sample with its settings when restored', async () => {
    const { studio, worker } = await solvedPage();
    void studio.restore({ ...usual, image: 'black-canyon', s: 2 });
    expect(studio.representing.stage).toBe('stale');
    await idle();
    await worker.last('open').reply(opened());
    expect(worker.last('represent').ask.settings).toMatchObject({ image: 'black-canyon', s: 2 });
  });

  it('whose sample cannot be loaded leaves the open image and its name', async () => {
    const failing = startPage({}, async (name) => {
      if (name !== `${usual.image}.png`) throw new Error('404 Not Found');
      return new Blob([]);
    });
    const { studio } = failing;
    void studio.image.openSample(usual.image);
    await idle();
    await failing.worker.last('open').reply(opened());
    await studio.restore({ ...usual, image: 'black-canyon', s: 2 });
    expect(studio.runner.notice?.message).toBe('The sample could not be loaded (404 Not Found).');
    expect([studio.settings.image, studio.image.title]).toEqual([usual.image, 'Boats at Nagasaki']);
  });
});
