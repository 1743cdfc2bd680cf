import { randomSource } from 'ght';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report, RunProgress, Setting } from '../src/index.js';
import { experiments, outputsOf, planRun } from '../src/index.js';
import { type MemoryStore, memoryStore } from './store.js';

/** The experiments that finish quickly on small images. */
const names = ['two-patches', 'close-up'] as const;
const version = '0.1.0';

/** Noise whose strength grows from left to right, so that patches differ. */
function setting(changes: Partial<Setting> = {}): Setting {
  const random = randomSource(1);
  const plane = Float32Array.from({ length: 64 * 64 }, (_, i) => 128 + random.normal() * (i % 64));
  const images = [{ name: 'a', image: { width: 64, height: 64, planes: [plane], peak: 255 }, source: 'made here' }];
  return { quick: true, seed: 1, images, collection: images, threads: 1, ...changes };
}

/** A complete run. */
const whole = { store: memoryStore(), seen: [] as RunProgress[], report: undefined as unknown as Report };
/** The files left by a run that was stopped during the second experiment. */
const left = memoryStore();

beforeAll(async () => {
  const planned = await planRun(names, setting(), { version, store: whole.store });
  expect(planned).toMatchObject({ kept: [], toRun: names });
  whole.report = await planned.run((progress) => whole.seen.push(progress));

  const controller = new AbortController();
  const stopped = await planRun(names, setting({ signal: controller.signal }), { version, store: left });
  const run = stopped.run(({ doing }) => {
    if (doing === 'close-up') controller.abort();
  });
  await expect(run).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
});

function copyOf({ files }: MemoryStore, others: Readonly<Record<string, string>> = {}): MemoryStore {
  return memoryStore({ ...Object.fromEntries([...files].map(([name, text]) => [name, String(text)])), ...others });
}

describe('a run', () => {
  it('reports on all its experiments and stores each of them', () => {
    const { store, report } = whole;
    expect(report).toMatchObject({
      version,
      quick: true,
      seed: 1,
      images: [{ name: 'a', source: 'made here', width: 64, height: 64 }],
      collection: [{ name: 'a', source: 'made here' }],
      engine: { threads: 1 },
      machine: { node: process.version },
    });
    expect(Object.keys(report.findings)).toEqual(names);
    expect(Object.keys(report.seconds)).toEqual(names);
    expect(report.verdicts.map(({ experiment }) => experiment)).toEqual(['two-patches', 'two-patches', 'close-up']);
    expect([...store.files.keys()]).toEqual(outputsOf(names).files.filter((name) => name.startsWith('experiments/')));
  });

  it('reports progress over all experiments, weighted by their estimated times', () => {
    const fractions = whole.seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect([...new Set(whole.seen.map(({ doing }) => doing))]).toEqual(names);
    const [first, second] = names.map((name) => experiments[name].seconds.quick);
    expect(fractions[0]).toBe(0);
    expect(whole.seen.find(({ doing }) => doing === 'close-up')?.fraction).toBeCloseTo(first / (first + second), 9);
    expect(fractions.at(-1)).toBeCloseTo(1, 9);
  });
});

describe('a run that was stopped', () => {
  it('has stored the finished experiments', () => {
    expect([...left.files.keys()]).toEqual(['experiments/two-patches.json']);
  });

  it('runs only the missing experiments when resumed, and gives the findings of a complete run', async () => {
    const store = copyOf(left);
    const planned = await planRun(names, setting(), { version, store, resume: true });
    expect(planned).toMatchObject({ kept: ['two-patches'], toRun: ['close-up'] });
    expect(planned.seconds).toBeGreaterThan(0);
    const seen: RunProgress[] = [];
    const report = await planned.run((progress) => seen.push(progress));
    expect([...new Set(seen.map(({ doing }) => doing))]).toEqual(['close-up']);
    expect(seen[0].fraction).toBe(0);
    expect(store.log).toEqual(['write experiments/close-up.json']);
    expect(report.findings).toEqual(whole.report.findings);
    expect(report.verdicts).toEqual(whole.report.verdicts);
    expect(Object.keys(report.findings)).toEqual(names);
  });

  it('is not run again when nothing is missing', async () => {
    const planned = await planRun(names, setting(), { version, store: copyOf(whole.store), resume: true });
    expect(planned).toMatchObject({ kept: names, toRun: [], seconds: 0 });
    const report = await planned.run(() => expect.unreachable('nothing is to be run'));
    // The date and the load are of this run.
    const { date, machine } = whole.report;
    expect({ ...report, date, machine: { ...report.machine, load: machine.load } }).toEqual(whole.report);
  });

  it.each<[string, Partial<Setting>, string?]>([
    ['with another seed', { seed: 2 }],
    ['of another version', {}, '0.2.0'],
  ])('is not resumed by a run %s', async (_, changes, other = version) => {
    const planned = planRun(names, setting(changes), { version: other, store: copyOf(left), resume: true });
    expect(await planned).toMatchObject({ kept: [], toRun: names });
  });

  it('is discarded without resume, except for experiments that were not requested', async () => {
    const store = copyOf(left, { 'experiments/rho.json': 'of another run' });
    expect(await planRun(names, setting(), { version, store })).toMatchObject({ kept: [], toRun: names });
    expect([...store.files.keys()]).toEqual(['experiments/rho.json']);
  });
});
