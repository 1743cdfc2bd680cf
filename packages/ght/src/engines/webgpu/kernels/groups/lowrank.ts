/**
 * The low-rank filter of denoisers/groups/filters.ts, in four kernels with a workgroup per group and a thread per sample of a patch:
 *
 *     gather       X, the patches less their mean, and the mean; whitened first where the noise is not white
 *     tridiagonal  XXᵀ = Q T Qᵀ
 *     eigenvectors the eigenvectors U of XXᵀ whose eigenvalues are at least τ²
 *     project      UUᵀX and the mean, added to the sums
 *
 * The eigenproblem is always N×N, which is the smaller one except in tiny pictures. Between the kernels all lies in buffers: of a
 * group, `samples` has the mean in row 0 and patch k in row 1 + k, `basis` has Qᵀ row by row, `tridiagonal` the diagonal of T and
 * the entries next to it, and `vectors` the rows of Uᵀ. Word 3 of the list is the rank.
 */

import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { dct } from '../../../../denoisers/groups/transforms.js';
import { entryPoint } from '../../gpu.js';
import { sumsFrom } from './aggregation.js';
import { each, HEADER, isAlone, partStruct, range } from './target.js';
import { alongLine, patchFloats } from './transforms.js';
import { deviationAt } from './whitening.js';

/** The most samples of a patch: a thread has two rows of N×N matrices in registers. */
const MOST_SAMPLES = 64;

/** Vectors of four columns that are reduced by one loop: later ones skip the columns that are done. */
const STAGE = 4;

/** Whether the kernels are written for the patches of a pass. */
export function lowRankFits(pass: Pass): boolean {
  const N = pass.patch ** 2;
  return N % 4 === 0 && N <= MOST_SAMPLES && !isAlone(pass);
}

/** Floats of a group in the buffers between the kernels. */
export function scratchFloats({ patch, members }: Pass) {
  const N = patch * patch;
  return { samples: (members + 1) * N, basis: N * N, tridiagonal: 2 * N, vectors: N * N };
}

/** Where the rows of a group begin in `samples`, in rows of N. */
const firstRow = `n * (part.listWords - ${HEADER - 1}u)`;

/** Begins a kernel with a thread per sample. */
const begin = (threads: number) => `
${entryPoint(threads)}
  let n = group;
  if (n >= part.count) { return; }
  let list = n * part.listWords;
  let members = lists[list];`;

/** Patches that are transformed at a time: as many as have a line for each thread. They lie in `patches`. */
const transformed = (pass: Pass) => ({
  memory: `var<workgroup> patches: array<f32, ${pass.patch * patchFloats(pass.patch)}>;`,
  sample: (k: number) =>
    `patches[${k * patchFloats(pass.patch)}u + me / ${pass.patch}u * ${pass.patch + 1}u + me % ${pass.patch}u]`,
  lines: (matrix: 'analysis' | 'synthesis', directions: readonly ('row' | 'column')[]) =>
    directions
      .map(
        (direction) => `workgroupBarrier();
    ${alongLine(dct(pass.patch)[matrix], direction, `me / ${pass.patch}u * ${patchFloats(pass.patch)}u`, `(me % ${pass.patch}u)`)}`,
      )
      .join('\n'),
});

