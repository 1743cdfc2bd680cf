/**
 * The pass of GHT-QPM and GHT-ADMM for any dictionary, in two kernels with the formulas of `registers.ts`, where V is one dense table:
 *
 *     analyse       t = VᵀZ, r = c − σ∘t, M
 *     synthesise    X = Z + VM, and its candidates
 *
 * The second is a matrix product. Its workgroup makes 32 blocks of atoms, a word of the mask, for 64 patches; pieces of V and M pass
 * through workgroup memory, and each thread keeps 8 blocks of 2 patches in registers.
 */
import type { Shape } from '../../shape.js';
import { entryPoint } from '../gpu.js';
import { countNear, storeCandidates, survivors } from './candidates.js';
import { codeLayout, forStoredBlocks, passReads, passWrites, placesInCodes } from './layout.js';
import { type Dual, middle, sumErrors, tablesStruct } from './middle.js';
import { ABOVE, COARSE, type Counting, idle, stateStruct } from './state.js';

/** Vectors of coordinates that a thread of `analyse` sums at a time; four threads share a patch. */
const MOST_SUMS = 8;
/** Coordinates in workgroup memory at a time: 4 KiB of M and 8 KiB of V. */
const PIECE = 16;
/** Blocks of a thread of `synthesise`, at most; four groups of 32 threads share a word of the mask. */
const MOST_BLOCKS = 8;

/** The workgroups of `synthesise` for this many pairs of tiles. */
export function synthesisGroups(shape: Shape, pairs: number): number {
  return pairs * codeLayout(shape).words;
}

/** t, the error and M, for 64 patches per workgroup. */
export function analysePass(shape: Shape, dual: Dual): string {
  const layout = codeLayout(shape);
  const vectors = shape.R4 / 4;
  const each = Array.from({ length: Math.min(MOST_SUMS, Math.ceil(vectors / 4)) }, (_, e) => e);
  const add = (c: string) =>
    `if (z.${c} != 0.0) { let row = (4u * block + ${'xyzw'.indexOf(c)}u) * ${vectors}u + first;
          ${each.map((e) => `t${e} = fma(vec4f(z.${c}), V[row + ${e}u], t${e});`).join(' ')} }`;
  return `${stateStruct}
${tablesStruct(1, shape.R4)}
${placesInCodes(layout)}
@group(0) @binding(0) var<uniform> u: Tables;
${passReads}
@group(0) @binding(3) var<storage, read> C: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> reports: array<vec2u>;
@group(0) @binding(9) var<storage, read> V: array<vec4f>; // a row of coordinates per atom
${dual === 'none' ? '' : '@group(0) @binding(10) var<storage, read_write> Q: array<vec4f>;'}
@group(0) @binding(11) var<storage, read_write> M: array<vec4f>;
var<workgroup> sums: array<f32, 256>;

${entryPoint(256)}
  let pair = group * s.step;
  if (${idle} || pair >= place.y) { return; }
  let tile = 2u * pair + ((me >> 5u) & 1u); let lane = me & 31u;
  let blockAt = blocksAt(tile, lane); let maskAt = masksAt(tile, lane);
  let T = bitcast<f32>(s.T + select(0u, 1u, place.x + 32u * tile + lane > s.tie));
  let at = tile * ${8 * shape.R4}u + lane;
  var error = 0.0;
  for (var first = (me >> 6u) * ${each.length}u; first < ${vectors}u; first += ${4 * each.length}u) {
    ${each.map((e) => `var t${e} = vec4f(0.0);`).join(' ')}
    ${forStoredBlocks(
      layout,
      'masks',
      `let x = codes[blockAt + 32u * block]; let z = ${survivors('x')};
      ${[...'xyzw'].map(add).join('\n      ')}`,
    )}
    ${each
      .map((e) => {
        const lanes = [...'xyzw'].map((c) => `t${e}.${c}`);
        return `if (first + ${e}u < ${vectors}u) { let k = first + ${e}u; ${middle(dual, [{ k: 'k', t: lanes }])} M[at + 32u * k] = t${e}; }`;
      })
      .join('\n    ')}
  }
  ${sumErrors(256)}
  if (me == 0u) { reports[place.x / 64u + pair] = vec2u(bitcast<u32>(sums[0]), 0u); }
}`;
}

