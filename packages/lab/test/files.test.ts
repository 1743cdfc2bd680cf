import { describe, expect, it } from 'vitest';
import { experimentNames, outputsOf, reportFiles, writeReport } from '../src/index.js';
import { findings, sampleReport } from './draw/sample.js';
import { memoryStore } from './store.js';

const everything = sampleReport();
const { rho } = findings;
const onlyRho = sampleReport({ findings: { rho }, verdicts: [] });
const filesOfRho = ['figures/rho-mismatch.svg', 'figures/rho-rmse.svg', 'report.html', 'report.json', 'tables/rho.csv'];

describe('writeReport', () => {
  it('writes the files of the report and returns them', async () => {
    const store = memoryStore();
    const files = await writeReport(everything, store);
    expect(files).toEqual(reportFiles(everything));
    expect(store.files).toEqual(files);
  });

  it('removes the files of an earlier report that the new one does not have, and nothing else', async () => {
    const others = ['experiments/heatmap.json', 'figures/rho-mine.svg', 'notes.txt', 'tables/heatmap-mine.csv'];
    const store = memoryStore(Object.fromEntries(others.map((name) => [name, 'kept'])));
    await writeReport(everything, store);
    expect(store.files.size).toBeGreaterThan(others.length + filesOfRho.length);
    await writeReport(onlyRho, store);
    expect([...store.files.keys()].sort()).toEqual([...others, ...filesOfRho].sort());
    for (const name of others) expect(store.files.get(name)).toBe('kept');
  });

  it.each<[string, unknown]>([
    ['a file outside', ['../photo.png', 'figures/../photo.png', '/photo.png']],
    ['other files of the report', ['experiments/heatmap.json', 'report.html', 'figures/photo.jpg', 'figures']],
    ['values that are not names', [7, null, ['figures/photo.png'], { name: 'figures/photo.png' }]],
    ['something that is not a list', 'figures/photo.png'],
  ])('removes nothing when the earlier report names %s', async (_, files) => {
    const store = memoryStore({ 'report.json': JSON.stringify({ files }), 'figures/photo.png': 'kept' });
    await writeReport(onlyRho, store);
    expect(store.log.filter((entry) => entry.startsWith('remove'))).toEqual([]);
    expect([...store.files.keys()].sort()).toEqual(['figures/photo.png', ...filesOfRho].sort());
  });

  it.each(['', 'null', '{"files":', '7'])('writes over an earlier report.json that holds %j', async (text) => {
    const store = memoryStore({ 'report.json': text });
    await writeReport(onlyRho, store);
    expect([...store.files.keys()].sort()).toEqual(filesOfRho);
  });

  it('writes report.json last, so that after a failure the next report still removes what was left', async () => {
    const store = memoryStore();
    await writeReport(everything, store);
    const failing = {
      ...store,
      async write(name: string, content: string | Uint8Array) {
        if (name.startsWith('tables/')) throw new Error('the disk is full');
        await store.write(name, content);
      },
    };
    await expect(writeReport(onlyRho, failing)).rejects.toThrow('the disk is full');
    await writeReport(onlyRho, store);
    expect([...store.files.keys()].sort()).toEqual(filesOfRho);
    expect(store.log.at(-1)).toBe('write report.json');
  });

  it('ignores a file that cannot be removed', async () => {
    const store = memoryStore();
    await writeReport(everything, store);
    await writeReport(onlyRho, { ...store, remove: async () => Promise.reject(new Error('the file is in use')) });
    expect(JSON.parse(String(store.files.get('report.json'))).files).not.toContain('figures/heatmap-atoms.png');
    expect(store.files.has('figures/heatmap-atoms.png')).toBe(true);
  });
});

describe('outputsOf', () => {
  it('lists in advance every file of a report, or its folder', async () => {
    const { files, folders } = outputsOf(experimentNames);
    for (const name of reportFiles(everything).keys()) {
      expect(name.includes('/') ? folders : files).toContain(name.includes('/') ? name.split('/')[0] : name);
    }
  });
});