/** Buffers: the part, the plane, the lists, `samples`, the deviations of the noise if it is not white. */
export function gatherKernel(pass: Pass, whitened: boolean): string {
  const { patch } = pass;
  const N = patch * patch;
  const { memory, sample, lines } = transformed(pass);
  const plain = `for (var k = 0u; k < members; k++) {
    let x = plane[lists[list + ${HEADER}u + k] + offset];
    samples[(first + 1u + k) * ${N}u + me] = x;
    sum += x;
  }`;
  const whitening = `let s = deviationAt(list, me);
  for (var from_ = 0u; from_ < members; from_ += ${patch}u) {
    workgroupBarrier();
    ${each(patch, (k) => `if (from_ + ${k}u < members) { ${sample(k)} = plane[lists[list + ${HEADER + k}u + from_] + offset]; }`)}
    ${lines('analysis', ['row', 'column'])}
    workgroupBarrier();
    ${each(
      patch,
      (k) => `if (from_ + ${k}u < members) {
      let x = ${sample(k)} / s;
      samples[(first + ${k + 1}u + from_) * ${N}u + me] = x;
      sum += x;
    }`,
    )}
  }`;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> plane: array<f32>;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read_write> samples: array<f32>;
${
  whitened
    ? `@group(0) @binding(4) var<storage, read> deviations: array<f32>;
${deviationAt(N)}
${memory}`
    : ''
}
${begin(N)}
  let first = ${firstRow};
  let offset = me / ${patch}u * part.width + me % ${patch}u;
  var sum = 0.0;
  ${whitened ? whitening : plain}
  let mean = sum / f32(members);
  samples[first * ${N}u + me] = mean;
  for (var k = 0u; k < members; k++) { samples[(first + 1u + k) * ${N}u + me] -= mean; }
}`;
}

/**
 * XXᵀ, then Householder's reductions: for the column k below the diagonal, x,
 *
 *     v = x − α e₁,  α = ∓‖x‖,  β = 2 / vᵀv,  A ← (I − β v vᵀ) A (I − β v vᵀ),  Q ← Q (I − β v vᵀ)
 *
 * where with p = β A v and w = p − (β/2 vᵀp) v the new A is A − v wᵀ − w vᵀ. Each thread has a row of A and one of Q in registers;
 * thread k has column k as its row, since A is symmetric. Buffers: the part, the lists, `samples`, `basis`, `tridiagonal`.
 */
export function tridiagonalKernel(pass: Pass): string {
  const N = pass.patch ** 2;
  const V = N / 4;
  /** The numbers of the four entries of vector j. */
  const numbers = (j: number) => `vec4u(${4 * j}u, ${4 * j + 1}u, ${4 * j + 2}u, ${4 * j + 3}u)`;
  /** Reductions of the columns from vector `from` on. Whatever is before that vector is done: v is 0 there. */
  const reductions = (from: number) => {
    const vectors = range(V).slice(from);
    const eachVector = (text: (j: number) => string) => vectors.map(text).join('\n');
    const dot = (name: string) => vectors.map((j) => `dot(${name}${j}, v[${j}])`).join(' + ');
    return `for (var k = ${4 * from}u; k < ${Math.min(4 * (from + STAGE), N - 2)}u; k++) {
    if (me == k) {
      ${eachVector((j) => `v[${j}] = select(vec4f(0.0), a${j}, ${numbers(j)} > vec4u(k));`)}
    }
    workgroupBarrier();
    // All threads compute the same: no other has to wait for one.
    var square = 0.0;
    ${eachVector((j) => `square += dot(v[${j}], v[${j}]);`)}
    let head = v[(k + 1u) / 4u][(k + 1u) % 4u];
    let norm = sqrt(square);
    let alpha = select(norm, -norm, head >= 0.0);
    let beta = select(0.0, 1.0 / (square + abs(head) * norm), square > 0.0);
    workgroupBarrier();
    if (me == k) { v[(k + 1u) / 4u][(k + 1u) % 4u] = head - alpha; }
    workgroupBarrier();
    let product = beta * (${dot('a')});
    products[me] = product;
    let turn = beta * (${dot('q')});
    workgroupBarrier();
    var together = 0.0;
    ${eachVector(
      (
        j,
      ) => `let p${j} = vec4f(products[${4 * j}], products[${4 * j + 1}], products[${4 * j + 2}], products[${4 * j + 3}]);
    together += dot(p${j}, v[${j}]);`,
    )}
    let K = 0.5 * beta * together;
    let mine = v[me / 4u][me % 4u];
    let w = product - K * mine;
    ${eachVector(
      (j) => `a${j} -= mine * (p${j} - K * v[${j}]) + w * v[${j}];
    q${j} -= turn * v[${j}];`,
    )}
    workgroupBarrier();
  }`;
  };
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> samples: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> basis: array<f32>;
@group(0) @binding(4) var<storage, read_write> tridiagonal: array<f32>;
var<workgroup> v: array<vec4f, ${V}>;
var<workgroup> products: array<f32, ${N}>;
${begin(N)}
  ${each(V, (j) => `var a${j} = vec4f(0.0); var q${j} = select(vec4f(0.0), vec4f(1.0), ${numbers(j)} == vec4u(me));`)}
  for (var k = 0u; k < members; k++) {
    let row = (${firstRow} + 1u + k) * ${V}u;
    let x = samples[row + me / 4u][me % 4u];
    ${each(V, (j) => `a${j} = fma(vec4f(x), samples[row + ${j}u], a${j});`)}
  }
  ${Array.from({ length: Math.ceil(V / STAGE) }, (_, stage) => reductions(stage * STAGE)).join('\n')}
  let to = n * ${N}u;
  ${each(V, (j) => each(4, (c) => `basis[(to + ${4 * j + c}u) * ${N}u + me] = q${j}[${c}];`))}
  var diagonal = 0.0;
  var beside = 0.0;
  ${each(
    V,
    (j) => `diagonal += dot(a${j}, select(vec4f(0.0), vec4f(1.0), ${numbers(j)} == vec4u(me)));
  beside += dot(a${j}, select(vec4f(0.0), vec4f(1.0), ${numbers(j)} == vec4u(me + 1u)));`,
  )}
  tridiagonal[2u * to + me] = diagonal;
  tridiagonal[2u * to + ${N}u + me] = beside;
}`;
}

