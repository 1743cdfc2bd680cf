/** Buffers that are kept for the next work of the same size. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BufferPool } from '../../src/engines/webgpu/buffer-pool.js';

const freed: number[] = [];
/** A device whose buffers note that they are freed. */
const device = {
  createBuffer: ({ size, usage }: GPUBufferDescriptor) => ({ size, usage, destroy: () => freed.push(size) }),
} as unknown as GPUDevice;
const [STORAGE, UNIFORM] = [0x80, 0x40];

beforeEach(() => {
  freed.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

it('gives a buffer of the same size and use again, once', () => {
  const pool = new BufferPool(device);
  const buffer = pool.take(64, STORAGE);
  pool.keep(buffer);
  expect(pool.take(32, STORAGE)).not.toBe(buffer);
  expect(pool.take(64, UNIFORM)).not.toBe(buffer);
  expect(pool.take(64, STORAGE)).toBe(buffer);
  expect(pool.take(64, STORAGE)).not.toBe(buffer);
  expect(freed).toEqual([]);
});

it('keeps at most 512 MiB, those that were used last', () => {
  const pool = new BufferPool(device);
  for (const size of [2 ** 28, 2 ** 27, 2 ** 28]) pool.keep(pool.take(size, STORAGE));
  // The third is the first one again, which is now the one that was used last.
  expect(freed).toEqual([]);
  pool.keep(device.createBuffer({ size: 2 ** 28, usage: UNIFORM }));
  expect(freed).toEqual([2 ** 27]);
});

it('frees all after five seconds without use', () => {
  const pool = new BufferPool(device);
  pool.keep(pool.take(64, STORAGE));
  vi.advanceTimersByTime(4_000);
  pool.keep(pool.take(64, STORAGE));
  vi.advanceTimersByTime(4_000);
  expect(freed).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(freed).toEqual([64]);
});
