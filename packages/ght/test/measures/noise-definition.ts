/** The noise level of a plane by the method of noise/white/sigma.ts, step by step on plain arrays. */
import { symmetricEigen } from '../../src/math/eigen.js';
import { matrix } from '../../src/math/matrix.js';

type Patch = { readonly x: number; readonly y: number; readonly values: number[]; readonly texture: number };

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const square = (value: number) => value * value;

/** ξ: the sum of the squared central differences along rows and columns, each (y₊ − y₋) / 2. */
function textureOf(values: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < 7; i++) {
    for (let j = 1; j < 6; j++) {
      sum += square((values[7 * i + j + 1] - values[7 * i + j - 1]) / 2);
      sum += square((values[7 * (j + 1) + i] - values[7 * (j - 1) + i]) / 2);
    }
  }
  return sum;
}

/** tr A and √2 ‖A‖_F, with A from ξ = yᵀAy by polarisation. */
function textureOfNoise(): { mean: number; deviation: number } {
  const unit = (i: number) => Array.from({ length: 49 }, (_, n) => Number(n === i));
  const alone = Array.from({ length: 49 }, (_, i) => textureOf(unit(i)));
  let squares = 0;
  for (let i = 0; i < 49; i++) {
    for (let j = 0; j < 49; j++) {
      const both = textureOf(unit(i).map((value, n) => value + Number(n === j)));
      squares += square((both - alone[i] - alone[j]) / 2);
    }
  }
  return { mean: sumOf(alone), deviation: Math.sqrt(2 * squares) };
}

const noiseTexture = textureOfNoise();

function covarianceOf(patches: readonly Patch[]): number[][] {
  const mean = Array.from({ length: 49 }, (_, i) => sumOf(patches.map(({ values }) => values[i])) / patches.length);
  const C = mean.map(() => new Array<number>(49).fill(0));
  for (const { values } of patches) {
    const centred = values.map((value, i) => value - mean[i]);
    for (let i = 0; i < 49; i++) for (let j = 0; j < 49; j++) C[i][j] += (centred[i] * centred[j]) / patches.length;
  }
  return C;
}

/** The mean variance under C along the four smallest eigenvectors of B. */
function leastVariance(B: number[][], C: number[][]): number {
  const { values, vectors } = symmetricEigen(matrix(49, 49, (i, j) => B[i][j]));
  const least = [...values.keys()].sort((a, b) => values[a] - values[b]).slice(0, 4);
  const along = least.map((k) => {
    const v = [...vectors.data.subarray(49 * k, 49 * (k + 1))];
    return sumOf(C.map((row, i) => v[i] * sumOf(row.map((value, j) => value * v[j]))));
  });
  return sumOf(along) / 4;
}

/** σ of a plane that is large enough; `spacing` is that of its patches, `free` selects the samples that are not clipped. */
export function noiseByDefinition(
  samples: Float64Array,
  width: number,
  height: number,
  spacing = 1,
  free: (value: number) => boolean = () => true,
): number {
  const patches: Patch[] = [];
  for (let y = 0; y + 7 <= height; y += spacing) {
    for (let x = 0; x + 7 <= width; x += spacing) {
      const values = Array.from({ length: 49 }, (_, n) => samples[(y + Math.floor(n / 7)) * width + x + (n % 7)]);
      if (values.every(free)) patches.push({ x, y, values, texture: textureOf(values) });
    }
  }
  const measure = (limit: number, most: number): number | undefined => {
    const calm = patches.filter(({ texture }) => texture <= limit);
    const halves = [0, 1].map((half) =>
      calm.filter(({ x, y }) => (Math.floor(x / 16) + Math.floor(y / 16)) % 2 === half),
    );
    if (halves.some(({ length }) => length < 4 * 49)) return undefined;
    const [first, second] = halves
      .map((all) =>
        all.length <= most
          ? all
          : Array.from({ length: most }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / most)]),
      )
      .map(covarianceOf);
    return (leastVariance(first, second) + leastVariance(second, first)) / 2;
  };
  let variance = measure(Number.POSITIVE_INFINITY, 2048) ?? Number.NaN;
  for (const { rounds, most, settled } of [
    { rounds: 4, most: 2048, settled: 0.01 },
    { rounds: 2, most: 8192, settled: 0.002 },
  ]) {
    for (let round = 0; round < rounds; round++) {
      const refined = measure(variance * (noiseTexture.mean + 2.5 * noiseTexture.deviation), most);
      if (refined === undefined) break;
      const change = Math.abs(refined - variance);
      variance = refined;
      if (change <= settled * refined) break;
    }
  }
  return Math.sqrt(variance);
}

/** σ of a small plane: the median of the second differences along both axes, over 6 times the median of |N(0, 1)|. */
export function noiseOfSmall(samples: Float64Array, width: number, height: number): number {
  const kernel = [1, -2, 1];
  const sizes: number[] = [];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const weighted = kernel.flatMap((a, v) => kernel.map((b, u) => a * b * samples[(y + v - 1) * width + x + u - 1]));
      sizes.push(Math.abs(sumOf(weighted)));
    }
  }
  sizes.sort((a, b) => a - b);
  const [low, high] = [Math.floor((sizes.length - 1) / 2), Math.ceil((sizes.length - 1) / 2)];
  return (sizes[low] + sizes[high]) / 2 / (6 * 0.6744897501960817);
}
