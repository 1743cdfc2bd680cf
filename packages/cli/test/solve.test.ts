import { nonzeros, randomSource, separableDictionary } from 'ght';
import { loadCodes, readNpy, saveDictionary, unzip, writeNpy } from 'ght/npy';
import { encodeMat, readMatrix } from 'ght-images/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { ght, json, save, read, path } = workplace();
const [N, L, P, s] = [20, 32, 30, 2];
const { normal, below } = randomSource(11);
/** Row by row, as NumPy saves a matrix. */
const D = Array.from({ length: N }, () => Array.from({ length: L }, normal));
const Z = Array.from({ length: P }, () => {
  const atoms = new Map([[below(L), 3 + normal()]]);
  while (atoms.size < s) atoms.set(below(L), normal() - 3);
  return atoms;
});
const Y = D.map((row) => Z.map((atoms) => [...atoms].reduce((sum, [l, value]) => sum + row[l] * value, 0)));

const npy = (rows: readonly (readonly number[])[]) =>
  writeNpy({ type: 'f8', shape: [rows.length, rows[0].length], data: Float64Array.from(rows.flat()) });
const inputs = ['--signals', 'Y.npy', '--dictionary', 'D.npy', '-o', 'Z.npz'];

beforeAll(async () => {
  await save('D.npy', npy(D));
  await save('Y.npy', npy(Y));
});

