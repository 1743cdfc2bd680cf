import { describe, expect, inject, it } from 'vitest';
import { entryPoint, Gpu, nameOf } from '../../src/engines/webgpu/gpu.js';
import { EngineFailure } from '../../src/errors.js';

const doubling = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
${entryPoint(64)}
  let i = group * 64u + me;
  if (i < arrayLength(&x)) { x[i] = 2.0 * x[i]; }
}`;

describe.skipIf(inject('withoutGpu') !== '')('a GPU', () => {
  it('runs a kernel in more workgroups than one dimension has, and gives the result back', async () => {
    const gpu = await Gpu.open();
    const scope = gpu.scope();
    const numbers = Float32Array.from({ length: 64 * 70_000 }, (_, i) => i % 1000);
    const x = await gpu.allocated(() => scope.bufferOf(numbers));
    const kernel = await gpu.kernel(doubling, 'doubling');
    gpu.batch().run(kernel, kernel.bind({ x }), 70_000).submit();
    const twice = new Float32Array(await gpu.read(x));
    expect(twice.every((value, i) => value === 2 * numbers[i])).toBe(true);
    scope.dispose();
    gpu.dispose();
  });

  it('binds buffers by the names that the shader declares, and refuses others', async () => {
    const gpu = await Gpu.open();
    const scope = gpu.scope();
    const kernel = await gpu.kernel(doubling, 'doubling');
    expect(() => kernel.bind({})).toThrow('the shader "doubling" needs a buffer for x');
    expect(() => kernel.bind({ x: scope.buffer(16), y: scope.buffer(16) })).toThrow('"doubling" has no variable "y"');
    expect(gpu.failure).toBeUndefined();
    scope.dispose();
    gpu.dispose();
  });

  it('names a shader that does not compile, and goes on', async () => {
    const gpu = await Gpu.open();
    await expect(gpu.kernel('fn main( {', 'broken')).rejects.toThrow(
      /the shader "broken" does not compile: .*expected/,
    );
    expect(gpu.failure).toBeUndefined();
    await expect(gpu.kernel(doubling, 'doubling')).resolves.toBeDefined();
    gpu.dispose();
  });

  it('says that memory ran out, and goes on', async () => {
    const gpu = await Gpu.open({ limits: { maxBufferSize: 2 ** 28 } });
    await expect(gpu.allocated(() => gpu.scope().buffer(2 ** 29))).rejects.toThrow(/too little memory/);
    expect(gpu.failure).toBeUndefined();
    gpu.dispose();
  });

  it('ends every wait when the device is lost or used wrongly', async () => {
    const lost = await Gpu.open();
    const waiting = lost.read(lost.scope().buffer(2 ** 20));
    lost.dispose();
    await expect(waiting).rejects.toThrow(EngineFailure);
    await expect(lost.done()).rejects.toThrow(/lost/);
    const wrong = await Gpu.open();
    wrong.batch().copy(wrong.scope().buffer(16), 0, wrong.scope().buffer(16), 0, 64).submit();
    await expect(wrong.done()).rejects.toThrow(EngineFailure);
    wrong.dispose();
  });

  it('stops waiting when it is aborted', async () => {
    const gpu = await Gpu.open();
    const stop = new AbortController();
    const waiting = gpu.done(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    gpu.dispose();
  });

  it('has the limits that are forced down', async () => {
    const gpu = await Gpu.open({ limits: { maxStorageBufferBindingSize: 2 ** 27 }, subgroups: false });
    expect([gpu.limits.maxStorageBufferBindingSize, gpu.lanes]).toEqual([2 ** 27, undefined]);
    gpu.dispose();
  });

  it.runIf(inject('swiftShader'))(
    'says that it is a software adapter, and how many lanes its subgroups have',
    async () => {
      const gpu = await Gpu.open();
      expect(gpu).toMatchObject({ software: true, name: expect.stringContaining('SwiftShader'), lanes: 4 });
      gpu.dispose();
    },
  );
});

describe('the name of an adapter', () => {
  const nothing = { vendor: '', architecture: '', device: '', description: '' };
  it.each([
    [
      'nvidia h200 (driver NVIDIA: 580.159.04)',
      { vendor: 'nvidia', architecture: 'hopper', device: 'nvidia-h200', description: 'NVIDIA: 580.159.04' },
    ],
    ['swiftshader device subzero', { device: 'swiftshader-device-subzero-' }],
    ['nvidia hopper', { vendor: 'nvidia', architecture: 'hopper', device: '0x2335' }],
    ['NVIDIA H200', { vendor: 'nvidia', architecture: 'hopper', device: '0x2335', description: 'NVIDIA H200' }],
    ['apple', { vendor: 'apple' }],
    ['unnamed adapter', {}],
  ])('is "%s" if the host says so', (name, details) => {
    expect(nameOf({ ...nothing, ...details })).toBe(name);
  });
});
