/** Which engine runs where there is a GPU, and what happens when it fails in the middle of a task. */
import './uncleared.js';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { chooseEngine, engines } from '../../src/engines/engines.js';
import { Gpu } from '../../src/engines/webgpu/gpu.js';
import { webgpuEngine } from '../../src/engines/webgpu/webgpu.js';
import { denoise, overcompleteDct, solve } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

const D = overcompleteDct(4, 6);
const Y = Float64Array.from({ length: 16 * 60 }, (_, i) => 100 * Math.sin(i * i) + (i % 7));
const options = { solver: 'qpm', budget: { perPatch: 3 }, tolerance: 0, maxIterations: 25, peak: 255 } as const;

/** The devices that were opened since the test began. */
const devices: GPUDevice[] = [];
let restore: (() => void) | undefined;

/** Remembers every device that is opened from now on, so that a test can lose it; the engine has none yet. */
function watchDevices(): void {
  Object.assign(engines, { webgpu: webgpuEngine() });
  const prototype = GPUAdapter.prototype;
  const { requestDevice } = prototype;
  prototype.requestDevice = async function (this: GPUAdapter, ...args: Parameters<typeof requestDevice>) {
    const device = await requestDevice.apply(this, args);
    devices.push(device);
    return device;
  };
  restore = () => {
    prototype.requestDevice = requestDevice;
  };
}

afterEach(() => {
  restore?.();
  devices.length = 0;
});

describe.skipIf(inject('withoutGpu') !== '')('a task where there is a GPU', () => {
  it('runs on it if that is asked for, and names the adapter', async () => {
    const { engine, rmse } = await solve(D, Y, { ...options, engine: 'webgpu' });
    const gpu = await Gpu.open();
    expect(engine).toMatchObject({ name: 'webgpu', adapter: { name: gpu.name } });
    gpu.dispose();
    expect(engine.fallbackReason).toBeUndefined();
    expect(rmse / (await solve(D, Y, { ...options, engine: 'reference' })).rmse).toBeCloseTo(1, 4);
  });

  it('runs solvers that the GPU leaves to the CPU there, and says so', async () => {
    const { engine } = await solve(D, Y, { solver: 'aiht', budget: { perPatch: 3 }, engine: 'webgpu' });
    expect(engine).toMatchObject({
      name: 'wasm',
      fallbackReason: { engine: 'webgpu', kind: 'solver', solver: 'aiht' },
    });
  });

  it.runIf(inject('swiftShader'))('is not given to a GPU in software by auto', async () => {
    const large = await chooseEngine('auto', { work: { kind: 'solve', seconds: 100 } });
    expect(large.engine.name).toBe('wasm');
    expect(large.fallbackReason).toEqual({ engine: 'webgpu', kind: 'software-adapter' });
  });

  it('is given to the GPU by auto if it is large and was faster in a trial, or else says why not', async () => {
    for (const kind of ['solve', 'denoise'] as const) {
      const { engine, fallbackReason } = await chooseEngine('auto', { work: { kind, seconds: 100 } });
      expect([engine.name, fallbackReason?.kind]).toEqual(
        engine.name === 'webgpu'
          ? ['webgpu', undefined]
          : ['wasm', expect.stringMatching(/^(software-adapter|slower)$/)],
      );
    }
  });

  it('stays on the CPU with auto if it is small, and nothing is said about the GPU', async () => {
    const small = await chooseEngine('auto', { work: { kind: 'denoise', seconds: 0.1 } });
    expect([small.engine.name, small.fallbackReason]).toEqual(['wasm', undefined]);
  });

  it('goes on on the CPU when the device is lost in the middle, and the next task opens another', async () => {
    watchDevices();
    let reported = 0;
    const lose = () => {
      if (++reported === 2) for (const device of devices) device.destroy();
    };
    const { engine, rmse } = await solve(D, Y, { ...options, engine: 'webgpu', onProgress: lose });
    expect(reported).toBeGreaterThan(2);
    expect(engine).toMatchObject({
      name: 'wasm',
      fallbackReason: { kind: 'failed', message: expect.stringContaining('lost') },
    });
    expect(rmse / (await solve(D, Y, { ...options, engine: 'wasm' })).rmse).toBe(1);
    const next = await solve(D, Y, { ...options, engine: 'webgpu' });
    expect(next.engine.name).toBe('webgpu');
    expect(devices).toHaveLength(2);
  });

  it('denoises on it, and on the CPU when the device is lost', async () => {
    watchDevices();
    const clean = picture(24, 24);
    const image = { ...clean, planes: noisy(clean, 15).planes };
    const settings = { sigma: 15, quality: 'fast', engine: 'webgpu' } as const;
    const onGpu = await denoise(image, settings);
    expect(onGpu.engine.name).toBe('webgpu');
    const onCpu = await denoise(image, { ...settings, engine: 'wasm' });
    onGpu.image.planes[0].forEach((value, i) => {
      expect(value).toBeCloseTo(onCpu.image.planes[0][i], 2);
    });
    const lost = await denoise(image, { ...settings, onProgress: () => devices.at(-1)?.destroy() });
    expect(lost.engine).toMatchObject({ name: 'wasm', fallbackReason: { engine: 'webgpu', kind: 'failed' } });
    expect(lost.image.planes).toEqual(onCpu.image.planes);
  });
});
