/** No command overwrites its input, or one of its results with another, however the paths are spelt or linked. */
import { link, mkdir, readdir, symlink } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, textured, workplace } from './command.js';

const { ght, path, read, save } = workplace();
const precious: Record<string, Buffer> = {};

beforeAll(async () => {
  for (const folder of ['in', 'linked', 'results', 'new']) await mkdir(path(folder));
  for (const name of ['photo.png', 'clean.png', 'in/a.png', 'results/admm.png', 'results/omp-heatmap.png']) {
    await save(name, await png(textured()));
  }
  await save('Y.npy', writeNpy({ type: 'f8', shape: [4, 3], data: Float64Array.from(textured().slice(0, 12)) }));
  await save('D.npy', writeNpy({ type: 'f8', shape: [4, 6], data: Float64Array.from(textured().slice(0, 24)) }));
  await symlink('in', path('inlink'));
  await symlink('../in/a.png', path('linked/a.png'));
  await symlink('photo.png', path('link.png'));
  await symlink('Y.npy', path('Y.npz'));
  await symlink('D.npy', path('D.json'));
  await symlink('fresh.png', path('to-fresh.png'));
  await symlink('../in', path('new/in'));
  for (const name of ['photo.png', 'clean.png', 'in/a.png', 'results/admm.png', 'Y.npy', 'D.npy']) {
    precious[name] = await read(name);
  }
});

describe.skipIf(process.platform === 'win32')('an output that is an input', () => {
  it.each([
    ['denoise in -o inlink', '-o must not be the file of IMAGE'],
    ['denoise in -o in', '-o must not be the file of IMAGE'],
    ['denoise in -o linked', '-o must not be the file of IMAGE'],
    ['denoise in/a.png -o inlink', '-o must not be the file of IMAGE'],
    ['denoise in/a.png -o new/in/../in/a.png', '-o must not be the file of IMAGE'],
    ['denoise photo.png -o photo.png', '-o must not be the file of IMAGE'],
    ['denoise photo.png -o ./link.png', '-o must not be the file of IMAGE'],
    ['denoise link.png -o photo.png', '-o must not be the file of IMAGE'],
    ['denoise photo.png -o clean.png --reference clean.png', '-o must not be the file of --reference'],
    ['denoise photo.png in/a.png -o . --reference clean.png', '-o must not be the file of IMAGE'],
    ['represent photo.png -o photo.png', '-o must not be the file of IMAGE'],
    ['represent photo.png --heatmap photo.png', '--heatmap must not be the file of IMAGE'],
    ['compare results/admm.png -o results', '-o must not be the file of IMAGE'],
    ['solve --signals Y.npy --dictionary D.npy --budget 1 -o Y.npz', '-o must not be the file of --signals'],
    [
      'solve --signals Y.npy --dictionary D.npy --budget 1 -o z.npz --history D.json',
      '--history must not be the file of --dictionary',
    ],
  ])('ght %s is refused', async (args, message) => {
    const { code, stdout, stderr } = await ght(...args.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ght: [^\n]+\n$/);
    expect(stderr).toContain(message);
    expect(stderr).toContain('choose another name or folder');
    for (const [name, bytes] of Object.entries(precious)) expect(await read(name)).toEqual(bytes);
  });

  it('a hard link is another file: the input stays as it was', async () => {
    await link(path('photo.png'), path('hard.png'));
    expect((await ght('denoise', 'photo.png', '-o', 'hard.png', '--quality', 'fast')).code).toBe(0);
    expect(await read('photo.png')).toEqual(precious['photo.png']);
  });
});

describe.skipIf(process.platform === 'win32')('two outputs that are one file', () => {
  it.each([
    ['represent photo.png -o out.png --heatmap out.png', '--heatmap must not be the file of -o'],
    ['represent photo.png -o fresh.png --heatmap to-fresh.png', '--heatmap must not be the file of -o'],
    ['represent photo.png -o inlink/out.png --heatmap in/out.png', '--heatmap must not be the file of -o'],
  ])('ght %s is refused', async (args, message) => {
    const { code, stderr } = await ght(...args.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(await readdir(path('.'))).not.toContain('fresh.png');
  });
});
