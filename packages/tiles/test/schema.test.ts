/** Nonsense in a message is refused before any work. */
import { type Image, isGhtError } from 'ght';
import { accepted, type Data, isMessageError, listOf, number, options, record, text, whole } from 'ght/check';
import type { Perform } from 'ght/plans';
import { describe, expect, it } from 'vitest';
import { denoiseTask } from '../src/denoise-task.js';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';
import type { Places, TiledTask } from '../src/plan.js';
import { representTask } from '../src/represent-task.js';
import { restoreTask } from '../src/restore-task.js';

const image: Image = {
  width: 64,
  height: 48,
  planes: [Uint8Array.from({ length: 64 * 48 }, (_, i) => (i * 37) % 256)],
  peak: 255,
};

/** Places that count what is read and written. */
function countingPlaces(): { places: Places; used: string[] } {
  const used: string[] = [];
  const source = memorySource(image);
  const sink = memorySink(pictureOf(image), { width: 16, height: 16 });
  const scratch = memoryScratch();
  const read: typeof source.read = (at) => {
    used.push('read');
    return source.read(at);
  };
  const write: typeof sink.write = (at, planes) => {
    used.push('write');
    return sink.write(at, planes);
  };
  const places: Places = {
    source: async () => ({ ...source, read }),
    sink: async () => ({ ...sink, write }),
    scratch: async () => scratch,
  };
  return { places, used };
}

/** The argument that a task sends to a pass. */
async function argumentOf<Request, Context, Result>(
  task: TiledTask<Request, Context, Result>,
  request: Request,
  wanted: string,
) {
  const { places } = countingPlaces();
  const context = await task.open(request, places);
  let found: unknown;
  const perform: Perform<Context> = async (pass, argument, { parts, name = pass.name }) => {
    if (name === wanted) found = argument;
    const answers = [];
    for (let part = 0; part < parts; part++) answers.push(await pass.work(context, { part, argument }));
    return answers;
  };
  await task.plan.run(context, perform);
  if (found === undefined) throw new Error(`there is no pass ${wanted}`);
  return found as { readonly [key: string]: Data };
}

/** The error of work on a part, which must have touched no sample. */
async function refused<Request, Context, Result>(
  task: TiledTask<Request, Context, Result>,
  pass: string,
  request: Data,
  argument: Data,
  part = 0,
) {
  const { places, used } = countingPlaces();
  const error = await task.work(pass, request, { part, argument }, places).then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  );
  expect([pass, isMessageError(error) || isGhtError(error, 'option'), error.message]).toEqual([
    pass,
    true,
    error.message,
  ]);
  expect(error.message).not.toContain('\n');
  expect(error.message.length).toBeLessThan(400);
  expect(used).toEqual([]);
  return error.message;
}

describe('denoising', () => {
  const task = denoiseTask();
  const request = { input: 'in', output: 'out', options: { sigma: 10, quality: 'fast' as const }, tile: 16 };

  it('refuses tiles of no size, of negative size, of parts of chunks, and of other types', async () => {
    const argument = await argumentOf(task, request, 'denoise');
    const attempt = (step: Data) => refused(task, 'denoise', request, { ...argument, step });
    const zero = await attempt({ width: 0, height: 0 });
    expect(zero).toMatch(/^argument\.step\.width must be a whole number from 1 to \d+, but got 0: /);
    for (const step of [
      { width: -16, height: 16 },
      { width: 16 },
      { width: 1.5, height: 16 },
      null,
      'x',
      [16, 16],
      16,
    ]) {
      await attempt(step);
    }
    expect(await attempt({ width: Number.NaN, height: 16 })).toContain('but got NaN');
    expect(await attempt({ width: 8, height: 8 })).toContain('argument.step must be whole chunks of the output');
  });

  it.each(['worker', 'weights'])(
    'refuses the option %s: a message names no script and no file of this machine',
    async (name) => {
      const options = { ...request.options, [name]: 'data:text/javascript,process.exit(1)' };
      const message = await refused(task, 'range', { ...request, options }, null);
      expect(message).toMatch(`request.options.${name} must be left out, but got`);
    },
  );

  it('refuses tiles that the image does not have', async () => {
    const argument = await argumentOf(task, request, 'denoise');
    for (const tile of [-1, 12, 0.5, Number.NaN, 2 ** 40]) {
      expect(await refused(task, 'denoise', request, argument, tile)).toMatch(
        /^tile must be the number of a tile of the image/,
      );
    }
    await refused(task, 'range', request, null, 1);
    const measured = await argumentOf(task, request, 'extents');
    await refused(task, 'extents', request, measured, -1);
  });

  it('refuses what no pass has sent', async () => {
    const argument = await argumentOf(task, request, 'denoise');
    const { known } = argument as { known: { [key: string]: Data } };
    const wrong: Data[] = [
      null,
      [],
      'x'.repeat(100_000),
      { ...argument, known: null },
      { ...argument, known: { ...known, estimate: { model: { kind: 'purple' } } } },
      { ...argument, known: { ...known, estimate: { model: { kind: 'white', sigma: ['1'] }, confidence: 1 } } },
      { ...argument, framed: { frame: { centres: 3 }, noisy: [] } },
      { ...argument, changed: 'yes' },
      { ...argument, coarse: { step: { width: 0, height: 0 } } },
    ];
    for (const each of wrong) await refused(task, 'denoise', request, each);
    for (const work of ['estimate', 'coarse-extents', 'coarse', 'reestimate', 'extents']) {
      await refused(task, work, request, { range: 1 });
    }
  });

  it.each<[string, Data]>([
    ['request must be an object', null],
    ['request.input must be a text', { output: 'out' }],
    ['request.input must have at most 4096 characters', { input: 'x'.repeat(1e6), output: 'out' }],
    ['request.tile must be a whole number from 1', { ...request, tile: 0 }],
    ['request.sampled must be a whole number from 1', { ...request, sampled: -3 }],
    ['request.options must be an object', { ...request, options: [1] }],
    ['request.options.quality must have at most 4096', { ...request, options: { quality: 'x'.repeat(5000) } }],
  ])('%s', async (message, data) => {
    expect(await refused(task, 'range', data, null)).toContain(message);
  });
});

