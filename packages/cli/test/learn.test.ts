import { randomSource } from 'ght';
import { loadDictionary, readNpy } from 'ght/npy';
import { encodeMat } from 'ght-images/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, pixels, png, textured, workplace } from './command.js';

const { ght, json, read, save, start, contents } = workplace();
const small = ['--atoms', '9x9', '--budget', '4', '--iterations', '3'];

beforeAll(async () => {
  await save('a.png', await png(textured(48, 40, 255, 1)));
  await save('b.png', await png(textured(48, 40, 255, 2)));
});

describe('ght represent --dictionary', () => {
  it('takes the learned dictionary and that of the paper by name', async () => {
    const flags = ['represent', 'a.png', '--solver', 'joint-omp', '--budget', '5', '--dictionary'];
    const [learned, paper] = [await json(...flags, 'learned'), await json(...flags, 'paper')];
    expect([learned.atoms, paper.atoms]).toEqual([256, 100]);
    expect(learned.psnr).toBeGreaterThan(paper.psnr);
    const { code, stderr } = await ght(...flags, 'dct');
    expect(code).toBe(2);
    expect(stderr).toContain('--dictionary must be an existing file');
  });
});

describe('ght learn', () => {
  it('writes a separable dictionary with its facts, a picture of the atoms and the history', async () => {
    const flags = ['--separable', '--picture', 'atoms.png', '--history', 'rmse.csv'];
    const result = await json('learn', 'a.png', 'b.png', ...small, ...flags, '-o', 'D.npz');
    expect(result).toMatchObject({
      ...{ task: 'learn', perPatch: 4, images: 2, failed: [] },
      dictionary: { rows: 64, atoms: 81, separable: true },
    });
    expect(result.rmse).toBeLessThan(result.initialRmse);
    const { dictionary, uses, about } = await loadDictionary(await read('D.npz'));
    expect(dictionary.factors?.map(({ rows, cols }) => [rows, cols])).toEqual([
      [8, 9],
      [8, 9],
    ]);
    expect(uses?.reduce((sum, n) => sum + n, 0)).toBe(4 * result.patches.heldOut);
    expect(about).toMatchObject({ perPatch: 4, images: 2, iterations: result.best });
    const { width, height } = await pixels(await read('atoms.png'));
    expect([width, height]).toEqual([9 * 34 + 2, 9 * 34 + 2]);
    const rows = String(await read('rmse.csv'))
      .trimEnd()
      .split('\n');
    expect([rows[0], rows.length]).toEqual(['k,rmse,heldOut,ms', 4]);
  });

  it('writes the matrix alone to .npy, and continues from a file', async () => {
    const first = await json('learn', 'a.png', 'b.png', ...small, '-o', 'D.npy');
    const D = readNpy(await read('D.npy'));
    expect(D.shape).toEqual([64, 81]);
    const atom = Array.from({ length: 64 }, (_, n) => D.data[81 * n + 5]);
    expect(Math.hypot(...atom)).toBeCloseTo(1, 9);
    const more = ['--init', 'D.npy', '--budget', '4', '--iterations', '2', '-o', 'more.npy'];
    const second = await json('learn', 'a.png', 'b.png', ...more);
    expect(second.initialRmse).toBeCloseTo(first.rmse, 9);
  });

  it('prints what it has learned from a folder, and leaves out what it cannot read', async () => {
    await save('broken.png', 'no picture');
    const { code, stdout, stderr } = await ght('learn', 'a.png', 'broken.png', ...small, '--separable', '-o', 'E.npz');
    expect(code).toBe(1);
    expect(stdout).toMatch(/dictionary +learned 64×81, separable \(9×9\)/);
    expect(stdout).toMatch(/budget +4.000 atoms per patch/);
    expect(stderr).toContain('broken.png: IMAGE must be a PNG');
  });

  // Windows has no signals that a program can handle.
  it.skipIf(process.platform === 'win32')(
    'leaves the best dictionary so far when it is stopped, and says how to continue',
    async () => {
      const endless = ['--atoms', '9x9', '--budget', '4', '--iterations', '100000'];
      const child = start('learn', 'a.png', ...endless, '-o', 'stopped.npz');
      const outcome = ended(child);
      const written = () =>
        read('stopped.npz').then(
          () => true,
          () => false,
        );
      while (!(await written())) await new Promise((resolve) => setTimeout(resolve, 100));
      child.kill('SIGINT');
      const { code, stderr } = await outcome;
      expect(code).toBe(130);
      expect(stderr).toContain('the best dictionary so far is in stopped.npz; continue with --init stopped.npz');
      expect((await loadDictionary(await read('stopped.npz'))).about?.iterations).toBeGreaterThan(0);
    },
  );

  it.each([
    [['--atoms', 'many'], '--atoms must be a number or two factors, but got "many"'],
    [['--atoms', '250'], '--atoms must be a square number or two factors, but got 250'],
    [['--iterations', '0'], '--iterations must be a whole number from 1'],
    [['--init', 'a.png'], '--init must be a .npy file'],
    [['--budget', '4', '--target-psnr', '30'], '--budget and --target-psnr exclude each other'],
    [['-o', 'D.txt'], '-o must end in .npz, .npy'],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr } = await ght('learn', 'a.png', '-o', 'F.npz', ...flags);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(await contents()).not.toHaveProperty('F.npz');
  });

  it('learns from a matrix of signals of any length, and continues from its file', async () => {
    const { normal, below } = randomSource(5);
    const atoms = Array.from({ length: 30 }, () => Array.from({ length: 12 }, normal));
    const data = new Float64Array(12 * 600);
    for (let p = 0; p < 600; p++) {
      for (let k = 0; k < 2; k++) {
        const [atom, value] = [atoms[below(30)], 2 + normal()];
        for (let n = 0; n < 12; n++) data[12 * p + n] += value * atom[n];
      }
    }
    await save('Y.mat', encodeMat('Y', { rows: 12, cols: 600, data }));
    const flags = ['--atoms', '30', '--budget', '2', '--iterations', '20'];
    const first = await json('learn', '--signals', 'Y.mat', ...flags, '-o', 'D.mat');
    expect(first).toMatchObject({ dictionary: { rows: 12, atoms: 30, separable: false } });
    expect(first.rmse).toBeLessThan(0.6 * first.initialRmse);
    const more = ['--init', 'D.mat', '--budget', '2', '--iterations', '1', '-o', 'E.npz'];
    const second = await json('learn', '--signals', 'Y.mat:Y', ...more);
    expect(second.initialRmse).toBeCloseTo(first.rmse, 5);
    const text = await ght('learn', '--signals', 'Y.mat', ...flags, '-o', 'D.npy');
    expect(text.stdout).toMatch(/525 of 600 signals, and 75 held out/);
  });

  it('refuses signals and images together, neither, and a DCT that does not fit them', async () => {
    expect((await ght('learn', 'a.png', '--signals', 'Y.mat', '-o', 'E.npz')).stderr).toContain('but got "both"');
    expect((await ght('learn', '-o', 'E.npz')).stderr).toContain('IMAGE must be given, or --signals in their place');
    const dct = await ght('learn', '--signals', 'Y.mat', '--init', 'dct', '-o', 'E.npz');
    expect(dct.stderr).toContain('--signals must have as many rows as a square patch has pixels, but got "12×600"');
    const many = await ght('learn', '--signals', 'Y.mat', '--atoms', '601', '-o', 'E.npz');
    expect(many.stderr).toContain('--signals must have at least 601 signals that are finite and not zero');
  });
});
