import { mkdir, readdir } from 'node:fs/promises';
import { solverNames } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { height, pixels, png, psnr, textured, width, workplace } from './command.js';

const { ght, json, path, save, read } = workplace();
const grey = textured();

beforeAll(async () => {
  await save('grey.png', await png(grey));
});

describe('ght compare', () => {
  it('prints a table with a row for every solver', async () => {
    const { code, stdout } = await ght('compare', 'grey.png', '--budget', '5');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const at = lines.findIndex((line) => line.startsWith('solver'));
    for (const title of ['RMSE', 'PSNR', 'seconds', 'iterations']) expect(lines[at]).toContain(title);
    const rows = lines.slice(at + 2).map((line) => line.split(/ {2,}/)[0]);
    expect(rows).toEqual(['GHT-QPM', 'GHT-ADMM', 'joint OMP', 'OMP', 'AIHT', 'CoSaMP']);
  });

  it('--json holds one result per solver, all under the same budget, and -o writes the same results', async () => {
    await mkdir(path('results'));
    const { task, image, results } = await json('compare', 'grey.png', '--budget', '5', '-o', 'results');
    expect({ task, image }).toMatchObject({ task: 'compare', image: { width, height, channels: 1, depth: 8 } });
    expect(results.map(({ solver }: { solver: string }) => solver)).toEqual(solverNames);
    const names = solverNames.flatMap((solver) => [`${solver}.png`, `${solver}-heatmap.png`]);
    expect((await readdir(path('results'))).sort()).toEqual([...names, 'history.csv'].sort());
    const history = String(await read('results/history.csv')).split('\n');
    expect(history[0]).toBe('solver,k,rmse,threshold,kept,ms');
    for (const result of results) {
      expect(result).toMatchObject({ budget: 150, nonzeros: 150, patches: 30, atoms: 100 });
      const written = await pixels(await read(`results/${result.solver}.png`));
      // The only difference is the rounding to 8 bits.
      expect(psnr(written.samples, grey, 255)).toBeCloseTo(result.psnr, 0);
      expect(await pixels(await read(`results/${result.solver}-heatmap.png`))).toMatchObject({ width, height });
      const lines = history.filter((line) => line.startsWith(`${result.solver},`));
      expect(lines).toHaveLength(result.iterations);
    }
  });

  it('keeps floats as floats, whatever the name of the file', async () => {
    await mkdir(path('floats'));
    const data = Float64Array.from(grey, (value) => value / 7);
    await save('array.png', writeNpy({ type: 'f8', shape: [height, width], data }));
    await json('compare', 'array.png', '--budget', '2', '-o', 'floats');
    expect(readNpy(await read('floats/omp.npy'))).toMatchObject({ type: 'f8', shape: [height, width] });
  });

  it('says what patch-wise solvers cannot spend of the budget, and spends it with --spread', async () => {
    const flags = ['compare', 'grey.png', '--budget', '1.5', '--max-iterations', '5'];
    const { stdout } = await ght(...flags);
    expect(stdout).toMatch(
      /^patch-wise solvers: at most 1 atom in every patch, S\/P rounded down: 15 of the budget cannot be spent; --spread/m,
    );
    const { results } = await json(...flags, '--spread');
    expect(results.map(({ nonzeros }: { nonzeros: number }) => nonzeros)).toEqual(Array(6).fill(45));
    expect((await ght(...flags, '--spread')).stdout).not.toContain('cannot be spent');
  });

  it('--growth applies only to the solvers that have one', async () => {
    const { results } = await json('compare', 'grey.png', '--budget', '2', '--growth', '0.05');
    const without = await json('compare', 'grey.png', '--budget', '2', '--growth', 'off');
    const changed = results.map(({ rmse }: { rmse: number }, i: number) => rmse !== without.results[i].rmse);
    expect(changed).toEqual([true, true, false, false, false, false]);
  });

  it('--rho applies only to the solvers that have one', async () => {
    const { results } = await json('compare', 'grey.png', '--budget', '2', '--rho-absolute', '0.25');
    const rhos = results.map(({ rho }: { rho: number | null }) => rho);
    expect(rhos).toEqual([0.25, 0.25, null, null, null, null]);
  });
});
