/** Failures of the wasm engine: threads that die, and memory that is not available. */
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recipeNames } from '../../src/denoisers/groups/recipes.js';
import { engines } from '../../src/engines/engines.js';
import { takeSpare } from '../../src/engines/wasm/run/spare-memory.js';
import { signalsIn } from '../../src/image/signals.js';
import { denoise, isGhtError, overcompleteDct, randomSource, represent, solve } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

const D = overcompleteDct(8, 10);
const { normal } = randomSource(2);
const Y = Float64Array.from({ length: D.N * 12_000 }, () => 100 + 30 * normal());
const endless = { threads: 3, tolerance: 0, maxIterations: 1e6 } as const;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The threads that receive a message from now on. */
function startedThreads(): Set<Worker> {
  const started = new Set<Worker>();
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
    started.add(this);
    return post.apply(this, message as Parameters<typeof post>);
  });
  return started;
}

/** Starts an endless run, applies `strike` once it is running, and returns the error it ends with. */
async function strickenRun(strike: (threads: Worker[]) => void): Promise<Error> {
  const started = startedThreads();
  let struck = false;
  const onProgress = ({ k }: { k?: number }) => {
    if (struck || (k ?? 0) < 2) return;
    struck = true;
    strike([...started]);
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

  it('reports the same when all are terminated at once', async () => {
    const error = await strickenRun((threads) => {
      for (const thread of threads) void thread.terminate();
    });
    expect(error.message).toContain('a worker thread ended unexpectedly');
    expect((await solve(D, Y, { threads: 3, maxIterations: 2 })).iterations).toBe(2);
  });

  it('that throws outside of any job ends the run too', async () => {
    const error = await strickenRun(([first]) => first.emit('error', new Error('out of luck')));
    // The thread may have been working, or about to be called.
    expect(error.message).toMatch(/^a worker thread (failed: out of luck|had ended)$/);
    expect((await solve(D, Y, { threads: 3, maxIterations: 2 })).iterations).toBe(2);
  });

  it('that dies between two runs is not used for the second', async () => {
    const started = startedThreads();
    await solve(D, Y, { threads: 2, maxIterations: 1 });
    await Promise.all([...started].map((thread) => thread.terminate()));
    expect((await solve(D, Y, { threads: 2, maxIterations: 1 })).iterations).toBe(1);
  });

  it('of a denoiser that is terminated does the same', async () => {
    const started = startedThreads();
    const image = noisy(picture(160, 120), 20);
    let struck = false;
    const onProgress = ({ pass }: { pass: string }) => {
      // No thread is at work while the noise is estimated.
      if (struck || started.size === 0 || pass === 'estimate') return;
      struck = true;
      for (const thread of started) void thread.terminate();
    };
    await expect(denoise(image, { sigma: 20, threads: 2, quality: 'best', onProgress })).rejects.toThrow(
      /a worker thread (ended unexpectedly|had ended)/,
    );
    expect((await denoise(image, { sigma: 20, threads: 2, quality: 'fast' })).engine.threads).toBe(2);
  });
});

describe('a listener', () => {
  it.each(recipeNames)('that throws while threads denoise ends that run, and no other: %s', async (quality) => {
    const image = noisy(picture(320, 240), 20);
    const onProgress = ({ fraction }: { fraction: number }) => {
      if (fraction > 0.1) throw new Error('mine');
    };
    const other = denoise(image, { sigma: 20, threads: 2, quality: 'fast' });
    await expect(denoise(image, { sigma: 20, threads: 2, quality, onProgress })).rejects.toThrow('mine');
    expect((await other).engine.threads).toBe(2);
  });
});

