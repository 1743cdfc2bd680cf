/** The kernels of the group denoisers against the mathematics as written. */
import { describe, expect, it } from 'vitest';
import type { Filter, Pass, RecipeName, Step } from '../../src/denoisers/groups/recipes.js';
import { recipeNames, recipeOf } from '../../src/denoisers/groups/recipes.js';
import { groupModule } from '../../src/engines/wasm/kernels/groups/module.js';
import { GroupMemory } from '../../src/engines/wasm/run/group-memory.js';
import { abilities } from '../../src/engines/wasm/run/host.js';
import { recipeRunner } from '../../src/engines/wasm/run/recipe.js';
import { randomSource } from '../../src/index.js';
import { symmetricEigen } from '../../src/math/eigen.js';
import { matrix } from '../../src/math/matrix.js';
import { followed } from '../denoisers/groups/followed.js';
import { noisy, picture, tileOf } from '../pictures.js';

const { fma } = abilities();

/** A noisy picture in units of its noise, of whole numbers, so that distances and groups are exact. */
function wholeNumbers(width: number, height: number, channels = 1) {
  const image = noisy(picture(width, height, channels), 8);
  return image.planes.map((plane) => Float64Array.from(plane, (value) => Math.round(value / 8)));
}

const onWasm = (
  recipe: readonly Step[],
  planes: readonly Float64Array[],
  width: number,
  height: number,
  options: { threads?: number; band?: number; fma?: boolean } = {},
) => recipeRunner(recipe, { fma, threads: 1, ...options }).follow(tileOf(planes, width, height));

const difference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
};

describe('a pass on the kernels is the pass as written', () => {
  const filters: [string, Filter][] = [
    ['threshold, DCT', { kind: 'threshold', transform: 'dct', tau: 2.6 }],
    ['threshold, bior1.5', { kind: 'threshold', transform: 'bior', tau: 2.7 }],
    ['Wiener', { kind: 'wiener', transform: 'dct' }],
    ['low rank', { kind: 'rank', factor: 1.03, noise: 0.7 }],
  ];
  const pass = (filter: Filter): Pass => ({
    ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', filter },
    ...{ patch: 8, stride: 3, reach: 8, members: 20, window: 2 },
  });
  it.each(filters)('%s', async (_, filter) => {
    const [width, height] = [27, 22];
    const planes = wholeNumbers(width, height, 2);
    const recipe = [pass(filter)];
    const expected = followed(
      recipe,
      planes.map((data) => ({ width, height, data })),
    );
    for (const fused of fma ? [true, false] : [false]) {
      const actual = await onWasm(recipe, planes, width, height, { fma: fused });
      // Values go up to 32; a float32 has seven digits.
      actual.forEach((plane, c) => {
        expect(difference(plane, expected[c].data)).toBeLessThan(1e-4);
      });
    }
  });

  it('a threshold of 0 leaves the picture unchanged', async () => {
    const planes = wholeNumbers(30, 20);
    for (const transform of ['dct', 'bior'] as const) {
      const recipe = [pass({ kind: 'threshold', transform, tau: 0 })];
      expect(difference((await onWasm(recipe, planes, 30, 20))[0], planes[0])).toBeLessThan(1e-4);
    }
    const recipe = [pass({ kind: 'rank', factor: 0, noise: 1 })];
    expect(difference((await onWasm(recipe, planes, 30, 20))[0], planes[0])).toBeLessThan(1e-3);
  });
});

describe('whole recipes', () => {
  it.each(recipeNames)(
    '%s on the kernels equals the reference, except for groups decided by rounding',
    async (quality) => {
      const [width, height] = [20, 17];
      const planes = wholeNumbers(width, height);
      const recipe = recipeOf(quality);
      const [expected] = followed(recipe, [{ width, height, data: planes[0] }]);
      const [actual] = await onWasm(recipe, planes, width, height);
      const squares = Array.from(actual).reduce((sum, value, i) => sum + (value - expected.data[i]) ** 2, 0);
      expect(Math.sqrt(squares / actual.length)).toBeLessThan(0.02);
    },
  );
});

