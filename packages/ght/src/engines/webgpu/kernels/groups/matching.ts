/**
 * Block matching, as in groups/matching.ts: one workgroup per reference, one thread per run of neighbouring places of a row of the
 * search window. A thread adds up the squared differences of its run in registers, row by row of the patch, so that a sample is
 * loaded once for all places of the run. The window lies in workgroup memory, in strips of rows where it is larger.
 *
 * The members are chosen without a sort. The reference's own place is left out, and candidates are ordered by distance, then by
 * place, so no two are equal. Of all threads, take each one's nearest candidate; let b be the `others`-th nearest of those. At
 * least `others` candidates are as near as b, so every member is; and all that are as near as b belong to `others` threads, so
 * they are few. Each of them then counts how many are nearer than it: that is its number in the group.
 */
import type { Pass } from '../../../../groups/recipes.js';
import { builtins, each, HEADER, partStruct, WORKGROUP_BYTES } from './target.js';

/** How the search window is spread over threads. */
export interface Spread {
  /** Places along each axis. */
  readonly side: number;
  /** Places of a thread, and threads per row. */
  readonly run: number;
  readonly threadsPerRow: number;
  readonly threads: number;
  /** Floats from one row of the window to the next, and rows of a strip of it. */
  readonly pitch: number;
  readonly strip: number;
  /** Words of workgroup memory for a strip, and afterwards for the candidates. */
  readonly words: number;
}

/** Memory for all but the strip: the patch of the reference, the nearest candidates of threads, counters. */
const reserved = (N: number, threads: number) => 4 * (N + threads) + 64;
const LANES = 32;
/** Threads of a workgroup, at most. */
const MOST_THREADS = 256;

/** The spread of a pass; undefined if its window or its groups are too large for one workgroup. */
export function spreadOf({ patch, reach, members }: Pick<Pass, 'patch' | 'reach' | 'members'>): Spread | undefined {
  const side = 2 * reach + 1;
  const spreads: Spread[] = [];
  // An odd run and a pitch that continues it from row to row let 32 threads read from 32 banks.
  for (let run = 1; run <= 31; run += 2) {
    const threadsPerRow = Math.ceil(side / run);
    const threads = LANES * Math.ceil(Math.max(side * threadsPerRow, members - 1) / LANES);
    let pitch = threadsPerRow * run;
    while (pitch < threadsPerRow * run + patch - 1) pitch += LANES;
    const room = Math.floor((WORKGROUP_BYTES - reserved(patch * patch, threads)) / 4);
    const rows = side + patch - 1;
    // Strips of about equal height.
    const strips = Math.ceil(rows / Math.floor(room / pitch));
    const strip = Math.ceil(rows / strips);
    const words = Math.max(strip * pitch, 2 * (members - 1) * run);
    if (threads <= MOST_THREADS && words <= room && Number.isFinite(strips))
      spreads.push({ side, run, threadsPerRow, threads, pitch, strip, words });
  }
  // Time is differences and the loads for them, in all threads; a thread more costs as if it had a run.
  const cost = ({ run, threads }: Spread) => threads * (2 * run * patch + run + 2 * patch);
  return spreads.sort((a, b) => cost(a) - cost(b))[0];
}

/**
 * The kernel: binding 0 the part, 1 the guide, 2 the lists of the groups. A list has the number of its members, and from word
 * `HEADER` on the index of the first sample of each.
 */