/**
 * mean + UUᵀx for every patch x. A thread has a row of UUᵀ in registers. Weight 1 / √(1 + rank). Buffers: the part, the lists,
 * `samples`, `vectors`, the window, the sums, the deviations of the noise if it is not white.
 */
export function projectKernel(pass: Pass, whitened: boolean): string {
  const { patch } = pass;
  const N = patch * patch;
  const V = N / 4;
  const { memory, sample, lines } = transformed(pass);
  const project = (k: string) => `
      let row = (first + 1u + ${k}) * ${V}u;
      let y = mean + ${Array.from({ length: V }, (_, j) => `dot(p${j}, samples[row + ${j}u])`).join(' + ')};`;
  const add = (k: string, value: string) =>
    `addSample(lists[list + ${HEADER}u + ${k}] + me / ${patch}u * part.width + me % ${patch}u, weight, ${value});`;
  const plain = `for (var k = 0u; k < members; k++) {
    ${project('k')}
    ${add('k', 'y')}
  }`;
  const unwhitening = `let s = deviationAt(list, me);
  for (var from_ = 0u; from_ < members; from_ += ${patch}u) {
    workgroupBarrier();
    ${each(
      patch,
      (k) => `if (from_ + ${k}u < members) {
      ${project(`from_ + ${k}u`)}
      ${sample(k)} = y * s;
    }`,
    )}
    ${lines('synthesis', ['column', 'row'])}
    workgroupBarrier();
    ${each(patch, (k) => `if (from_ + ${k}u < members) { ${add(`from_ + ${k}u`, sample(k))} }`)}
  }`;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> samples: array<vec4f>;
@group(0) @binding(3) var<storage, read> vectors: array<vec4f>;
@group(0) @binding(4) var<uniform> window: array<vec4f, ${V}>;
${sumsFrom(5)}
${
  whitened
    ? `@group(0) @binding(9) var<storage, read> deviations: array<f32>;
${deviationAt(N)}
${memory}`
    : ''
}
${begin(N)}
  let first = ${firstRow};
  let rank = lists[list + 3u];
  ${each(V, (j) => `var p${j} = vec4f(0.0);`)}
  for (var r = 0u; r < rank; r++) {
    let row = (n * ${N}u + r) * ${V}u;
    let u = vectors[row + me / 4u][me % 4u];
    ${each(V, (j) => `p${j} = fma(vec4f(u), vectors[row + ${j}u], p${j});`)}
  }
  let mean = samples[first * ${V}u + me / 4u][me % 4u];
  let weight = window[me / 4u][me % 4u] / sqrt(1.0 + f32(rank));
  ${whitened ? unwhitening : plain}
}`;
}
