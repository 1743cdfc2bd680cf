/**
 * Noise that depends on brightness and frequency, as in denoisers/groups/whitening.ts. The header of a list has the place of the group between
 * two rows of deviations: the number of the first row in word 1, and in word 2 how far it is on the way to the next, from 0 to 1.
 */

import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { LEAST_DEVIATION } from '../../../../denoisers/groups/whitening.js';
import { entryPoint } from '../../gpu.js';
import { float, HEADER, haarMembers, isAlone, partStruct } from './target.js';

/**
 * Finds the brightness of every group, the mean of its patches on the first plane of the guide. One thread per sample adds it up over
 * the members. Buffers: the part, that plane, the lists, the brightnesses of the rows.
 */
export function brightnessKernel(pass: Pass): string {
  const { patch, filter } = pass;
  const N = patch * patch;
  const taken =
    filter.kind === 'rank' ? 'lists[list]' : `min(1u << firstLeadingBit(lists[list]), ${haarMembers(pass)}u)`;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> guide: array<f32>;
@group(0) @binding(2) var<storage, read_write> lists: array<u32>;
@group(0) @binding(3) var<storage, read> brightness: array<f32>;
var<workgroup> sums: array<f32, ${N}>;

${entryPoint(N)}
  let n = group;
  if (n >= part.count) { return; }
  let list = n * part.listWords;
  let offset = me / ${patch}u * part.width + me % ${patch}u;
  ${
    isAlone(pass)
      ? `let reference = placeOfReference(n);
  let count = 1u;
  let sum = guide[reference.y * part.width + reference.x + offset];`
      : `let count = ${taken};
  var sum = 0.0;
  for (var k = 0u; k < count; k++) { sum += guide[lists[list + ${HEADER}u + k] + offset]; }`
  }
  sums[me] = sum;
  workgroupBarrier();
  if (me > 0u) { return; }
  var all = 0.0;
  for (var i = 0u; i < ${N}u; i++) { all += sums[i]; }
  let value = all / f32(count * ${N}u);
  let rows = arrayLength(&brightness);
  var b = 0u;
  while (b + 2u < rows && value > brightness[b + 1u]) { b++; }
  let gap = select(1.0, brightness[min(b + 1u, rows - 1u)] - brightness[b], rows > 1u);
  lists[list + 1u] = b;
  lists[list + 2u] = bitcast<u32>(clamp((value - brightness[b]) / gap, 0.0, 1.0));
}`;
}

/** The deviation of a frequency in the group of a list: interpolated between two rows. `deviations` has the last row twice. */
export function deviationAt(N: number): string {
  return `
fn deviationAt(list: u32, frequency: u32) -> f32 {
  let at = lists[list + 1u] * ${N}u + frequency;
  let low = deviations[at];
  return max(${float(LEAST_DEVIATION)}, fma(bitcast<f32>(lists[list + 2u]), deviations[at + ${N}u] - low, low));
}`;
}
