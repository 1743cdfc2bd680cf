/** Runs of `ght reproduce` that are stopped, continued, or started in the folder of another one. */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, png, textured, workplace } from './command.js';

const { ght, json, path, read, save, start } = workplace();
/** The experiments that take less than a second on small images. */
const brief = ['two-patches', 'close-up'];

beforeAll(async () => {
  await mkdir(path('photos'));
  await save('photos/a <b> & "c".png', await png(textured(128, 96), 1, 128));
  await save('photos/b.png', await png(textured(64, 64), 1, 64));
});

describe('ght reproduce', () => {
  it('keeps finished experiments when it is stopped, and continues with --resume', async () => {
    const args = ['reproduce', 'two-patches', 'convergence', '--quick', '--images', 'photos', '-o', 'stopped'];
    const stopped = async () => {
      await rm(path('stopped'), { recursive: true, force: true });
      const child = start(...args);
      const end = ended(child);
      while (!(await stat(path('stopped/experiments/two-patches.json')).catch(() => undefined))) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      child.kill('SIGINT');
      return end;
    };
    // On a busy machine a run may be complete before it is stopped: then another one is.
    let outcome = await stopped();
    while (outcome.code === 0) outcome = await stopped();
    const { code, stderr } = outcome;
    expect(code).toBe(130);
    expect(stderr).toMatch(/ght: stopped; finished experiments are kept in stopped: continue with --resume\n$/);
    expect(await readdir(path('stopped'))).toEqual(['experiments']);
    const kept = await readFile(path('stopped/experiments/two-patches.json'), 'utf8');

    const again = await ght(...args, '--resume');
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^1 experiment to run, 1 kept from before: /);
    expect(await readFile(path('stopped/experiments/two-patches.json'), 'utf8')).toBe(kept);
    expect((await readdir(path('stopped'))).sort()).toContain('report.html');
    // Another seed is another run.
    const other = await ght(
      'reproduce',
      'two-patches',
      '--quick',
      '--images',
      'photos',
      '-o',
      'stopped',
      '--resume',
      '--seed',
      '2',
    );
    expect(other.stdout).toMatch(/^1 experiment to run: /);
  });

  it('uses no results of other pictures, even if name, size and sum of samples are the same', async () => {
    const samples = textured(64, 64);
    const args = ['reproduce', 'two-patches', '--quick', '--images', 'album', '-o', 'of-album', '--resume'];
    await mkdir(path('album'));
    await save('album/a.png', await png(samples, 1, 64));
    await json(...args);
    expect((await ght(...args)).stdout).toMatch(/^0 experiments to run, 1 kept from before: /);
    await save('album/a.png', await png(samples.toReversed(), 1, 64));
    expect((await ght(...args)).stdout).toMatch(/^1 experiment to run: /);
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, -100)],
    ['without data', (text: string) => JSON.stringify({ ...JSON.parse(text), data: undefined })],
    ['with empty data', (text: string) => JSON.stringify({ ...JSON.parse(text), data: {} })],
    ['with another number', (text: string) => text.replace(/"seconds":\d/, '"seconds":9')],
    ['that are a number', () => '7'],
  ])('runs an experiment again whose results are kept %s', async (_, damage) => {
    const args = ['reproduce', 'two-patches', '--quick', '--images', 'photos', '-o', 'damaged', '--resume'];
    await ght(...args);
    const state = 'damaged/experiments/two-patches.json';
    await save(state, damage(String(await read(state))));
    const { code, stdout } = await ght(...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 experiment to run: /);
    expect(Object.keys(JSON.parse(String(await read('damaged/report.json'))).findings)).toEqual(['two-patches']);
  });

  it('removes figures and tables of an earlier run that the report does not have, and keeps all other files', async () => {
    const args = ['--quick', '--images', 'photos', '-o', 'fewer'];
    const files = async () => (await readdir(path('fewer'), { recursive: true })).sort();
    await json('reproduce', 'two-patches', ...args);
    const alone = await files();
    await json('reproduce', ...brief, ...args);
    expect((await files()).filter((name) => /^(figures|tables).close-up/.test(name))).not.toEqual([]);
    await save('fewer/figures/close-up-mine.png', 'mine');
    await json('reproduce', 'two-patches', ...args);
    // Finished experiments are kept for --resume.
    const kept = [join('experiments', 'close-up.json'), join('figures', 'close-up-mine.png')];
    expect(await files()).toEqual([...alone, ...kept].sort());
  });
});
