/** The kinds of errors, in the situations in which a program encounters them. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as ght from '../src/browser.js';
import { resolveSolveOptions } from '../src/pipelines/solve/options.js';
import { solveProblem } from '../src/pipelines/solve/solve.js';
import { picture } from './pictures.js';

const guards = {
  option: (error: unknown) => ght.isGhtError(error, 'option'),
  input: (error: unknown) => ght.isGhtError(error, 'input'),
  resource: (error: unknown) => ght.isGhtError(error, 'resource'),
  environment: (error: unknown) => ght.isGhtError(error, 'environment'),
} as const;
const names = {
  option: 'OptionError',
  input: 'InputError',
  resource: 'ResourceError',
  environment: 'EnvironmentError',
} as const;
const image = picture(64, 48);

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The error that a call ends with. */
async function failure(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

/** The guards that accept an error. */
function kindsOf(error: unknown): string[] {
  return Object.entries(guards).flatMap(([kind, guard]) => (guard(error) ? [kind] : []));
}

/** Checks that a failure is of one kind and that its message has all parts; returns it. */
async function failureOf(kind: ght.ErrorKind, act: () => unknown): Promise<ght.GhtError> {
  const error = await failure(act);
  expect(kindsOf(error)).toEqual([kind]);
  expect(error).toMatchObject({ kind, name: names[kind] });
  if (!ght.isGhtError(error)) throw error;
  const { message, parameter, rule, remedy } = error;
  expect(message.startsWith(`${parameter} ${rule}, but got `)).toBe(true);
  expect(message.endsWith(`: ${remedy}`)).toBe(true);
  return error;
}

describe('an OptionError', () => {
  it('for an unknown name suggests the option that was meant, or lists them all', async () => {
    const misspelt = await failure(() => ght.denoise(image, { sgima: 5 } as object));
    expect(kindsOf(misspelt)).toEqual(['option']);
    expect(misspelt).toMatchObject({ parameter: 'sgima', message: 'unknown option sgima; did you mean sigma?' });
    const strange = await failure(() => ght.denoise(image, { colour: 5 } as object));
    expect(strange).toMatchObject({
      message: expect.stringMatching(/^unknown option colour; the options are sigma, /),
    });
  });

  it.each([
    ['a number out of range', () => ght.represent(image, { patch: 99 }), 'patch', 99],
    ['options that exclude each other', () => ght.represent(image, { solver: 'omp', rho: 1 }), 'rho', 1],
    [
      'an unknown engine',
      () => ght.estimateMemory('represent', { width: 8, height: 8, channels: 1 }, { engine: 'gpu' as 'wasm' }),
      'engine',
      'gpu',
    ],
  ])('for %s', async (_, act, parameter, value) => {
    const error = await failureOf('option', act);
    expect(error).toMatchObject({ parameter, value });
    expect(error).not.toHaveProperty('cause');
  });
});

describe('an InputError', () => {
  const broken = { ...image, planes: [image.planes[0].with(70, Number.NaN)] };
  const D = ght.overcompleteDct(4);

  it.each([
    ['NaN in an image', () => ght.denoise(broken), 'image pixel (x 6, y 1, channel 0)', Number.NaN],
    ['the peak of an image', () => ght.represent({ ...image, peak: 0 }), 'image.peak', 0],
    ['a dictionary of another size', () => ght.represent(image, { dictionary: D }), 'dictionary', `${D.N}×${D.L}`],
    ['signals of another length', () => ght.solve(D, new Float64Array(D.N + 1)), 'Y', `${D.N + 1} samples`],
    ['a file of another format', () => ght.readNpy(Uint8Array.of(1, 2, 3)), 'array', '01 02 03'],
  ])('for %s', async (_, act, parameter, value) => {
    expect(await failureOf('input', act)).toMatchObject({ parameter, value });
  });

  it('for a damaged archive, with the error of the decoder as its cause', async () => {
    const file = await ght.saveCodes(ght.codesFromDense(Float64Array.of(1, 0, 2, 3), 2, 2));
    // The first packed byte comes after a header of 30 bytes, a name and an extra field; 7 is not a block type of deflate.
    const damaged = file.with(30 + file[26] + file[28], 7);
    const { cause, rule } = await failureOf('input', () => ght.loadCodes(damaged));
    expect(rule).toBe('must be intact deflate data');
    expect(cause).toBeInstanceOf(Error);
    expect(kindsOf(cause)).toEqual([]);
  });
});

describe('a ResourceError', () => {
  it('for a WebAssembly memory that cannot grow, with the error of the host as its cause', async () => {
    const refusal = new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
    vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw refusal;
    });
    const large = picture(256, 200);
    const error = await failureOf('resource', () => ght.represent(large, { engine: 'wasm' }));
    expect(error.parameter).toBe('the problem');
    expect(error.cause).toBe(refusal);
  });
});