describe('bands and threads', () => {
  const [width, height] = [70, 190];
  const planes = wholeNumbers(width, height);
  const run = (quality: RecipeName, options: { threads?: number; band?: number }) =>
    onWasm(recipeOf(quality), planes, width, height, options).then(([plane]) => plane);

  it.each(recipeNames)('%s: the same bits for 1, 2 and 3 threads', async (quality) => {
    const alone = await run(quality, { threads: 1 });
    for (const threads of [2, 3]) expect(difference(await run(quality, { threads }), alone)).toBe(0);
  });

  it('the height of a band changes only the order of sums', async () => {
    const recipe = recipeOf('balanced').slice(0, 1);
    const [usual] = await onWasm(recipe, planes, width, height);
    for (const band of [60, 1000]) {
      const [other] = await onWasm(recipe, planes, width, height, { band });
      expect(difference(other, usual)).toBeLessThan(1e-4);
    }
  });
});

describe('the eigenproblem', () => {
  const N = 64;
  const pass: Pass = {
    ...{ name: 'rank', from: 'noisy', guide: 'noisy', to: 'pilot', window: 0 },
    ...{ patch: 8, stride: 4, reach: 4, members: 8, filter: { kind: 'rank', factor: 1, noise: 1 } },
  };

  /** The vectors that the kernels find for eigenvalues above the bound. */
  async function above(entries: Float64Array, bound: number) {
    const memory = new GroupMemory([pass], { width: 16, height: 16, channels: 1 }, 1);
    const { scratch, layout } = memory;
    const { instance } = await WebAssembly.instantiate(groupModule(memory, fma, false), {
      env: { memory: memory.memory },
    });
    const call = instance.exports as Record<string, (...args: number[]) => number>;
    const at = layout.scratches[0];
    for (let i = 0; i < N; i++) {
      memory.floats(at + scratch.matrix + 4 * N * i, N).set(entries.subarray(i * N, (i + 1) * N));
    }
    call.filter0Tridiagonal(at);
    const rank = call.filter0Rank(at, bound);
    if (rank > 0) {
      call.filter0Eigenvalues(at, bound, rank);
      call.filter0Eigenvectors(at, rank);
      call.filter0Reflect(at, rank);
    }
    return Array.from({ length: rank }, (_, r) => memory.floats(at + scratch.vectors + 4 * N * r, N).slice());
  }

  /** Q diag(λ) Qᵀ with a random Q. */
  function withEigenvalues(lambda: (i: number) => number): Float64Array {
    const random = randomSource(11);
    const noise = matrix(N, N, () => random.normal());
    const symmetric = matrix(N, N, (i, j) => noise.data[i * N + j] + noise.data[j * N + i]);
    const Q = symmetricEigen(symmetric).vectors.data;
    return Float64Array.from({ length: N * N }, (_, n) => {
      let sum = 0;
      for (let k = 0; k < N; k++) sum += lambda(k) * Q[k * N + (n % N)] * Q[k * N + Math.floor(n / N)];
      return sum;
    });
  }

  const spectra: [string, Float64Array, number, number][] = [
    ['far apart', withEigenvalues((i) => 1000 / (i + 1)), 90, 11],
    ['equal in pairs', withEigenvalues((i) => 1000 - 50 * Math.floor(i / 2)), 520, 20],
    ['all the same', withEigenvalues(() => 300), 100, 64],
    ['one large', withEigenvalues((i) => (i === 5 ? 1e6 : 200)), 270, 1],
    ['a cluster far under the largest', withEigenvalues((i) => (i < 2 ? 1e5 : i < 8 ? 400 + i / 100 : 100)), 270, 8],
    ['diagonal', Float64Array.from({ length: N * N }, (_, n) => (n % (N + 1) === 0 ? n : 0)), 2601, 23],
    ['nothing', new Float64Array(N * N), 1, 0],
  ];
  it.each(spectra)('%s: the projection on the eigenvectors above the bound', async (_, G, bound, rank) => {
    const vectors = await above(G, bound);
    expect(vectors).toHaveLength(rank);
    const exact = symmetricEigen({ rows: N, cols: N, data: G }).vectors.data;
    let most = 0;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < N; j++) {
        let sum = 0;
        for (let r = 0; r < rank; r++) sum += vectors[r][i] * vectors[r][j] - exact[r * N + i] * exact[r * N + j];
        most = Math.max(most, Math.abs(sum));
      }
    }
    expect(most).toBeLessThan(2e-3);
  });
});
