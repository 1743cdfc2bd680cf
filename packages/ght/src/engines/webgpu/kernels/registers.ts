/**
 * The pass of GHT-QPM and GHT-ADMM for a separable dictionary of small patches, D = A ⊗ B with A = Q_A Σ_A V_Aᵀ and B alike:
 *
 *     t = V_Aᵀ Z V_B                              from the codes, row after row of atoms
 *     r = c − σ∘t                                 Σr² is the error of these codes
 *     M = g∘r                                     GHT-QPM
 *     M = g∘(r − fσ∘(t − q)),   q ← t + M         GHT-ADMM, f = ρᵏ⁻¹/ρᵏ; f = 0 in the first iteration
 *     X = Z + V_A M V_Bᵀ                          candidates for the next codes
 *
 * A thread has one patch and keeps its coordinates in registers, first t, then M. V_B is written into the code as literals and what
 * is zero in it left out; V_A is read in a loop over the rows of atoms, since the code for all rows would not fit into the cache.
 */
import type { Matrix } from '../../../math/matrix.js';
import { padded, type Shape } from '../../shape.js';
import { entryPoint } from '../gpu.js';
import { countNear, storeCandidates, survivors } from './candidates.js';
import { codeLayout, passReads, passWrites, placesInCodes } from './layout.js';
import { type Dual, middle, sumErrors, tablesStruct } from './middle.js';
import { ABOVE, COARSE, type Counting, idle, stateStruct } from './state.js';

/** Vectors of four coordinates that are read together: enough to hide the latency of memory, few enough for the registers. */
const TOGETHER = 4;

