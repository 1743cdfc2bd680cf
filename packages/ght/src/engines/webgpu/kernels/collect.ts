/** What is read back of codes: sums over patches, and the codes themselves without gaps. */
import { entryPoint } from '../gpu.js';
import { numberAt, storage } from './pursuit.js';

/** Patches whose sums are made by one workgroup, in a fixed order, and its threads. */
export const SUM_CHUNK = 4096;
const SUM_GROUP = 128;

/**
 * Sums over the patches of each chunk. Row 0 of a `course` is the final error of each patch, and row k what its k-th atom gained:
 *
 *     sums(chunk, 0) = (Σ error, Σ atoms),    sums(chunk, k) = (Σ gain of the k-th atom, how many patches have one)
 *
 * Buffers: course with `rows` rows, counts, sums, (patches, rows).
 */
export function sumKernel(): string {
  return `
struct Sum { value: f32, count: u32 }
${storage(0, 'course', 'f32', 'read')}
${storage(1, 'counts', 'u32', 'read')}
${storage(2, 'sums', 'Sum', 'read_write')}
@group(0) @binding(3) var<uniform> task: vec4u;
var<workgroup> parts: array<Sum, ${SUM_GROUP}>;
${entryPoint(SUM_GROUP, 'lane')}
  let rows = task.y;
  let k = group % rows;
  let first = group / rows * ${SUM_CHUNK}u;
  var own = Sum(0.0, 0u);
  for (var p = first + lane; p < min(first + ${SUM_CHUNK}u, task.x); p += ${SUM_GROUP}u) {
    if (k <= counts[p]) {
      own.value += course[${numberAt('rows', 'k')}];
      own.count += select(1u, counts[p], k == 0u);
    }
  }
  parts[lane] = own;
  for (var half = ${SUM_GROUP / 2}u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      parts[lane].value += parts[lane + half].value;
      parts[lane].count += parts[lane + half].count;
    }
  }
  if (lane == 0u && first < task.x) { sums[group] = parts[0]; }
}`;
}

/** Threads of a workgroup of {@link packKernel}, and so patches. */
export const PACK_GROUP = 64;

/**
 * The codes of all patches one after the other, atoms in rising order; a patch's begin at `begins`. Buffers: atoms and values
 * with `rows` rows, begins, and the packed atoms and values, (patches, rows).
 */
export function packKernel(): string {
  return `
${storage(0, 'atoms', 'u32', 'read')}
${storage(1, 'values', 'f32', 'read')}
${storage(2, 'begins', 'u32', 'read')}
${storage(3, 'packedAtoms', 'u32', 'read_write')}
${storage(4, 'packedValues', 'f32', 'read_write')}
@group(0) @binding(5) var<uniform> task: vec4u;
${entryPoint(PACK_GROUP, 'lane')}
  let p = group * ${PACK_GROUP}u + lane;
  if (p >= task.x) { return; }
  let begin = begins[p];
  let n = begins[p + 1u] - begin;
  for (var i = 0u; i < n; i++) {
    let at = ${numberAt('task.y', 'i')};
    let atom = atoms[at];
    var smaller = 0u;
    for (var k = 0u; k < n; k++) { smaller += u32(atoms[${numberAt('task.y', 'k')}] < atom); }
    packedAtoms[begin + smaller] = atom;
    packedValues[begin + smaller] = values[at];
  }
}`;
}