it('a ResourceError for more nonzeros than codes can count, before anything is computed', async () => {
  // Codes with 2³¹ entries need 26 GB, so the signals are not there either.
  const Y = { N: 64, P: 3e8, read: () => expect.unreachable('signals are not read') };
  const settings = resolveSolveOptions({ budget: { perPatch: 8 } });
  const problem = { D: ght.overcompleteDct(8, 10), Y, peak: 255, most: 255, budget: { perPatch: 8 }, settings };
  const error = await failureOf('resource', () => solveProblem(problem));
  expect(error).toMatchObject({ parameter: 'budget', value: 2400000000 });
});

describe('an EnvironmentError', () => {
  /** What a process prints that loads the library on a host whose WebAssembly has another part. */
  function onHost(part: string): {
    asked: { name: string; kind: string; parameter: string; rule: string }[];
    usual: string;
  } {
    const library = new URL('../src/index.js', import.meta.url).href.replace('/src/', '/dist/');
    const program = `
      Object.assign(WebAssembly, { ${part} });
      const { represent, denoise, isGhtError } = await import('${library}');
      const image = { width: 24, height: 16, planes: [Float64Array.from({ length: 384 }, (_, i) => (i * i) % 255)], peak: 255 };
      const asked = await Promise.all([represent, denoise].map((task) => task(image, { engine: 'wasm' }).then(
        () => 'nothing failed',
        (error) => isGhtError(error, 'environment') && { ...error },
      )));
      const usual = (await represent(image, { solver: 'qpm', maxIterations: 1 })).engine.name;
      console.log(JSON.stringify({ asked, usual }));`;
    const args = ['--input-type=module', '--eval', program];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  it.each([
    ['no SIMD', 'validate: () => false', /^cannot be wasm: this host has no WebAssembly SIMD$/],
    [
      'no memory for WebAssembly',
      "Memory: class { constructor() { throw new RangeError('no memory'); } }",
      /^cannot be wasm: this host gives no memory to WebAssembly/,
    ],
  ])('for a host with %s, if the engine is requested', (_, part, rule) => {
    const { asked, usual } = onHost(part);
    expect(asked).toHaveLength(2);
    for (const error of asked) {
      expect(error).toMatchObject({
        kind: 'environment',
        name: 'EnvironmentError',
        parameter: 'engine',
        value: 'wasm',
      });
      expect(error.rule).toMatch(rule);
    }
    expect(usual).toBe('portable');
  });
});

describe('none of them', () => {
  it('is an abort', async () => {
    const error = await failure(() => ght.represent(image, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(kindsOf(error)).toEqual([]);
    expect(ght.isGhtError(error)).toBe(false);
  });

  it('is an error thrown by a callback, which is passed on unchanged', async () => {
    const thrown = new Error('no more room on the screen');
    const onProgress = () => {
      throw thrown;
    };
    const error = await failure(() => ght.represent(image, { onProgress }));
    expect(error).toBe(thrown);
    expect(kindsOf(error)).toEqual([]);
    expect(ght.isGhtError(error)).toBe(false);
  });

  it('is an object with the fields of one', () => {
    const { parameter, rule, value, remedy, kind, name, message } = new ght.InputError('x', 'must be y', 1, 'do z');
    const alike = Object.assign(new Error(message), { parameter, rule, value, remedy, kind, name });
    expect(kindsOf(alike)).toEqual([]);
    expect(ght.isGhtError(alike)).toBe(false);
  });
});