describe('restoring', () => {
  const task = restoreTask();
  const kernel = { width: 1, height: 1, data: [1] };
  const request = {
    ...{ input: 'in', output: 'out', tile: 16 },
    task: 'deblur' as const,
    ...{ kernel, options: { sigma: 10, quality: 'fast' as const } },
  };

  it('refuses arguments and parts that are none', async () => {
    const prior = await argumentOf(task, request, 'prior-1');
    const { known } = prior as { known: { [key: string]: Data } };
    const attempt = (argument: Data, part = 0) => refused(task, 'prior', request, argument, part);
    expect(await attempt({ ...prior, part: { width: 8, height: 8 } })).toContain('must be whole chunks of planes');
    for (const part of [-1, 12, 0.5]) expect(await attempt(prior, part)).toMatch(/^tile must be the number of a tile/);
    await attempt({ ...prior, known: { ...known, unit: 0 } });
    await attempt({ ...prior, known: { ...known, picture: { width: 0, height: 1 } } });
    await attempt({ ...prior, framed: { frame: { centres: 3 }, noisy: [] } });
    for (const work of ['data', 'prior', 'result']) await refused(task, work, request, { known });
    await refused(task, 'read', request, { known });
    await refused(task, 'start', request, null);
    for (const reduction of [
      { kind: 'box', confidence: 1 },
      { kind: 'gaussian', width: 0, confidence: 1 },
    ]) {
      await refused(task, 'start', request, { known: { ...known, found: { sigma: 0, reduction } } });
    }
  });

  it.each<[string, Data]>([
    ['request.task must be one of inpaint, deblur, upscale', { ...request, task: 'restore' }],
    ['request.kernel must be an object', { ...request, kernel: 'disk' }],
    ['request.kernel.data[0] must be a number', { ...request, kernel: { ...kernel, data: ['1'] } }],
    ['request.factor must be a finite number', { ...request, task: 'upscale', factor: '2' }],
    ['request.mask must be a text', { ...request, task: 'inpaint', mask: 3 }],
  ])('%s', async (message, data) => {
    expect(await refused(task, 'read', data, null)).toContain(message);
  });
});

describe('representing', () => {
  const task = representTask();
  const request = { input: 'in', output: 'out', options: { budget: { perPatch: 2 } }, tile: 32 };

  it('refuses arguments and tiles that are none', async () => {
    const argument = await argumentOf(task, request, 'commit');
    await refused(task, 'commit', request, { ...argument, threshold: new Float64Array(0) });
    await refused(task, 'commit', request, { ...argument, range: Float64Array.of(0, 255) });
    await refused(task, 'commit', request, { ...argument, range: Float64Array.of(Number.NaN, 255) });
    await refused(task, 'commit', request, { ...argument, prices: [1, 2, 3, 4, 5] });
    await refused(task, 'commit', request, { ...argument, ties: -1 });
    await refused(task, 'rank', request, { ...argument, prefix: [-1] });
    await refused(task, 'follow', request, argument, 10_000);
    await refused(task, 'picture', request, { range: argument.range }, 10_000);
    await refused(task, 'range', request, null, 10_000);
    for (const work of ['bracket', 'follow', 'rank', 'commit', 'solve', 'picture'])
      await refused(task, work, request, null);
    expect(await refused(task, 'range', { ...request, peak: 0 }, null)).toContain('request.peak must be above 0');
  });
});

describe('a check', () => {
  it('passes on the value itself, with further fields', () => {
    const value = { a: 1, more: 2 };
    expect(record<{ a: number }>({ a: number })(value, 'x')).toBe(value);
  });

  it('takes no field from a prototype', () => {
    expect(() => record<{ constructor: unknown }>({ constructor: text() })({}, 'x')).toThrow('x.constructor');
  });

  it('says undefined for what can be computed again', () => {
    expect(accepted(listOf(whole()), [1, -1])).toBeUndefined();
    expect(accepted(listOf(whole()), [1, 2])).toEqual([1, 2]);
  });

  it('limits number and depth of options', () => {
    let deep: Data = 1;
    for (let i = 0; i < 100; i++) deep = { deep };
    expect(() => options(deep, 'options')).toThrow('nested at most');
    expect(() => options({ many: new Array(200_000).fill(0) }, 'options')).toThrow('at most 100000 values');
    expect(options({ weights: new Float64Array(200_000) }, 'options')).toBeDefined();
  });
});
