/**
 * The filters for a group of similar patches. All three apply one rule for the whole picture, in units of the noise: a
 * budget over all groups is one threshold for all of them. Each returns the weight of the group: the less noise remains,
 * the larger the weight.
 */
import { symmetricEigen } from '../../math/eigen.js';
import { gram, matrix, times, transpose } from '../../math/matrix.js';
import { apply2d, haar, inverseHaar, type Transform } from './transforms.js';

/** The patches of a group, each row by row. */
export type Group = readonly Float64Array[];

/**
 * GHT on a group: of its transform only the coefficients of at least τ are kept. The first coefficient, the mean, is always
 * kept, so that the result does not depend on where zero is. Weight 1 / kept.
 */
export function thresholdGroup(group: Group, { analysis, synthesis }: Transform, tau: number): number {
  forward(group, analysis);
  let kept = 0;
  group.forEach((patch, k) => {
    for (let i = 0; i < patch.length; i++) {
      if (Math.abs(patch[i]) >= tau || (k === 0 && i === 0)) kept++;
      else patch[i] = 0;
    }
  });
  backward(group, synthesis);
  return 1 / kept;
}

/**
 * The empirical Wiener filter for noise of deviation 1: every coefficient but the first is shrunk by g = p² / (p² + 1),
 * where p is the coefficient of the pilot. Weight 1 / Σ g².
 */
export function wienerGroup(group: Group, pilot: Group, { analysis, synthesis }: Transform): number {
  forward(group, analysis);
  forward(pilot, analysis);
  let gains = 0;
  group.forEach((patch, k) => {
    for (let i = 0; i < patch.length; i++) {
      const p = pilot[k][i] ** 2;
      const g = k === 0 && i === 0 ? 1 : p / (p + 1);
      patch[i] *= g;
      gains += g * g;
    }
  });
  backward(group, synthesis);
  return 1 / gains;
}

function forward(group: Group, analysis: Transform['analysis']): void {
  for (const patch of group) apply2d(analysis, patch);
  haar(group);
}

function backward(group: Group, synthesis: Transform['synthesis']): void {
  inverseHaar(group);
  for (const patch of group) apply2d(synthesis, patch);
}

/**
 * Low rank: of the matrix of the patches with their mean removed, only the singular values of at least τ are kept,
 * unchanged. They are the roots of the eigenvalues of XXᵀ and of XᵀX; the smaller matrix is used. Weight 1/√(1 + rank).
 */
export function lowRankGroup(group: Group, tau: number): number {
  const [N, m] = [group[0].length, group.length];
  const mean = new Float64Array(N);
  for (const patch of group) for (let i = 0; i < N; i++) mean[i] += patch[i] / m;
  const X = matrix(N, m, (i, k) => group[k][i] - mean[i]);
  const tall = m < N;
  const { values, vectors } = symmetricEigen(gram(tall ? X : transpose(X)));
  const rank = values.filter((value) => value > 0 && Math.sqrt(value) >= tau).length;
  const U = { rows: vectors.rows, cols: rank, data: vectors.data.slice(0, vectors.rows * rank) };
  const P = times(U, transpose(U));
  const kept = tall ? times(X, P) : times(P, X);
  group.forEach((patch, k) => {
    for (let i = 0; i < N; i++) patch[i] = mean[i] + kept.data[k * N + i];
  });
  return 1 / Math.sqrt(1 + rank);
}

/** The threshold for singular values: `factor` times √N + √m, the largest singular value of N×m noise of this deviation. */
export function rankThreshold(factor: number, noise: number, patch: number, members: number): number {
  return factor * noise * (patch + Math.sqrt(members));
}
