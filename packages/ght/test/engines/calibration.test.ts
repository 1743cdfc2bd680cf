/** The trial of a GPU next to the CPU, with engines that take as long as is said here, by a clock that they move. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compare } from '../../src/engines/calibration.js';
import type { Engine, Loaded, LoadedDenoiser } from '../../src/engines/engine.js';
import { engines } from '../../src/engines/engines.js';
import { EngineFailure } from '../../src/errors.js';

let clock = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What an engine takes, in milliseconds. */
interface Costs {
  /** Per call, such as a round trip to a GPU. */
  readonly call: number;
  readonly iteration: number;
  readonly megapixel: number;
  /** Iterations per call. @default one, as on the CPU */
  readonly batch?: number;
}

const report = { rmse: 1, threshold: 1, kept: 1 };

/** An engine with these costs, and ten seconds more for its first call. */
function engineOf(base: Engine, { call, iteration, megapixel, batch }: Costs): Engine {
  let compiling = 10_000;
  const spend = (ms: number) => {
    clock += call + ms + compiling;
    compiling = 0;
  };
  const iterate = async () => {
    spend(iteration);
    return report;
  };
  const iterations = async () => {
    spend((batch ?? 1) * iteration);
    return Array.from({ length: batch ?? 1 }, () => report);
  };
  const steps = batch === undefined ? { iterate } : { iterate, iterations };
  return {
    ...base,
    probe: async () => ({ available: true, offers: 'a trial' }),
    load: async () => ({ ...steps, reset: () => {}, dispose: () => {} }) as unknown as Loaded,
    denoiser: async () =>
      ({
        run: async ({ width, height }: { width: number; height: number }) => {
          spend(1e-6 * width * height * megapixel);
          return [];
        },
      }) as unknown as LoadedDenoiser,
  };
}

const cpu = engineOf(engines.wasm, { call: 0.1, iteration: 4, megapixel: 1000 });

describe('the trial of a GPU', () => {
  it('compares the work of batches, neither their round trips nor the first call', async () => {
    // An iteration by itself would take the GPU 5.5 ms.
    const gpu = engineOf(engines.webgpu, { call: 5, iteration: 0.5, megapixel: 20, batch: 10 });
    expect(await compare(gpu, cpu, 'solve')).toBeUndefined();
  });

  it('denoises a picture that is large enough for a GPU with slow calls', async () => {
    const gpu = engineOf(engines.webgpu, { call: 40, iteration: 1, megapixel: 20 });
    expect(await compare(gpu, cpu, 'denoise')).toBeUndefined();
  });

  it('gives the numbers of a GPU that is not faster', async () => {
    const gpu = engineOf(engines.webgpu, { call: 0, iteration: 4, megapixel: 900, batch: 10 });
    const [gpuMs, cpuMs] = [expect.closeTo(4, 1), expect.closeTo(4.1, 1)];
    expect(await compare(gpu, cpu, 'solve')).toEqual({ kind: 'slower', gpuMs, cpuMs, patches: 65536 });
    const denoising = await compare(gpu, cpu, 'denoise');
    expect(denoising).toEqual({ kind: 'slower', gpuMs: expect.closeTo(900, 1), cpuMs: expect.closeTo(1005, -1) });
  });

  it('ends soon on a slow engine', async () => {
    const slow = { call: 0, iteration: 20, megapixel: 4000, batch: 10 };
    for (const kind of ['solve', 'denoise'] as const) {
      const start = clock;
      await compare(engineOf(engines.webgpu, slow), engineOf(engines.wasm, slow), kind);
      // The first call of each engine takes ten seconds more.
      expect(clock - start - 20_000).toBeLessThan(1000);
    }
  });

  it('gives the reason of a GPU that fails, and of one in software', async () => {
    const failing: Engine = {
      ...cpu,
      load: () => Promise.reject(new EngineFailure('the device was lost')),
    };
    expect(await compare(failing, cpu, 'solve')).toEqual({ kind: 'unavailable', message: 'the device was lost' });
    const software: Engine = {
      ...cpu,
      probe: async () => ({ available: true, adapter: { name: 'a test', bindingBytes: 2 ** 27, software: true } }),
    };
    expect(await compare(software, cpu, 'solve')).toEqual({ kind: 'software-adapter' });
  });
});
