import { describe, expect, it } from 'vitest';
import { type Finished, finishedRuns, keyOf } from '../src/finished.js';
import type { NamedImage, Setting } from '../src/index.js';
import { findings } from './draw/sample.js';
import { memoryStore } from './store.js';

const samples = Float32Array.from({ length: 64 * 64 }, (_, i) => (i * 37) % 256);
const setting: Setting = {
  quick: true,
  seed: 1,
  images: [picture('a', samples)],
  collection: [picture('b', samples)],
  threads: 2,
};
const key = keyOf(setting, '0.1.0');
const result: Finished = { seconds: 3, data: findings.rho };

function picture(name: string, plane: Float32Array, width = 64): NamedImage {
  return { name, image: { width, height: plane.length / width, planes: [plane], peak: 255 }, source: 'made here' };
}

/** A store in which experiment `rho` is finished. */
async function keptStore() {
  const store = memoryStore();
  await finishedRuns(store, key).save('rho', result);
  return store;
}

describe('the results of an experiment', () => {
  it('are loaded unchanged', async () => {
    expect(await finishedRuns(await keptStore(), key).load('rho')).toEqual(result);
  });

  it('belong to that experiment only', async () => {
    const store = await keptStore();
    expect([...store.files.keys()]).toEqual(['experiments/rho.json']);
    expect(await finishedRuns(store, key).load('heatmap')).toBeUndefined();
  });

  it('can be removed without affecting the others', async () => {
    const store = await keptStore();
    const runs = finishedRuns(store, key);
    await runs.save('heatmap', { seconds: 1, data: findings.heatmap });
    await runs.remove('rho');
    expect(await runs.load('rho')).toBeUndefined();
    expect(await runs.load('heatmap')).toEqual({ seconds: 1, data: findings.heatmap });
  });

  it.each<[string, (text: string) => string]>([
    ['is cut short', (text) => text.slice(0, -100)],
    ['has another time', (text) => text.replace('"seconds":3', '"seconds":4')],
    ['has another finding', (text) => text.replace('"rmse":', '"rmse":1')],
    ['lacks the findings', (text) => JSON.stringify({ ...JSON.parse(text), data: undefined })],
    ['lacks the digest', (text) => JSON.stringify({ ...JSON.parse(text), digest: undefined })],
    ['is empty', () => ''],
    ['holds null', () => 'null'],
    ['holds JSON of something else', () => '{"name":"a package","version":"1.0.0"}'],
    ['is not JSON', () => '<html></html>'],
  ])('are not taken from a file that %s', async (_, change) => {
    const store = await keptStore();
    const text = String(store.files.get('experiments/rho.json'));
    expect(change(text)).not.toBe(text);
    store.files.set('experiments/rho.json', change(text));
    expect(await finishedRuns(store, key).load('rho')).toBeUndefined();
  });
});

describe('the key of a run', () => {
  it('is the same for the same setting, with any callbacks', () => {
    const watched = { ...setting, signal: new AbortController().signal, onProgress: () => {} };
    const copied = { ...watched, images: [picture('a', samples.slice())] };
    expect(keyOf(copied, '0.1.0')).toBe(key);
  });

  it.each<[string, Partial<Setting>, string?]>([
    ['another version', {}, '0.2.0'],
    ['another seed', { seed: 2 }],
    ['another number of threads', { threads: 1 }],
    ['full size', { quick: false }],
    ['an image of other samples', { images: [picture('a', samples.toReversed())] }],
    ['an image of another name', { images: [picture('c', samples)] }],
    ['an image of another shape', { images: [picture('a', samples, 32)] }],
    ['one more image', { images: [...setting.images, picture('c', samples)] }],
    ['another collection', { collection: [picture('b', samples.toReversed())] }],
  ])('differs with %s, so that its results are not reused', async (_, change, version = '0.1.0') => {
    const other = keyOf({ ...setting, ...change }, version);
    expect(await finishedRuns(await keptStore(), other).load('rho')).toBeUndefined();
  });
});