/** The pass in registers. */
export function registerPass(shape: Shape, counting: Counting, dual: Dual): string {
  const [A, B] = shape.parts;
  if (!B) throw new Error('only a separable dictionary fits into registers');
  const layout = codeLayout(shape);
  const [RA, RB, width] = [A.sigma.length, B.sigma.length, padded(B.sigma.length)];
  const apart = columnApart(A.V);
  const [as, bs] = [range(RA), range(RB)];
  const inLoop = as.filter((a) => a !== apart);
  const blocks = range(layout.rowBlocks);
  const atoms = range(layout.rowAtoms);
  const t = (a: number, b: number) => `t${a}_${b}`;
  const fours = as.flatMap((a) =>
    range(width / 4).map((k) => ({
      k: (a * width) / 4 + k,
      t: range(4).map((c) => (4 * k + c < RB ? t(a, 4 * k + c) : undefined)),
    })),
  );
  // Where one word has the bits of all rows, it is read and written once.
  const oneWord = layout.words === 1;
  const perWord = `${layout.wordRows}u`;
  const shift = `(${layout.rowBlocks}u * (i % ${perWord}))`;

  /** Row i of Z: its stored blocks, or zeros. All of them are asked for before the first is used, which would wait for it. */
  const readRow = (i: string) =>
    [
      ...blocks.map(
        (k) => `var x${k} = vec4f(0.0);
    if ((m & ${2 ** k}u) != 0u) { x${k} = codes[blockAt + ${32 * layout.rowBlocks}u * ${i} + ${32 * k}u]; }`,
      ),
      ...blocks.map((k) => `let z${k} = ${survivors(`x${k}`)};`),
    ].join('\n    ');
  /** Row i of V_A, in vectors. */
  const rowOfA = range(padded(RA) / 4)
    .map((k) => `let v${k} = u.V[${padded(RA) / 4}u * i + ${k}u];`)
    .join(' ');
  const rowTimesB = bs.map((b) => `let w${b} = ${sum(atoms.map((j) => [entry(B.V, j, b), lane('z', j)]))};`);
  const analyse = (columns: string[]) => `${rowTimesB.join('\n    ')}
    ${columns.join('\n    ')}`;
  const analyseRow = analyse(
    inLoop.map((a) => bs.map((b) => `${t(a, b)} = fma(${lane('v', a)}, w${b}, ${t(a, b)});`).join(' ')),
  );
  const columnTimesA = bs.map((b) => `let w${b} = ${chain(inLoop.map((a) => [lane('v', a), t(a, b)]))};`);
  /** Row i of X from `w`, and its candidates. */
  const makeRow = (i: string) => `${atoms
    .map(
      (j) =>
        `let y${j} = ${sum(
          bs.map((b) => [entry(B.V, j, b), `w${b}`]),
          lane('z', j),
        )};`,
    )
    .join('\n    ')}
    var made = 0u;
    ${blocks
      .map((k) => {
        const four = range(4).map((c) => (4 * k + c < layout.rowAtoms ? `y${4 * k + c}` : '0.0'));
        const at = `blockAt + ${32 * layout.rowBlocks}u * ${i} + ${32 * k}u`;
        return storeCandidates(`vec4f(${four.join(', ')})`, at, `${2 ** k}u`);
      })
      .join('\n    ')}`;

  /** The bits of row i of Z. */
  const rowBits = oneWord
    ? `sourceBits >> (${layout.rowBlocks}u * i)`
    : `masks[maskAt + 32u * (i / ${perWord})] >> ${shift}`;
  /** All rows. Where the DC atom meets only the DC coordinate, and nothing else does, its row stands apart. */
  const rows = (first: (a: number) => string, each: string) => `
  ${
    apart === undefined
      ? ''
      : `{ let i = 0u; let m = ${rowBits};
    ${first(apart)} }`
  }
  for (var i = ${apart === undefined ? 0 : 1}u; i < ${layout.rows}u; i++) {
    let m = ${rowBits};
    ${rowOfA}
    ${each}
  }`;
  /** Puts the bits of a row into the mask, which is stored with the last row of its word. */
  const keepBits = oneWord
    ? `mask |= made << (${layout.rowBlocks}u * i);`
    : `mask |= made << ${shift};
    if ((i + 1u) % ${perWord} == 0u || i == ${layout.rows - 1}u) { candidateMasks[maskAt + 32u * (i / ${perWord})] = mask; mask = 0u; }`;

  return `${stateStruct}
${tablesStruct(layout.rows * (padded(RA) / 4), shape.R4)}
${placesInCodes(layout)}
@group(0) @binding(0) var<uniform> u: Tables;
${passReads}
@group(0) @binding(3) var<storage, read> C: array<vec4f>;
${passWrites}
@group(0) @binding(8) var<storage, read_write> reports: array<vec2u>;
@group(0) @binding(9) var<storage, read_write> histogram: array<atomic<u32>>;
${dual === 'none' ? '' : '@group(0) @binding(10) var<storage, read_write> Q: array<vec4f>;'}
var<workgroup> sums: array<f32, 64>;
var<workgroup> count: atomic<u32>;
${countNear(counting)}

${entryPoint(64)}
  let pair = group * s.step;
  if (${idle} || pair >= place.y) { return; }
  let tile = 2u * pair + (me >> 5u); let lane = me & 31u;
  let blockAt = blocksAt(tile, lane); let maskAt = masksAt(tile, lane);
  ${oneWord ? 'let sourceBits = masks[maskAt];' : ''}
  let T = bitcast<f32>(s.T + select(0u, 1u, place.x + 32u * tile + lane > s.tie));
  let lo = bitcast<f32>(s.lo); let hi = bitcast<f32>(s.hi);
  ${as.flatMap((a) => bs.map((b) => `var ${t(a, b)} = 0.0;`)).join(' ')}
  var error = 0.0; var above = 0u; var mask = 0u;
  ${rows(
    (a) => `${readRow('i')}
    ${analyse(bs.map((b) => `${t(a, b)} = ${sum([[entry(A.V, 0, a), `w${b}`]])};`))}`,
    `${readRow('i')}
    ${analyseRow}`,
  )}
  let at = tile * ${8 * shape.R4}u + lane;
  ${range(Math.ceil(fours.length / TOGETHER))
    .map((i) => middle(dual, fours.slice(i * TOGETHER, (i + 1) * TOGETHER)))
    .join('\n  ')}
  ${rows(
    (a) => `${readRow('i')}
    ${bs.map((b) => `let w${b} = ${sum([[entry(A.V, 0, a), t(a, b)]])};`).join('\n    ')}
    ${makeRow('i')}
    ${keepBits}`,
    `${readRow('i')}
    ${columnTimesA.join('\n    ')}
    ${makeRow('i')}
    ${keepBits}`,
  )}
  ${oneWord ? 'candidateMasks[maskAt] = mask;' : ''}
  ${sumErrors(64)}
  atomicAdd(&count, above);
  workgroupBarrier();
  if (me == 0u) {
    reports[place.x / 64u + pair] = vec2u(bitcast<u32>(sums[0]), atomicLoad(&seen));
    atomicAdd(&histogram[${2 ** counting.logBins + 2 ** counting.logBins / COARSE}u + (pair % ${ABOVE}u)], atomicLoad(&count));
  }
}`;
}

/** The column that the first row has its only entry in, if no other row has one there: that of the DC atom. */
function columnApart(V: Matrix): number | undefined {
  const columns = range(V.cols).filter((a) => entry(V, 0, a) !== 0);
  if (columns.length !== 1 || V.rows < 2) return undefined;
  return range(V.rows).every((i) => i === 0 || entry(V, i, columns[0]) === 0) ? columns[0] : undefined;
}

function entry(V: Matrix, i: number, j: number): number {
  return Math.fround(V.data[j * V.rows + i]);
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** Component i of a row of vectors, \`z0.x\` on. */
function lane(name: string, i: number): string {
  return `${name}${i >> 2}.${'xyzw'[i & 3]}`;
}

/** Σ factor · value with known factors, those that are zero left out, from `start` on. */
function sum(terms: readonly (readonly [factor: number, value: string])[], start = ''): string {
  const there = terms.filter(([factor]) => factor !== 0);
  return chain(
    there.map(([factor, value]) => [literal(factor), value]),
    start,
  );
}

/** Σ factor · value as a chain of fused multiply-adds, from `start` on. */
function chain(terms: readonly (readonly [factor: string, value: string])[], start = ''): string {
  return (
    terms.reduce((so, [factor, value]) => (so ? `fma(${factor}, ${value}, ${so})` : `${factor} * ${value}`), start) ||
    '0.0'
  );
}

/** A float32 in WGSL: nine digits tell all of them apart. */
function literal(x: number): string {
  return `${x.toPrecision(9)}f`;
}
