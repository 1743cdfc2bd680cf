/**
 * The eigenvectors of XXᵀ = Q T Qᵀ whose eigenvalues are at least τ², from the tridiagonal T of a group.
 *
 * The number of eigenvalues below x is that of the negative pivots of T − x (Sturm). So one count gives the rank, and thread j finds
 * the j-th largest eigenvalue by bisection. Its vector comes from inverse iteration, (T − λ) z ← z, with T − λ = P L U once. Threads
 * begin with different vectors, so that equal eigenvalues have independent ones, and after each solution the vectors are made
 * orthonormal one after the other. In the end Uᵀ = Zᵀ Qᵀ.
 */

import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { entryPoint } from '../../gpu.js';
import { each, float, partStruct } from './target.js';

/** Bisections: as many as a float has digits, and two for the sum that bounds all eigenvalues. */
const BISECTIONS = 26;
/** Inverse iterations, from arbitrary vectors. */
const SOLUTIONS = 3;
/** Replaces a pivot that is zero, relative to the largest eigenvalue. */
const LEAST_PIVOT = 1e-7;

/** Buffers: the part, the lists, `tridiagonal`, `basis`, `vectors`; see lowrank.ts. */
export function eigenvectorsKernel(pass: Pass): string {
  const { filter, patch } = pass;
  if (filter.kind !== 'rank') throw new Error('not a low-rank filter');
  const N = patch * patch;
  const orthonormal = (last: boolean) => `
  for (var l = 0u; l < rank; l++) {
    if (me == l) {
      var square = 0.0;
      for (var i = 0u; i < ${N}u; i++) { square = fma(z[i], z[i], square); }
      // Without a picture there is no vector: it stays 0.
      let scale = inverseSqrt(max(square, 1e-30));
      for (var i = 0u; i < ${N}u; i++) { z[i] *= scale; unit[i] = z[i]; }
    }
    workgroupBarrier();
    if (me > l && me < rank) {
      var along = 0.0;
      for (var i = 0u; i < ${N}u; i++) { along = fma(unit[i], z[i], along); }
      for (var i = 0u; i < ${N}u; i++) { z[i] = fma(-along, unit[i], z[i]); }
    }
    ${
      last
        ? `var u = 0.0;
    for (var i = 0u; i < ${N}u; i++) { u = fma(basis[(n * ${N}u + i) * ${N}u + me], unit[i], u); }
    vectors[(n * ${N}u + l) * ${N}u + me] = u;`
        : ''
    }
    workgroupBarrier();
  }`;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read_write> lists: array<u32>;
@group(0) @binding(2) var<storage, read> tridiagonal: array<f32>;
@group(0) @binding(3) var<storage, read> basis: array<f32>;
@group(0) @binding(4) var<storage, read_write> vectors: array<f32>;
var<workgroup> d: array<f32, ${N}>;
var<workgroup> e: array<f32, ${N}>;
var<workgroup> unit: array<f32, ${N}>;
/** All eigenvalues are below it. */
var<workgroup> top: f32;
var<workgroup> sharedRank: u32;

fn awayFromZero(x: f32, least: f32) -> f32 { return select(x, select(least, -least, x < 0.0), abs(x) < least); }

/** The number of eigenvalues that are at least x. */
fn countFrom(x: f32) -> u32 {
  let least = max(1e-20, 1e-10 * top);
  var count = 0u;
  var pivot = 1.0;
  var before = 0.0;
  for (var i = 0u; i < ${N}u; i++) {
    pivot = d[i] - x - before * before / pivot;
    pivot = awayFromZero(pivot, least);
    before = e[i];
    count += u32(pivot > 0.0);
  }
  return count;
}

/** Arbitrary numbers from −1 to 1, the same on every GPU. */
fn arbitrary(seed: u32) -> f32 {
  var x = seed * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32((x >> 22u) ^ x) * ${2 ** -31} - 1.0;
}

${entryPoint(N)}
  let n = group;
  if (n >= part.count) { return; }
  let list = n * part.listWords;
  d[me] = tridiagonal[n * ${2 * N}u + me];
  // The last has no next one.
  e[me] = select(0.0, tridiagonal[n * ${2 * N}u + ${N}u + me], me < ${N - 1}u);
  workgroupBarrier();
  let tau = part.level * (${patch}.0 + sqrt(f32(lists[list])));
  if (me == 0u) {
    var most = 0.0;
    var before = 0.0;
    for (var i = 0u; i < ${N}u; i++) {
      most = max(most, d[i] + abs(e[i]) + abs(before));
      before = e[i];
    }
    top = most;
    sharedRank = countFrom(tau * tau);
    lists[list + 3u] = sharedRank;
  }
  let rank = workgroupUniformLoad(&sharedRank);

  // T − λ = P L U, with rows exchanged where the entry below the diagonal is larger.
  var multiplier: array<f32, ${N}>;
  var exchanged: array<bool, ${N}>;
  ${each(3, (i) => `var u${i}: array<f32, ${N}>;`)}
  var z: array<f32, ${N}>;
  if (me < rank) {
    var low = tau * tau;
    var high = top;
    for (var i = 0u; i < ${BISECTIONS}u; i++) {
      let middle = 0.5 * (low + high);
      if (countFrom(middle) > me) { low = middle; } else { high = middle; }
    }
    let lambda = 0.5 * (low + high);
    let least = max(1e-20, ${float(LEAST_PIVOT)} * top);
    var a = d[0] - lambda;
    var b = e[0];
    for (var i = 0u; i < ${N - 1}u; i++) {
      let below = e[i];
      let nextA = d[i + 1u] - lambda;
      let nextB = e[i + 1u];
      let exchange = abs(below) > abs(a);
      let pivot = awayFromZero(select(a, below, exchange), least);
      let factor = select(below, a, exchange) / pivot;
      multiplier[i] = factor;
      exchanged[i] = exchange;
      u0[i] = pivot;
      u1[i] = select(b, nextA, exchange);
      u2[i] = select(0.0, nextB, exchange);
      a = fma(-factor, u1[i], select(nextA, b, exchange));
      b = select(nextB, -factor * nextB, exchange);
    }
    u0[${N - 1}] = awayFromZero(a, least);
    for (var i = 0u; i < ${N}u; i++) { z[i] = arbitrary(me * ${N}u + i); }
  }
  for (var solution = 1u; solution <= ${SOLUTIONS}u; solution++) {
    if (me < rank) {
      for (var i = 0u; i < ${N - 1}u; i++) {
        let upper = select(z[i], z[i + 1u], exchanged[i]);
        z[i + 1u] = fma(-multiplier[i], upper, select(z[i + 1u], z[i], exchanged[i]));
        z[i] = upper;
      }
      var next = 0.0;
      var afterNext = 0.0;
      for (var j = 0u; j < ${N}u; j++) {
        let i = ${N - 1}u - j;
        let value = fma(-u2[i], afterNext, fma(-u1[i], next, z[i])) / u0[i];
        z[i] = value;
        afterNext = next;
        next = value;
      }
    }
    if (solution < ${SOLUTIONS}u) {${orthonormal(false)}
    }
  }
  ${orthonormal(true)}
}`;
}