export function matchingKernel(pass: Pass, spread: Spread): string {
  const { patch, reach } = pass;
  const { side, run, threadsPerRow, threads, pitch, strip, words } = spread;
  const N = patch * patch;
  const rows = side + patch - 1;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> guide: array<f32>;
@group(0) @binding(2) var<storage, read_write> lists: array<u32>;
/** A strip of the window; later the candidates, each with the bits of its distance and its place. */
var<workgroup> memory: array<u32, ${words}>;
var<workgroup> own: array<f32, ${N}>;
var<workgroup> nearest: array<u32, ${threads}>;
var<workgroup> bound: vec2u;
var<workgroup> found: atomic<u32>;
const NONE = 0x7f800000u;

/** Distances are not negative, so they are in the order of their bits. */
fn before(a: vec2u, b: vec2u) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

@compute @workgroup_size(${threads})
fn main(${builtins}) {
  let n = groupNumber(workgroup, workgroups);
  if (n >= part.count) { return; }
  let reference = vec2i(placeOfReference(n));
  let size = vec2i(i32(part.width), i32(part.height));
  let corner = reference - ${reach};
  for (var i = me; i < ${N}u; i += ${threads}u) {
    own[i] = guide[u32(reference.y + i32(i / ${patch}u)) * part.width + u32(reference.x) + i % ${patch}u];
  }

  if (me == 0u) { atomicStore(&found, 0u); }

  let row = min(me / ${threadsPerRow}u, ${side - 1}u);
  let column = me % ${threadsPerRow}u * ${run}u;
  ${each(run, (c) => `var d${c} = 0.0;`)}
  for (var top = 0u; top < ${rows}u; top += ${strip}u) {
    workgroupBarrier();
    // Samples beyond the picture belong to places that are no candidates.
    for (var v = me / ${LANES}u; v < ${strip}u; v += ${threads / LANES}u) {
      let line = u32(clamp(corner.y + i32(top + v), 0, size.y - 1)) * part.width;
      for (var u = me % ${LANES}u; u < ${rows}u; u += ${LANES}u) {
        memory[v * ${pitch}u + u] = bitcast<u32>(guide[line + u32(clamp(corner.x + i32(u), 0, size.x - 1))]);
      }
    }
    workgroupBarrier();
    let end = min(${patch}u, max(top + ${strip}u, row) - row);
    for (var r = max(top, row) - row; r < end; r++) {
      let at = (row + r - top) * ${pitch}u + column;
      ${each(run + patch - 1, (i) => `let a${i} = bitcast<f32>(memory[at + ${i}u]);`)}
      ${each(patch, (i) => `let r${i} = own[r * ${patch}u + ${i}u];`)}
      ${each(run, (c) => each(patch, (i) => `{ let e = a${c + i} - r${i}; d${c} = fma(e, e, d${c}); }`))}
    }
  }

  let y = corner.y + i32(row);
  let inside = me < ${side * threadsPerRow}u && y >= 0 && y <= size.y - ${patch};
  let first = corner.x + i32(column);
  // The last run of a row may reach beyond the window.
  let last = min(size.x - ${patch}, reference.x + ${reach});
  ${each(
    run,
    (c) =>
      `let k${c} = select(NONE, bitcast<u32>(d${c}), inside && first >= ${-c} && first <= last - ${c} && !(first == reference.x - ${c} && y == reference.y));`,
  )}
  var mine = vec2u(NONE, me * ${run}u);
  ${each(run, (c) => `if (k${c} < mine.x) { mine = vec2u(k${c}, me * ${run}u + ${c}u); }`)}
  nearest[me] = mine.x;
  workgroupBarrier();

  var rank = 0u;
  for (var t = 0u; t < ${threads}u; t += 4u) {
    // Of equal distances that of the thread before is nearer.
    ${each(4, (i) => `rank += u32(nearest[t + ${i}u] < mine.x + u32(t + ${i}u < me));`)}
  }
  let others = part.listWords - ${HEADER + 1}u;
  if (rank + 1u == others) { bound = mine; }
  workgroupBarrier();

  if (rank < others) {
    ${each(
      run,
      (c) => `{
      let candidate = vec2u(k${c}, me * ${run}u + ${c}u);
      if (k${c} != NONE && !before(bound, candidate)) {
        let i = atomicAdd(&found, 1u);
        memory[2u * i] = candidate.x;
        memory[2u * i + 1u] = candidate.y;
      }
    }`,
    )}
  }
  workgroupBarrier();

  let candidates = atomicLoad(&found);
  let list = n * part.listWords;
  for (var i = me; i < candidates; i += ${threads}u) {
    let candidate = vec2u(memory[2u * i], memory[2u * i + 1u]);
    var number = 0u;
    for (var j = 0u; j < candidates; j++) {
      number += u32(before(vec2u(memory[2u * j], memory[2u * j + 1u]), candidate));
    }
    if (number < others) {
      let at = vec2u(corner + vec2i(vec2u(candidate.y % ${threadsPerRow * run}u, candidate.y / ${threadsPerRow * run}u)));
      lists[list + ${HEADER + 1}u + number] = at.y * part.width + at.x;
    }
  }
  if (me == 0u) {
    lists[list] = 1u + min(candidates, others);
    lists[list + ${HEADER}u] = u32(reference.y) * part.width + u32(reference.x);
  }
}`;
}