describe('ght solve', () => {
  it.each(['admm', 'joint-omp', 'omp'])('%s finds sparse codes whose DZ is Y', async (solver) => {
    const flags = ['--total-budget', String(s * P), '--solver', solver, '--refit', '--max-iterations', '300'];
    const result = await json('solve', ...inputs, ...flags);
    expect(result).toMatchObject({ task: 'solve', solver, atoms: L, budget: s * P, nonzeros: s * P });
    const codes = await loadCodes(await read('Z.npz'));
    expect([codes.L, codes.P, nonzeros(codes)]).toEqual([L, P, s * P]);
    let [error, energy] = [0, 0];
    for (let p = 0; p < P; p++) {
      for (let n = 0; n < N; n++) {
        let value = 0;
        for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) value += D[n][codes.indices[i]] * codes.values[i];
        error += (value - Y[n][p]) ** 2;
        energy += Y[n][p] ** 2;
      }
    }
    expect(Math.sqrt(error / energy)).toBeLessThan(1e-6);
    expect(result.rmse).toBeCloseTo(Math.sqrt(error / P), 5);
  });

  it('writes the history and a table for people', async () => {
    const flags = ['--total-budget', '50', '--solver', 'qpm', '--tolerance', '0', '--max-iterations', '4'];
    const { code, stdout } = await ght('solve', ...inputs, ...flags, '--history', 'h.json');
    expect(code).toBe(0);
    expect(stdout).toContain('Y.npy: 20×30');
    expect(stdout).toMatch(/^ {2}signals +30, over 32 atoms$/m);
    expect(stdout).toMatch(/^ {2}RMSE +\S+ per signal, \S+ per sample$/m);
    expect(stdout).not.toMatch(/patch|pixel/);
    expect(JSON.parse(String(await read('h.json'))).map(({ k }: { k: number }) => k)).toEqual([1, 2, 3, 4]);
  });

  it('mentions signals in its help and its JSON, not patches and pixels', async () => {
    const result = await json('solve', ...inputs, '--budget', '2');
    expect(Object.keys(result).join(' ')).not.toMatch(/patch|pixel/i);
    expect(result.signals).toMatchObject({ rows: N, columns: P });
    expect(result.rmseSample).toBeCloseTo(result.rmse / Math.sqrt(N), 12);
    const refused = await ght('solve', ...inputs, '--total-budget', '9999');
    expect(refused.stderr).toContain('--total-budget must be a whole number from 0 to 960, but got 9999');
    expect(refused.stderr).toContain('there are 32 atoms × 30 signals; use fewer');
    expect((await ght('solve', '--help')).stdout.replace(/--patch|patch-wise/g, '')).not.toMatch(/patch|pixel|image/);
  });

  it('says whether the dictionary was recognised as separable', async () => {
    const [A, B] = [D.slice(0, 4).map((row) => row.slice(0, 5)), D.slice(4, 9).map((row) => row.slice(0, 6))];
    await save('kron.npy', npy(A.flatMap((a) => B.map((b) => a.flatMap((x) => b.map((y) => x * y))))));
    const engineOf = async (dictionary: string) => {
      const { stdout } = await ght('solve', ...inputs, '--dictionary', dictionary, '--budget', '1', '--engine', 'wasm');
      return /^ {2}engine +(.*)$/m.exec(stdout)?.[1];
    };
    expect(await engineOf('kron.npy')).toContain('the dictionary is separable, 4×5 ⊗ 5×6; ');
    expect(await engineOf('D.npy')).toMatch(/^SIMD[^;]*; one thread, /);
  });

  it('takes a dictionary as ght learn writes it, with the result of the same matrix in a .npy file', async () => {
    const factor = (rows: number, cols: number) => ({
      rows,
      cols,
      data: Float64Array.from({ length: rows * cols }, normal),
    });
    const dictionary = separableDictionary(factor(4, 5), factor(5, 6));
    await save('learned.npz', await saveDictionary({ dictionary }));
    const { data } = dictionary.atoms;
    await save('same.npy', npy(D.map((_, n) => Array.from({ length: dictionary.L }, (_, l) => data[l * N + n]))));
    const solved = (file: string) => json('solve', ...inputs, '--dictionary', file, '--total-budget', '60');
    const [stored, same] = [await solved('learned.npz'), await solved('same.npy')];
    expect(stored).toMatchObject({ atoms: 30, nonzeros: 60 });
    expect(stored.rmse).toBeCloseTo(same.rmse, 6);
    const columns = await ght('solve', ...inputs, '--dictionary', 'Z.npz', '--total-budget', '60');
    expect(columns.stderr).toMatch(/^ght: .*Z\.npz/);
  });

  it('takes all-zero signals: no atom is needed', async () => {
    await save('zero.npy', npy(Y.map((row) => row.map(() => 0))));
    const result = await json('solve', ...inputs, '--signals', 'zero.npy', '--total-budget', '10');
    expect(result).toMatchObject({ nonzeros: 0, rmse: 0 });
  });

  describe('of other files', () => {
    const columns = (rows: readonly (readonly number[])[]) => ({
      rows: rows.length,
      cols: rows[0].length,
      data: Float64Array.from({ length: rows.length * rows[0].length }, (_, i) => {
        return rows[i % rows.length][Math.floor(i / rows.length)];
      }),
    });

    it('gives the same codes from MATLAB files, and writes them sparse and dense', async () => {
      await save('Y.mat', encodeMat('signals', columns(Y)));
      await save('D.mat', encodeMat('D', columns(D)));
      const budget = ['--total-budget', '60', '--solver', 'joint-omp'];
      await json('solve', ...inputs, ...budget);
      const expected = await readMatrix(path('Z.npz'), '-o', 'Z');
      for (const [output, ...flags] of [['Z.mat'], ['Zd.mat', '--dense'], ['Z.npy'], ['Zd.npz', '--dense']]) {
        const named = ['--signals', 'Y.mat:signals', '--dictionary', 'D.mat', '-o', output, ...flags];
        await json('solve', ...named, ...budget);
        const { rows, cols, data } = await readMatrix(path(output), '-o', 'Z');
        expect([rows, cols]).toEqual([L, P]);
        expect([...data], output).toEqual([...expected.data]);
      }
      expect(readNpy(await read('Z.npy')).shape).toEqual([L, P]);
      expect([...(await unzip(await read('Zd.npz'))).keys()]).toEqual(['Z.npy']);
    });

    it('refuses a variable that is not there, and files that it would overwrite', async () => {
      const unnamed = await ght('solve', '--signals', 'Y.mat:Y', '--dictionary', 'D.mat', '-o', 'Z.npz');
      expect(unnamed.stderr).toContain('--signals must have the variable Y, and it has signals');
      const same = await ght('solve', '--signals', 'Y.mat:signals', '--dictionary', 'D.mat', '-o', 'Y.mat');
      expect(same.stderr).toContain('-o must not be the file of --signals');
    });
  });

  it('spends as much as a target needs, and no more', async () => {
    const flags = ['--solver', 'joint-omp', '--target-rmse', '1.5'];
    const { rmse, nonzeros: used } = await json('solve', ...inputs, ...flags);
    expect(rmse).toBeLessThanOrEqual(1.5);
    const fewer = await json('solve', ...inputs, '--solver', 'joint-omp', '--total-budget', String(used - 1));
    expect(fewer.rmse).toBeGreaterThan(1.5);
    const both = await ght('solve', ...inputs, '--target-rmse', '1', '--budget', '2');
    expect(both.stderr).toContain('--budget and --target-rmse exclude each other');
  });

  it('takes weights, missing samples, groups and nonnegative codes', async () => {
    const holes = Y.map((row, n) => row.map((value, p) => ((n + p) % 5 === 0 ? Number.NaN : value)));
    await save('holes.npy', npy(holes));
    await save('W.npy', npy(holes.map((row) => row.map((value) => (Number.isNaN(value) ? 0 : 1)))));
    const run = (...flags: string[]) =>
      json('solve', '--dictionary', 'D.npy', '-o', 'Z.npz', '--total-budget', '60', ...flags);
    const missing = await run('--signals', 'holes.npy', '--missing');
    expect(missing).toMatchObject({ solver: 'joint-omp', nonzeros: 60, engine: { name: 'portable' } });
    expect((await run('--signals', 'Y.npy', '--weights', 'W.npy')).rmse).toBe(missing.rmse);
    expect((await ght('solve', ...inputs, '--signals', 'holes.npy')).stderr).toContain('--signals sample (row 0');
    await run('--signals', 'Y.npy', '--nonnegative');
    expect(Math.min(...(await loadCodes(await read('Z.npz'))).values)).toBeGreaterThan(0);
    await save('G.npy', npy([Y[0].map((_, p) => Math.floor(p / 3))]));
    await run('--signals', 'Y.npy', '--groups', 'G.npy');
    const { indptr, indices } = await loadCodes(await read('Z.npz'));
    for (let p = 0; p < P; p += 3) {
      const atoms = (q: number) => [...indices.subarray(indptr[q], indptr[q + 1])];
      expect(atoms(p + 1)).toEqual(atoms(p));
    }
    const double = await run('--signals', 'Y.npy', '--solver', 'qpm', '--precision', 'float64');
    expect(double.engine.fallbackReason).toMatchObject({ option: 'precision' });
    const wrong = await ght('solve', ...inputs, '--weights', 'D.npy');
    expect(wrong.stderr).toContain('--weights must be as many as the samples, 20×30, but got "20×32"');
    const both = await ght('solve', ...inputs, '--weights', 'W.npy', '--missing');
    expect(both.stderr).toContain('--weights and --missing exclude each other');
  });
});
