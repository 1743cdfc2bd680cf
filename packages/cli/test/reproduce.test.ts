import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, png, textured, workplace } from './command.js';

const { ght, json, path, read, save, start } = workplace();
/** The experiments that take less than a second on small images. */
const brief = ['two-patches', 'close-up'];

beforeAll(async () => {
  await mkdir(path('photos'));
  await mkdir(path('tiny'));
  await save('photos/a <b> & "c".png', await png(textured(128, 96), 1, 128));
  await save('photos/b.png', await png(textured(64, 64), 1, 64));
  await save('photos/small.png', await png(textured(16, 16), 1, 16));
  await save('photos/notes.txt', 'not an image');
  await save('tiny/small.png', await png(textured(16, 16), 1, 16));
});

describe('ght reproduce', () => {
  it('writes a report of the experiments asked for, and prints the verdicts', async () => {
    const { code, stdout, stderr } = await ght(
      'reproduce',
      ...brief,
      '--quick',
      '--images',
      'photos',
      '-o',
      'out/report',
    );
    expect({ code, stderr: stderr.replace(/^reproduce: .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^2 experiments to run: about \d+ seconds? on \d+ threads?\n/);
    expect(stdout).toContain('\nskipped 2 of 4 in photos: 1 not an image, 1 smaller than 64×64 pixels\n');
    expect(stdout).toMatch(/^two-patches +(confirmed|partly|not reproduced) +Sharing a budget/m);
    expect(stdout).toMatch(/^close-up +(confirmed|partly|not reproduced) +At S = 5P/m);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('wrote out/report/report.html');
    const html = (await read('out/report/report.html')).toString();
    expect(html).toContain('a &lt;b&gt; &amp; &quot;c&quot;.png');
    expect(html).not.toContain('a <b>');
    expect((await readdir(path('out/report'))).sort()).toEqual([
      'experiments',
      'figures',
      'report.html',
      'report.json',
      'tables',
    ]);
    expect(await readdir(path('out/report/experiments'))).toEqual(['close-up.json', 'two-patches.json']);
  });

  it('prints the report with --json and nothing else', async () => {
    const report = await json(
      'reproduce',
      'two-patches',
      '--quick',
      '--images',
      'photos',
      '--seed',
      '3',
      '-o',
      'with-json',
    );
    expect(report).toMatchObject({
      quick: true,
      seed: 3,
      images: [{ name: 'a <b> & "c".png', width: 128, height: 96 }, { name: 'b.png' }],
    });
    expect(report.verdicts.map(({ timing }: { timing: boolean }) => timing)).toEqual([false, false]);
    expect(report.machine.load).toEqual({ before: expect.any(Number), after: expect.any(Number) });
    expect(report).toEqual(JSON.parse((await read('with-json/report.json')).toString()));
  });

  it('keeps finished experiments when it is stopped, and continues with --resume', async () => {
    const args = ['reproduce', 'two-patches', 'convergence', '--quick', '--images', 'photos', '-o', 'stopped'];
    const child = start(...args);
    const end = ended(child);
    while (!(await stat(path('stopped/experiments/two-patches.json')).catch(() => undefined))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGINT');
    const { code, stderr } = await end;
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

  it('checks before the work that nothing is in the way of its files', async () => {
    for (const name of ['experiments/two-patches.json', 'report.html', 'report.json']) {
      await mkdir(path(`blocked/${name}`), { recursive: true });
      const { code, stdout, stderr } = await ght('reproduce', 'two-patches', '--quick', '-o', 'blocked');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^ght: -o must be a file, but got [^\n]*\n$/);
      expect(stderr).toContain(join('blocked', name));
      await rm(path('blocked'), { recursive: true });
    }
    await mkdir(path('blocked'));
    await save('blocked/figures', 'a file');
    const { code, stdout, stderr } = await ght('reproduce', 'two-patches', '--quick', '-o', 'blocked');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('a file of this name is in the way');
  });

  it('does not write its figures among the images it reads', async () => {
    await mkdir(path('own/figures'), { recursive: true });
    await save('own/figures/two-patches-patches-1.png', await png(textured(64, 64), 1, 64));
    const { code, stdout, stderr } = await ght(
      'reproduce',
      'two-patches',
      '--quick',
      '--images',
      'own/figures',
      '-o',
      'own',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ght: -o must not hold the images of --images among its figures, but got "own": [^\n]*\n$/);
  });

  it.each([
    [['nonsense'], 'NAME must be one of two-patches, heatmap,', '"nonsense"'],
    [['--images', 'missing'], '--images must be an existing folder', '"missing"'],
    [['--images', 'photos/b.png'], '--images must be an existing folder', 'this is a file'],
    [['--images', 'tiny'], '--images must hold an image of at least 64×64 pixels', '"tiny"'],
    [['--seed', '-1'], '--seed must be a whole number from 0 on', '-1'],
    [['--threads', '0'], '--threads must be a whole number from 1 to 64', '0'],
    [['-o', 'photos/b.png'], '-o must be a folder or a place to make one', 'a file of this name is in the way'],
  ])('refuses %j in one line', async (args, rule, detail) => {
    const { code, stdout, stderr } = await ght('reproduce', '--quick', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ght: [^\n]*\n$/);
    expect(stderr).toContain(rule);
    expect(stderr).toContain(detail);
  });
});