it('twenty runs that share a signal cause no warning, and all end with it', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on('warning', onWarning);
  const controller = new AbortController();
  const runs = Array.from({ length: 20 }, () => solve(D, Y, { ...endless, threads: 2, signal: controller.signal }));
  setTimeout(() => controller.abort(new Error('enough')), 300);
  const ends = await Promise.allSettled(runs);
  expect(ends.map((end) => end.status === 'rejected' && end.reason.message)).toEqual(Array(20).fill('enough'));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

describe('threads that cannot be started', () => {
  const image = noisy(picture(160, 120), 20);
  /** A system without resources for another thread: the worker ends with an error before it has sent a message. */
  const refuseThreads = () =>
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      this.emit('error', new Error('EAGAIN'));
      void this.terminate();
    });

  it.each([
    ['solve', async () => solve(D, Y, { threads: 2, maxIterations: 3 })],
    ['denoise', async () => denoise(image, { sigma: 20, threads: 2, quality: 'fast' })],
  ] as const)('are not needed: %s has the same result on one thread, and says why', async (_, task) => {
    const { engine: expectedEngine, ...expected } = await task();
    expect(expectedEngine.threads).toBe(2);
    const refused = refuseThreads();
    const { engine, ...result } = await task();
    expect(engine).toMatchObject({ name: 'wasm', threads: 1 });
    expect(engine.threadsReason).toEqual({ kind: 'failed', message: 'a worker thread failed: EAGAIN' });
    expect(timeless(result)).toEqual(timeless(expected));
    refused.mockRestore();
    expect((await task()).engine.threads).toBe(2);
  });

  it('are not counted as started while earlier ones take their time to end', async () => {
    const slow: Worker[] = [];
    vi.spyOn(Worker.prototype, 'terminate').mockImplementation(function (this: Worker) {
      slow.push(this);
      return Promise.resolve(0);
    });
    await strickenRun(([first]) => first.emit('error', new Error('out of luck')));
    expect(slow.length).toBeGreaterThan(1);
    vi.restoreAllMocks();
    refuseThreads();
    expect((await solve(D, Y, { threads: 2, maxIterations: 3 })).engine.threads).toBe(1);
    vi.restoreAllMocks();
    await Promise.all(slow.map((thread) => thread.terminate()));
  });
});

/** A result without the milliseconds in its history. */
function timeless(result: object): unknown {
  return JSON.parse(JSON.stringify(result, (key, value) => (key === 'ms' ? undefined : value)));
}

/** WebAssembly with another kind of memory. */
function stubMemory(Memory: unknown): void {
  const names = Object.getOwnPropertyNames(WebAssembly);
  const parts = Object.fromEntries(names.map((name) => [name, Reflect.get(WebAssembly, name)]));
  vi.stubGlobal('WebAssembly', { ...parts, Memory });
}

describe('memory that is not available', () => {
  // An earlier problem's memory would be used again.
  beforeEach(() => void takeSpare());

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
    expect(isGhtError(error, 'resource') && error.message).toMatch(
      /^the problem must fit in what this machine has free, and each part of it in the 4 GiB of a WebAssembly memory, but got "0\.\d GiB"/,
    );
    expect(grow).toHaveBeenCalled();
    grow.mockRestore();
    expect(await task()).toBeDefined();
  });

  it('in the middle of a run leaves the threads usable for the next', async () => {
    const loaded = await engines.wasm.load(D, signalsIn(Y, D.N), { threads: 2 });
    loaded.reset();
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('out of memory');
    });
    await expect(loaded.iterate('qpm', D.L * 5000, 0.5)).rejects.toThrow('must fit in what this machine has free');
    loaded.dispose();
    grow.mockRestore();
    expect((await solve(D, Y, { threads: 2, maxIterations: 2 })).iterations).toBe(2);
  });

  it('at the preferred size is reserved at a smaller one', async () => {
    const maxima: (number | undefined)[] = [];
    class Small extends WebAssembly.Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        maxima.push(descriptor.maximum);
        if ((descriptor.maximum ?? 0) > 2 ** 14) throw new RangeError('could not allocate memory');
        super(descriptor);
      }
    }
    stubMemory(Small);
    const { engine } = await represent(image, { engine: 'wasm', threads: 2, maxIterations: 2 });
    expect(engine).toMatchObject({ name: 'wasm', threads: 2 });
    expect(maxima).toEqual([2 ** 16, 2 ** 15, 2 ** 14]);
  });

  it.each(tasks)('from the start, %s', async (_, task) => {
    stubMemory(
      class {
        constructor() {
          throw new RangeError('WebAssembly.Memory(): could not allocate memory');
        }
      },
    );
    const error = await task()
      .catch((reason: unknown) => reason)
      .finally(() => vi.unstubAllGlobals());
    expect(isGhtError(error, 'resource') && error.message).toBe(
      'the problem must get a WebAssembly memory, for which hosts reserve up to 10 GiB of addresses, but got ' +
        '"WebAssembly.Memory(): could not allocate memory": raise the limit on virtual memory, or use the engine ' +
        'portable or reference',
    );
    expect((error as Error).cause).toBeInstanceOf(RangeError);
    expect(await task()).toBeDefined();
  });
});
