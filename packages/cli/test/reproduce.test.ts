import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, textured, workplace } from './command.js';

const { ght, json, path, read, save } = workplace();
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
