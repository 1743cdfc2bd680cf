/** What the choice of an engine does to each tab. */
import { describe, expect, it } from 'vitest';
import { denoised, idle, layer, openPage, restored, shown, solvedPage } from './fake-worker.js';

const onGpu = { name: 'webgpu', threads: 1 } as const;

describe('another engine', () => {
  it('represents the image again, and is in the link', async () => {
    const { studio, worker, hashes } = await solvedPage();
    studio.set({ engine: 'webgpu' });
    expect(studio.representing.stage).toBe('stale');
    expect(worker.last('represent').ask.settings.engine).toBe('webgpu');
    expect(hashes.at(-1)).toBe('#v=2&tab=represent&engine=webgpu');
  });

  it('compares again', async () => {
    const { studio, worker } = await openPage({ tab: 'compare' });
    await worker.last('compare').tell(shown('admm', 28));
    await worker.last('compare').reply(null);
    studio.set({ engine: 'wasm' });
    await idle();
    expect(worker.all('compare').map(({ ask }) => ask.settings.engine)).toEqual(['auto', 'wasm']);
    expect(studio.runner.task).toBe('compare');
  });

  it('denoises again what is denoised, or is being denoised, and nothing else', async () => {
    const { studio, worker } = await openPage({ tab: 'denoise' });
    await worker.last('noise').reply({ picture: layer(20), psnr: 22 });
    studio.set({ engine: 'wasm' });
    await idle();
    expect(worker.all('denoise')).toHaveLength(0);
    void studio.denoise();
    await idle();
    studio.set({ engine: 'auto' });
    await idle();
    expect(worker.all('denoise').map(({ cancelled }) => cancelled)).toEqual([true, false]);
    await worker.last('denoise').reply(denoised(31));
    studio.set({ engine: 'webgpu' });
    await idle();
    expect(studio.stale).toBe(true);
    await worker.last('denoise').reply({ ...denoised(32), engine: onGpu });
    expect(worker.all('denoise').map(({ ask }) => ask.engine)).toEqual(['wasm', 'auto', 'webgpu']);
    expect(studio.engine).toEqual(onGpu);
  });

  it('restores again what is restored', async () => {
    const { studio, worker } = await openPage({ tab: 'restore', restore: 'upscale' });
    void studio.restoreImage();
    await idle();
    await worker.last('restore').reply(restored(31));
    studio.set({ engine: 'webgpu' });
    await idle();
    expect(studio.stale).toBe(true);
    await worker.last('restore').reply({ ...restored(32), engine: onGpu });
    expect(worker.all('restore').map(({ ask }) => ask.engine)).toEqual(['auto', 'webgpu']);
    expect(studio.engine).toEqual(onGpu);
  });
});

describe('the engines of this machine', () => {
  it('are looked for once, when they are asked for', async () => {
    const { studio, worker } = await solvedPage();
    expect(worker.all('engines')).toHaveLength(0);
    const states = [{ name: 'webgpu', available: false, reason: 'no adapter was found' }] as const;
    void studio.machine.findEngines();
    await worker.last('engines').reply(states);
    await studio.machine.findEngines();
    expect([studio.machine.engines, worker.all('engines').length]).toEqual([states, 1]);
  });
});
