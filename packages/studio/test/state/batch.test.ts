/** Several files, processed in turn. */
import { expect, it } from 'vitest';
import { Batch } from '../../src/state/batch.svelte.js';
import { denoised, idle, opened, openPage } from './fake-worker.js';

const bytes = (value: number) => ({ bytes: Uint8Array.of(value), extension: 'png', type: 'image/png' });

async function batchOf(...names: string[]) {
  const page = await openPage({ tab: 'denoise', image: 'black-canyon-camera', noise: 0 });
  const batch = new Batch(page.studio);
  void batch.take(names.map((name) => new File(['bytes'], name)));
  await idle();
  await page.worker.last('open').reply(opened());
  const { worker } = page;
  /** Answers for one file of the batch. */
  const process = async (value: number) => {
    await worker.last('open').reply(opened());
    await worker.last('denoise').reply(denoised(31));
    await worker.last('file').reply(bytes(value));
  };
  return { ...page, batch, worker, process };
}

it('of the same name are saved under two names, each with the settings that were chosen for the first', async () => {
  const { studio, batch, worker, process } = await batchOf('a.png', 'b.png', 'a.png');
  studio.set({ strength: 1.5 });
  const run = batch.run();
  for (const value of [1, 2, 3]) {
    await idle();
    expect(batch.at).toBe(value);
    await process(value);
  }
  const entries = await run;
  expect(entries.map(({ name, file }) => [name, file.bytes[0]])).toEqual([
    ['a-denoised.png', 1],
    ['b-denoised.png', 2],
    ['a-denoised-2.png', 3],
  ]);
  expect(worker.all('denoise').map(({ ask }) => ask.strength)).toEqual([1.5, 1.5, 1.5]);
  expect(batch.at).toBe(0);
});

it('that cannot be opened are left out and named', async () => {
  const { studio, batch, worker, process } = await batchOf('a.png', 'broken.png', 'c.png');
  const run = batch.run();
  await idle();
  await process(1);
  await worker.last('open').fail('broken.png is damaged');
  await idle();
  await process(3);
  expect((await run).map(({ name }) => name)).toEqual(['a-denoised.png', 'c-denoised.png']);
  expect(studio.runner.notice?.message).toBe('Left out, because they could not be processed: broken.png.');
});

it('that were done before a cancel are saved', async () => {
  const { batch, worker, process } = await batchOf('a.png', 'b.png', 'c.png');
  const run = batch.run();
  await idle();
  await process(1);
  await worker.last('open').reply(opened());
  batch.stop();
  await worker.last('denoise').fail('aborted');
  expect((await run).map(({ name }) => name)).toEqual(['a-denoised.png']);
  expect(worker.all('open')).toHaveLength(4);
});
