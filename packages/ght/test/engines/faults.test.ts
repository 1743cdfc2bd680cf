/** What may happen to the wasm engine: threads that die, and memory that is not to be had. */
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { abilities, wasmEngine } from '../../src/engines/wasm/wasm.js';
import { denoise, isParameterError, overcompleteDct, randomSource, represent, solve } from '../../src/index.js';
import { signalsIn } from '../../src/signal/signals.js';
import { noisy, picture } from '../pictures.js';

const D = overcompleteDct(8, 10);
const { normal } = randomSource(2);
const Y = Float64Array.from({ length: D.N * 12_000 }, () => 100 + 30 * normal());
const endless = { threads: 3, tolerance: 0, maxIterations: 1e6 } as const;

afterEach(() => vi.restoreAllMocks());

/** The threads that are told something from now on. */
function threadsTold(): Set<Worker> {
  const told = new Set<Worker>();
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
    told.add(this);
    return post.apply(this, message as Parameters<typeof post>);
  });
  return told;
}

/** Runs without end, has `strike` happen to it once it is under way, and gives the error it ends with. */
async function strickenRun(strike: (threads: Worker[]) => void): Promise<Error> {
  const told = threadsTold();
  let struck = false;
  const onProgress = ({ k }: { k?: number }) => {
    if (struck || (k ?? 0) < 2) return;
    struck = true;
    strike([...told]);
  };
  return solve(D, Y, { ...endless, onProgress }).then(
    () => new Error('the run ended as if nothing had happened'),
    (error) => error,
  );
}

describe('a worker thread', () => {
  it('that is terminated ends the run with an error that says so, and the next run has others', async () => {
    const error = await strickenRun(([first]) => void first.terminate());
    expect(error.message).toBe('a worker thread ended unexpectedly (exit code 1)');
    const next = await solve(D, Y, { threads: 3, maxIterations: 3 });
    expect(next).toMatchObject({ iterations: 3, engine: { name: 'wasm', threads: 3 } });
    expect(next.nonzeros).toBe((await solve(D, Y, { threads: 1, maxIterations: 3 })).nonzeros);
  });

  it('all of them at once, the same', async () => {
    const error = await strickenRun((threads) => {
      for (const thread of threads) void thread.terminate();
    });
    expect(error.message).toContain('a worker thread ended unexpectedly');
    expect((await solve(D, Y, { threads: 3, maxIterations: 2 })).iterations).toBe(2);
  });

  it('that throws outside of any job ends the run too', async () => {
    const error = await strickenRun(([first]) => first.emit('error', new Error('out of luck')));
    // It may have been at work, or about to be asked.
    expect(error.message).toMatch(/^a worker thread (failed: out of luck|had ended)$/);
    expect((await solve(D, Y, { threads: 3, maxIterations: 2 })).iterations).toBe(2);
  });

  it('that dies between two runs is not taken for the second', async () => {
    const told = threadsTold();
    await solve(D, Y, { threads: 2, maxIterations: 1 });
    await Promise.all([...told].map((thread) => thread.terminate()));
    expect((await solve(D, Y, { threads: 2, maxIterations: 1 })).iterations).toBe(1);
  });

  it('of a denoiser that is terminated, the same', async () => {
    const told = threadsTold();
    const image = noisy(picture(160, 120), 20);
    let struck = false;
    const onProgress = ({ fraction }: { fraction: number }) => {
      if (struck || fraction === 0) return;
      struck = true;
      for (const thread of told) void thread.terminate();
    };
    await expect(denoise(image, { sigma: 20, threads: 2, quality: 'best', onProgress })).rejects.toThrow(
      /a worker thread (ended unexpectedly|had ended)/,
    );
    expect((await denoise(image, { sigma: 20, threads: 2, quality: 'fast' })).engine.threads).toBe(2);
  });
});

describe('memory that is not to be had', () => {
  const image = noisy(picture(256, 200), 20);
  const tasks = [
    ['represent', () => represent(image, { engine: 'wasm' })],
    ['represent on threads', () => represent(image, { engine: 'wasm', threads: 2 })],
    ['denoise', () => denoise(image, { sigma: 20, engine: 'wasm' })],
  ] as const;

  it.each(tasks)('while it grows, %s', async (_, task) => {
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
    });
    const error = await task().catch((reason: unknown) => reason);
    expect(isParameterError(error) && error.message).toMatch(
      /^the problem must fit in the 4 GiB of one WebAssembly memory, and in what this machine has free, but got "0\.\d GiB"/,
    );
    expect(grow).toHaveBeenCalled();
    grow.mockRestore();
    expect(await task()).toBeDefined();
  });

  it('in the middle of a run leaves the threads to the next', async () => {
    const loaded = await wasmEngine(abilities(), 2).load(D, signalsIn(Y, D.N));
    loaded.reset();
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('out of memory');
    });
    await expect(loaded.qpm(D.L * 5000, 0.5)).rejects.toThrow('must fit in the 4 GiB');
    loaded.dispose();
    grow.mockRestore();
    expect((await solve(D, Y, { threads: 2, maxIterations: 2 })).iterations).toBe(2);
  });

  it.each(tasks)('from the start, %s', async (_, task) => {
    vi.stubGlobal('WebAssembly', {
      ...Object.fromEntries(
        Object.getOwnPropertyNames(WebAssembly).map((name) => [name, Reflect.get(WebAssembly, name)]),
      ),
      Memory: class {
        constructor() {
          throw new RangeError('WebAssembly.Memory(): could not allocate memory');
        }
      },
    });
    const error = await task()
      .catch((reason: unknown) => reason)
      .finally(() => vi.unstubAllGlobals());
    expect(isParameterError(error) && error.message).toBe(
      'the problem must get a WebAssembly memory, for which hosts reserve about 10 GiB of addresses, but got ' +
        '"WebAssembly.Memory(): could not allocate memory": raise the limit on virtual memory, or use the engine ' +
        'portable or reference',
    );
    expect(await task()).toBeDefined();
  });
});