/** X = Z + VM and its candidates. */
export function synthesisePass(shape: Shape, counting: Counting): string {
  const layout = codeLayout(shape);
  const BLOCKS = Math.min(MOST_BLOCKS, Math.ceil(layout.blocks / 4));
  const blocks = Array.from({ length: BLOCKS }, (_, b) => b);
  const vectors = shape.R4 / 4;
  /** The candidates of the patch in tile `h` of the pair. */
  const store = (h: number) => `{
    let tile = 2u * pair + ${h}u;
    let blockAt = blocksAt(tile, lane) + 32u * firstBlock;
    let bits = masks[masksAt(tile, lane) + 32u * word] >> (${BLOCKS}u * quarter);
    let T = bitcast<f32>(s.T + select(0u, 1u, place.x + 32u * tile + lane > s.tie));
    var made = 0u;
    ${blocks.map((b) => `var z${b} = vec4f(0.0); if ((bits & ${2 ** b}u) != 0u) { z${b} = codes[blockAt + ${32 * b}u]; }`).join('\n    ')}
    ${blocks
      .map((b) => storeCandidates(`x${h}_${b} + ${survivors(`z${b}`)}`, `blockAt + ${32 * b}u`, `${2 ** b}u`))
      .join('\n    ')}
    parts[quarter * 64u + ${32 * h}u + lane] = made << (${BLOCKS}u * quarter);
  }`;
  return `${stateStruct}
${placesInCodes(layout)}
${passReads}
${passWrites}
@group(0) @binding(8) var<storage, read_write> reports: array<atomic<u32>>; // two words each
@group(0) @binding(9) var<storage, read_write> histogram: array<atomic<u32>>;
@group(0) @binding(10) var<storage, read> V: array<vec4f>; // a row of atoms per coordinate, whole words of blocks
@group(0) @binding(11) var<storage, read> M: array<vec4f>;
var<workgroup> m: array<f32, ${64 * PIECE}>;
var<workgroup> v: array<vec4f, ${32 * PIECE}>;
var<workgroup> parts: array<u32, 256>;
var<workgroup> count: atomic<u32>;
${countNear(counting)}

${entryPoint(128)}
  let pair = (group / ${layout.words}u) * s.step; let word = group % ${layout.words}u;
  if (${idle} || pair >= place.y) { return; }
  let lane = me & 31u; let quarter = me >> 5u;
  let firstBlock = 32u * word + ${BLOCKS}u * quarter;
  let lo = bitcast<f32>(s.lo); let hi = bitcast<f32>(s.hi);
  ${[0, 1].map((h) => blocks.map((b) => `var x${h}_${b} = vec4f(0.0);`).join(' ')).join('\n  ')}
  for (var first = 0u; first < ${vectors}u; first += ${PIECE / 4}u) {
    workgroupBarrier();
    for (var i = me; i < ${(64 * PIECE) / 4}u; i += 128u) {
      let k = first + i / 64u; let at = (i / 64u) * 256u + i % 64u;
      var x = vec4f(0.0);
      if (k < ${vectors}u) { x = M[((2u * pair + ((i >> 5u) & 1u)) * ${vectors}u + k) * 32u + (i & 31u)]; }
      m[at] = x.x; m[at + 64u] = x.y; m[at + 128u] = x.z; m[at + 192u] = x.w;
    }
    for (var i = me; i < ${32 * PIECE}u; i += 128u) {
      v[i] = V[min(4u * first + i / 32u, ${shape.R4 - 1}u) * ${32 * layout.words}u + 32u * word + i % 32u];
    }
    workgroupBarrier();
    for (var k = 0u; k < ${PIECE}u; k++) {
      let m0 = vec4f(m[64u * k + lane]); let m1 = vec4f(m[64u * k + 32u + lane]);
      ${blocks.map((b) => `{ let a = v[32u * k + ${BLOCKS}u * quarter + ${b}u]; x0_${b} = fma(a, m0, x0_${b}); x1_${b} = fma(a, m1, x1_${b}); }`).join('\n      ')}
    }
  }
  var above = 0u;
  ${store(0)}
  ${store(1)}
  atomicAdd(&count, above);
  workgroupBarrier();
  if (me < 64u) {
    let at = masksAt(2u * pair + (me >> 5u), lane) + 32u * word;
    candidateMasks[at] = parts[me] | parts[me + 64u] | parts[me + 128u] | parts[me + 192u];
  }
  if (me == 0u) {
    atomicOr(&reports[2u * (place.x / 64u + pair) + 1u], atomicLoad(&seen));
    atomicAdd(&histogram[${2 ** counting.logBins + 2 ** counting.logBins / COARSE}u + (group % ${ABOVE}u)], atomicLoad(&count));
  }
}`;
}
