/**
 * The threshold and the Wiener filter of denoisers/groups/filters.ts. A workgroup has one group, or several small ones, in workgroup memory.
 * One thread per row, then per column, transforms the patches; one thread per coefficient takes Haar along the group, shrinks the
 * coefficients, and goes back; then columns and rows again, and one thread per sample adds it to the sums. The pilot of the Wiener
 * filter goes first through the same memory, and leaves its gains in registers.
 */

import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { transformOf } from '../../../../denoisers/groups/transforms.js';
import { entryPoint } from '../../gpu.js';
import { sumsFrom } from './aggregation.js';
import { each, HEADER, haarMembers, isAlone, nowhere, partStruct, WORKGROUP_BYTES } from './target.js';
import { alongLine, haar, inverseHaar, patchFloats } from './transforms.js';
import { deviationAt } from './whitening.js';

/** Threads of a workgroup. */
const THREADS = 128;

/** Groups of a workgroup, so that there is a row for every thread. */
export function groupsTogether(pass: Pass): number {
  return Math.max(1, Math.floor(THREADS / (pass.patch * haarMembers(pass))));
}

/** Whether the groups of a pass fit into workgroup memory. */
export function filterFits(pass: Pass): boolean {
  const slots = groupsTogether(pass) * haarMembers(pass);
  const floats = slots * (patchFloats(pass.patch) + 1) + groupsTogether(pass) * (pass.patch ** 2 + 2);
  return 4 * floats <= WORKGROUP_BYTES;
}

/**
 * The kernel of a plane. Buffers: the part, the plane to filter, the pilot, the lists, the window, the sums, the
 * deviations of the noise if it is not white.
 */
