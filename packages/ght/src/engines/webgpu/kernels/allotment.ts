/**
 * How joint OMP divides its budget (`sparse/solvers/joint-omp.ts`), a thread per patch: the prices at which each path buys its atoms, the
 * counts from which their S-th largest is found (`sparse/budget/rank.ts`), and the atoms that each patch gets.
 */
import { FINENESS } from '../../../sparse/budget/worth.js';
import { entryPoint } from '../gpu.js';
import { numberAt, storage } from './pursuit.js';

/** Threads of a workgroup, and so patches. */
export const ALLOTMENT_GROUP = 128;

/** A module with a thread per patch of a run, or of a list; `task` are further members of its uniform. */
function patchModule(declarations: string, task: string, body: string): string {
  return `
struct Task { count: u32, listed: u32, rows: u32, ${task} }
${storage(0, 'followed', 'u32', 'read_write')}
${storage(1, 'prices', 'f32', 'read_write')}
${storage(2, 'list', 'u32', 'read')}
@group(0) @binding(3) var<uniform> task: Task;
${declarations}
${entryPoint(ALLOTMENT_GROUP, 'lane')}
  let chunk = group;
  let place = chunk * ${ALLOTMENT_GROUP}u + lane;
  let here = place < task.count;
  var p = place;
  if (here && task.listed != 0u) { p = list[place + 1u]; }
  ${body}
}`;
}

/**
 * The gains of each path become the prices at which its atoms are bought, and its length n(low) = argmax_k Σ_{i≤k} (gainᵢ − low).
 * The prices fall: each run of rising gains has its mean for a price, the steepest chord of the envelope.
 */
export function envelopeKernel(): string {
  const at = (k: string) => `prices[${numberAt('task.rows', k)}]`;
  return patchModule(
    '',
    'low: f32',
    `if (!here) { return; }
  // Σ(gain − low) since it was largest: a small gain would be lost in the whole sum.
  var sum = 0.0;
  var n = 0u;
  for (var k = 0u; k < followed[p]; k++) {
    sum += ${at('k')} - task.low;
    if (sum > 0.0) { sum = 0.0; n = k + 1u; }
  }
  followed[p] = n;
  var begin = 0u;
  loop {
    if (begin >= n) { break; }
    sum = 0.0;
    var steepest = -1.0;
    var end = begin;
    for (var k = begin; k < n; k++) {
      sum += ${at('k')};
      let mean = sum / f32(k + 1u - begin);
      if (mean >= steepest) { steepest = mean; end = k + 1u; }
    }
    for (; begin < end; begin++) { ${at('begin')} = steepest; }
  }`,
  );
}

/** How prices are counted: by their first 16 bits without the sign, by the next 15 of those that begin so, or in units of worth. */
export type Counting = 'first' | 'second' | 'worth';

/** Counts prices into `histogram`. `key` is the first digit that is looked for, or the last bucket of worth. */
export function countKernel(counting: Counting): string {
  const add = {
    first: 'atomicAdd(&histogram[bits >> 15u], 1u);',
    second: 'if (bits >> 15u == task.key) { atomicAdd(&histogram[bits & 0x7fffu], 1u); }',
    worth: `atomicAdd(&histogram[min(u32(min(price / task.price * ${FINENESS}.0, 1e6)), task.key)], 1u);`,
  }[counting];
  return patchModule(
    storage(4, 'histogram', 'atomic<u32>', 'read_write'),
    'key: u32, price: f32',
    `if (!here) { return; }
  for (var k = 0u; k < followed[p]; k++) {
    let price = prices[${numberAt('task.rows', 'k')}];
    let bits = bitcast<u32>(price);
    ${add}
  }`,
  );
}

/**
 * The atoms that each patch gets: those above the threshold, and of those at it, in the order of the patches, as many as a chunk
 * (the patches of a workgroup) has in `quotas`. Patches with more than `depth` atoms are appended to `deep`. Buffers: counts,
 * ties per chunk, quotas, the deep patches and their number.
 */
export function allotKernel(): string {
  const declarations = [
    storage(4, 'counts', 'u32', 'read_write'),
    storage(5, 'ties', 'u32', 'read_write'),
    storage(6, 'quotas', 'u32', 'read'),
    'struct List { length: atomic<u32>, patches: array<u32> }',
    '@group(0) @binding(7) var<storage, read_write> deep: List;',
    `var<workgroup> equals: array<u32, ${ALLOTMENT_GROUP}>;`,
  ].join('\n');
  return patchModule(
    declarations,
    'threshold: u32, depth: u32',
    `var above = 0u;
  var equal = 0u;
  if (here) {
    for (var k = 0u; k < followed[p]; k++) {
      let bits = bitcast<u32>(prices[${numberAt('task.rows', 'k')}]);
      above += u32(bits > task.threshold);
      equal += u32(bits == task.threshold);
    }
  }
  equals[lane] = equal;
  workgroupBarrier();
  var before = 0u;
  for (var i = 0u; i < lane; i++) { before += equals[i]; }
  if (lane == ${ALLOTMENT_GROUP - 1}u) { ties[chunk] = before + equal; }
  if (!here) { return; }
  let quota = quotas[chunk];
  let n = above + min(equal, quota - min(quota, before));
  counts[p] = n;
  if (n > task.depth) { deep.patches[atomicAdd(&deep.length, 1u)] = p; }`,
  );
}
