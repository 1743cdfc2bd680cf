/**
 * c = Qᵀy for all patches, and ‖c‖² of each.
 *
 * A workgroup takes a tile of 32 patches and 16 · SUMS coordinates: a thread has one patch and SUMS vectors of four sums. The signals
 * come one after the other, so a piece of each is first laid out in workgroup memory, read in the order in which it lies.
 */
import { entryPoint } from '../gpu.js';

/** Vectors of sums per thread: 16 registers. */
const SUMS = 4;
/** Threads per patch. */
const SHARES = 4;
/** Samples of each signal in workgroup memory at a time. One more per row keeps 32 threads on 32 banks. */
const PIECE = 32;

/** Workgroups for this many tiles. */
export function rotateGroups(tiles: number, R4: number): number {
  return tiles * Math.ceil(R4 / (4 * SUMS * SHARES));
}

/**
 * Buffers: the signals of a run, Q (row by row, R4 floats each), c of the range, the run's first tile and patches, N, and
 * R4/4. The sizes are no part of the code, so that it is compiled once.
 */
export function rotateKernel(): string {
  const sums = Array.from({ length: SUMS }, (_, i) => i);
  return `
struct Run { tile: u32, patches: u32, N: u32, vectors: u32 }
@group(0) @binding(0) var<storage, read> Y: array<f32>;
@group(0) @binding(1) var<storage, read> Q: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(3) var<uniform> run: Run;
var<workgroup> piece: array<f32, ${32 * (PIECE + 1)}>;

${entryPoint(32 * SHARES)}
  let parts = (run.vectors + ${SUMS * SHARES - 1}u) / ${SUMS * SHARES}u;
  let tile = group / parts;
  let lane = me & 31u;
  let k = (group % parts) * ${SUMS * SHARES}u + (me >> 5u) * ${SUMS}u;
  ${sums.map((i) => `var c${i} = vec4f(0.0);`).join(' ')}
  for (var first = 0u; first < run.N; first += ${PIECE}u) {
    workgroupBarrier();
    for (var i = me; i < ${32 * PIECE}u; i += ${32 * SHARES}u) {
      let p = tile * 32u + i / ${PIECE}u;
      let n = first + i % ${PIECE}u;
      var y = 0.0;
      if (p < run.patches && n < run.N) { y = Y[p * run.N + n]; }
      piece[(i / ${PIECE}u) * ${PIECE + 1}u + i % ${PIECE}u] = y;
    }
    workgroupBarrier();
    for (var n = 0u; n < min(${PIECE}u, run.N - first); n++) {
      let y = vec4f(piece[lane * ${PIECE + 1}u + n]);
      let row = (first + n) * run.vectors + k;
      ${sums.map((i) => `c${i} = fma(y, Q[min(row + ${i}u, arrayLength(&Q) - 1u)], c${i});`).join('\n      ')}
    }
  }
  if (tile * 32u >= run.patches) { return; }
  let at = ((run.tile + tile) * run.vectors + k) * 32u + lane;
  ${sums.map((i) => `if (k + ${i}u < run.vectors) { c[at + ${32 * i}u] = c${i}; }`).join('\n  ')}
}`;
}

/** Patches of a workgroup of {@link energyKernel}. */
export const ENERGY_GROUP = 64;

/** ‖c‖² of every patch, a thread per patch. Buffers: c, the energies. */
export function energyKernel(R4: number): string {
  return `
@group(0) @binding(0) var<storage, read> c: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> energies: array<f32>;
${entryPoint(ENERGY_GROUP)}
  let p = group * ${ENERGY_GROUP}u + me;
  if (p >= arrayLength(&energies)) { return; }
  var sum = 0.0;
  for (var k = 0u; k < ${R4 / 4}u; k++) {
    let x = c[((p >> 5u) * ${R4 / 4}u + k) * 32u + (p & 31u)];
    sum += dot(x, x);
  }
  energies[p] = sum;
}`;
}