export function filterKernel(pass: Pass, whitened: boolean): string {
  const { patch, filter } = pass;
  if (filter.kind === 'rank') throw new Error('not a filter of coefficients');
  const wiener = filter.kind === 'wiener';
  const alone = isAlone(pass);
  const N = patch * patch;
  const most = haarMembers(pass);
  const together = groupsTogether(pass);
  const slots = together * most;
  const pitch = patchFloats(patch);
  // Whitened patches are coefficients of the DCT.
  const { analysis, synthesis } = transformOf(whitened ? 'dct' : filter.transform, patch);
  /** Coefficients of a thread: its number, and the others a workgroup further. */
  const shares = Math.ceil((together * N) / THREADS);

  const overLines = (body: string) => `for (var line = me; line < ${slots * patch}u; line += ${THREADS}u) {
    let slot = line / ${patch}u;
    let i = line % ${patch}u;
    let at = slot * ${pitch}u;
    ${body}
  }
  workgroupBarrier();`;

  const analyse = (plane: string) => `
  for (var sample = me; sample < ${slots * N}u; sample += ${THREADS}u) {
    let slot = sample / ${N}u;
    let row = sample % ${N}u / ${patch}u;
    let column = sample % ${patch}u;
    var value = 0.0;
    if (places[slot] != NOWHERE) { value = ${plane}[places[slot] + row * part.width + column]; }
    patches[slot * ${pitch}u + row * ${patch + 1}u + column] = value;
  }
  workgroupBarrier();
  ${overLines(alongLine(analysis, 'row', 'at', 'i'))}
  ${overLines(alongLine(analysis, 'column', 'at', 'i'))}`;

  /** For every coefficient of this thread, with its group, its frequency and its place in memory. */
  const overCoefficients = (body: (share: number) => string) =>
    each(
      shares,
      (share) => `if (me + ${share * THREADS}u < ${together * N}u) {
    let item = me + ${share * THREADS}u;
    let group = item / ${N}u;
    let frequency = item % ${N}u;
    let count = counts[group];
    let at = group * ${most * pitch}u + frequency / ${patch}u * ${patch + 1}u + frequency % ${patch}u;
    ${whitened ? `let s = deviationAt((first + group) * part.listWords, frequency);` : ''}
    ${body(share)}
  }`,
    );

  /** The coefficients h0, h1, … of a frequency along the group. */
  const load = `
    ${each(most, (k) => `var h${k} = patches[at + ${k * pitch}u]${whitened ? ' / s' : ''};`)}
    ${haar('h', most, 'count')}`;
  const store = `
    ${inverseHaar('h', most, 'count')}
    ${each(most, (k) => `patches[at + ${k * pitch}u] = h${k}${whitened ? ' * s' : ''};`)}`;

  const gain = (share: number, k: number) => `g${share}_${k}`;
  const pilot = `${each(shares, (share) => each(most, (k) => `var ${gain(share, k)} = 0.0;`))}
  ${analyse('pilot')}
  ${overCoefficients(
    (share) => `${load}
    var squares = 0.0;
    ${each(
      most,
      (
        k,
      ) => `{ let p = h${k} * h${k}; let g = ${k === 0 ? 'select(p / (p + 1.0), 1.0, frequency == 0u)' : 'p / (p + 1.0)'};
      ${gain(share, k)} = g; squares = fma(g, g, squares); }`,
    )}
    shares[item] = squares;`,
  )}
  workgroupBarrier();`;
  const shrinkByGains = (share: number) => `${load}
    ${each(most, (k) => `h${k} *= ${gain(share, k)};`)}
    ${store}`;

  // The members beyond `count` are 0, which a threshold of 0 would count as kept.
  const keep = (k: number) => `(abs(h${k}) >= part.level && ${k}u < count)${k === 0 ? ' || frequency == 0u' : ''}`;
  const shrinkByThreshold = `${load}
    var kept = 0.0;
    ${each(most, (k) => `if (${keep(k)}) { kept += 1.0; } else { h${k} = 0.0; }`)}
    ${store}
    shares[item] = kept;`;

  return `${partStruct(pass)}
${nowhere}
@group(0) @binding(1) var<storage, read> noisy: array<f32>;
${wiener ? '@group(0) @binding(2) var<storage, read> pilot: array<f32>;' : ''}
${alone && !whitened ? '' : '@group(0) @binding(3) var<storage, read> lists: array<u32>;'}
@group(0) @binding(4) var<uniform> window: array<vec4f, ${Math.ceil(N / 4)}>;
${sumsFrom(5)}
${whitened ? `@group(0) @binding(9) var<storage, read> deviations: array<f32>;${deviationAt(N)}` : ''}
var<workgroup> patches: array<f32, ${slots * pitch}>;
/** The first sample of every patch. */
var<workgroup> places: array<u32, ${slots}>;
/** The members of each group, the shares of its coefficients in 1 / weight, and its weight. */
var<workgroup> counts: array<u32, ${together}>;
var<workgroup> shares: array<f32, ${together * N}>;
var<workgroup> weights: array<f32, ${together}>;

${entryPoint(THREADS)}
  let first = group * ${together}u;
  if (first >= part.count) { return; }
  for (var slot = me; slot < ${slots}u; slot += ${THREADS}u) {
    let group = slot / ${most}u;
    let n = first + group;
    let k = slot % ${most}u;
    var place = NOWHERE;
    if (n < part.count) {
      ${
        alone
          ? `let reference = placeOfReference(n);
      place = reference.y * part.width + reference.x;
      counts[group] = 1u;`
          : `let list = n * part.listWords;
      // Haar needs a power of two: the most distant members are left out.
      let count = min(1u << firstLeadingBit(lists[list]), ${most}u);
      if (k < count) { place = lists[list + ${HEADER}u + k]; }
      if (k == 0u) { counts[group] = count; }`
      }
    }
    places[slot] = place;
  }
  workgroupBarrier();
  ${wiener ? pilot : ''}
  ${analyse('noisy')}
  ${overCoefficients(wiener ? shrinkByGains : () => shrinkByThreshold)}
  workgroupBarrier();
  if (me < ${together}u) {
    var sum = 0.0;
    for (var i = 0u; i < ${N}u; i++) { sum += shares[me * ${N}u + i]; }
    weights[me] = 1.0 / sum;
  }
  ${overLines(alongLine(synthesis, 'column', 'at', 'i'))}
  ${overLines(alongLine(synthesis, 'row', 'at', 'i'))}
  for (var sample = me; sample < ${slots * N}u; sample += ${THREADS}u) {
    let slot = sample / ${N}u;
    let i = sample % ${N}u;
    let row = i / ${patch}u;
    let column = i % ${patch}u;
    if (places[slot] != NOWHERE) {
      let weight = weights[slot / ${most}u] * window[i / 4u][i % 4u];
      addSample(places[slot] + row * part.width + column, weight, patches[slot * ${pitch}u + row * ${patch + 1}u + column]);
    }
  }
}`;
}
