/** The results of a picture so far, which can be compared with the latest. */
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../src/state/past-results.svelte.js';
import type { Studio } from '../../src/state/studio.svelte.js';
import { denoised, idle, layer, opened, openPage, restored } from './fake-worker.js';

const titles = ({ past }: Studio) => past.of('denoise').map(({ title }) => title);

/** A page on which a photograph was denoised with several strengths. */
async function denoisedPage(...strengths: readonly number[]) {
  const page = await openPage({ tab: 'denoise', image: 'black-canyon-camera', noise: 0 });
  for (const strength of strengths) {
    page.studio.set({ strength });
    void page.studio.denoise();
    await idle();
    await idle();
    await page.worker.last('denoise').reply(denoised(10 * strength));
  }
  return page;
}

describe('the results of a picture', () => {
  it('are kept under the settings that tell them apart, each once', async () => {
    const { studio } = await denoisedPage(1, 1.5, 2, 1.5);
    expect(titles(studio)).toEqual(['balanced', 'balanced, strength 2', 'balanced, strength 1.5']);
    expect(studio.past.of('inpaint')).toEqual([]);
  });

  it('are shown one after the other in place of the picture before; the latest is on the other side', async () => {
    const { studio } = await denoisedPage(1, 1.5, 2);
    const shown = () => studio.past.chosen('denoise')?.picture;
    const seen = [shown()];
    for (let i = 0; i < 3; i++) {
      studio.past.chooseNext('denoise');
      seen.push(shown());
    }
    expect(seen).toEqual([undefined, layer(10), layer(15), undefined]);
  });

  it('give their settings back', async () => {
    const { studio } = await denoisedPage(1, 1.5);
    const [first] = studio.past.of('denoise');
    studio.set(settingsOf(first));
    expect([studio.settings.strength, studio.settings.quality, studio.stale]).toEqual([1, 'balanced', true]);
  });

  it('are forgotten with the picture, and when one of them becomes the picture', async () => {
    const { studio, worker } = await denoisedPage(1, 1.5);
    void studio.apply();
    await idle();
    await worker.last('apply').reply({ opened: opened(), count: 2 });
    expect(titles(studio)).toEqual([]);
  });

  it('are at most eight', async () => {
    const { studio } = await denoisedPage(...Array.from({ length: 10 }, (_, i) => (5 + i) / 10));
    expect(titles(studio)).toHaveLength(8);
    expect(titles(studio)[0]).toBe('balanced, strength 0.7');
  });

  it('of a deblurring have the kernel in their title', async () => {
    const { studio, worker } = await openPage({ tab: 'restore', restore: 'deblur', kernel: 'motion' });
    void studio.restoreImage();
    await idle();
    await worker.last('restore').reply(restored(9));
    expect(studio.past.of('deblur').map(({ title }) => title)).toEqual(['motion 15, 30°, fast']);
  });
});
