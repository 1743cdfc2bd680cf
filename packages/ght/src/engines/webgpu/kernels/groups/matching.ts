/**
 * Block matching, as in denoisers/groups/matching.ts: one workgroup per reference, one thread per run of neighbouring places of a row of the
 * search window. A thread adds up the squared differences of its run in registers, row by row of the patch, so that a sample is
 * loaded once for all places of the run. The window lies in workgroup memory, in strips of rows where it is larger.
 *
 * The members are chosen without a sort. The reference's own place is left out, and candidates are ordered by distance, then by
 * place, so no two are equal. Of all threads, take each one's nearest candidate; let b be the `others`-th nearest of those. At
 * least `others` candidates are as near as b, so every member is; and all that are as near as b belong to `others` threads. These
 * go into bins by their distances. A member's number in the group is that of the candidates in the bins before its own, plus that of
 * the nearer ones in its own bin, which are few.
 */

import type { Pass } from '../../../../denoisers/groups/recipes.js';
import { entryPoint } from '../../gpu.js';
import { each, HEADER, partStruct, WORKGROUP_BYTES } from './target.js';

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

/** Bins of the candidates: a power of two, and more than most groups have members. */
const BIN_BITS = 7;
const BINS = 2 ** BIN_BITS;
/** Memory for all but the strip: the patch of the reference, the nearest candidates of threads, bins, counters. */
const reserved = (N: number, threads: number) => 4 * (N + threads + 2 * BINS) + 64;
const LANES = 32;
/** Rows of the window that a thread loads at once. */
const ROWS_AHEAD = 4;
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
 * Buffers: the part, the guide, the lists of the groups. A list has the number of its members, and from word
 * `HEADER` on the index of the first sample of each.
 */
export function matchingKernel(pass: Pass, spread: Spread): string {
  const { patch, reach } = pass;
  const { side, run, threadsPerRow, threads, pitch, strip, words } = spread;
  const N = patch * patch;
  const rows = side + patch - 1;
  /** Threads load rows of the window in teams of 32, each with this many columns. */
  const [teams, columns] = [threads / LANES, Math.ceil(rows / LANES)];
  /** Whether place c of a thread is a candidate that is as near as the bound. */
  const isNear = (c: number) => `k${c} != NONE && !before(bound, vec2u(k${c}, me * ${run}u + ${c}u))`;
  return `${partStruct(pass)}
@group(0) @binding(1) var<storage, read> guide: array<f32>;
@group(0) @binding(2) var<storage, read_write> lists: array<u32>;
/** A strip of the window; later the candidates, each with the bits of its distance and its place. */
var<workgroup> memory: array<u32, ${words}>;
var<workgroup> own: array<f32, ${N}>;
var<workgroup> nearest: array<u32, ${threads}>;
/** The candidates of each bin, and from word 0 on those of the bins before it, with all of them at the end. */
var<workgroup> bins: array<atomic<u32>, ${BINS}>;
var<workgroup> starts: array<u32, ${BINS + 1}>;
/** The smallest distance, the bound b, and the candidates of all bins in which members are. */
var<workgroup> least: u32;
var<workgroup> bound: vec2u;
var<workgroup> kept: u32;
const NONE = 0x7f800000u;

/** Distances are not negative, so they are in the order of their bits. */
fn before(a: vec2u, b: vec2u) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

/** Where a row of the picture begins; the nearest one where there is none. */
fn line(y: i32) -> u32 { return u32(clamp(y, 0, i32(part.height) - 1)) * part.width; }

${entryPoint(threads)}
  let n = group;
  if (n >= part.count) { return; }
  let reference = vec2i(placeOfReference(n));
  let size = vec2i(i32(part.width), i32(part.height));
  let corner = reference - ${reach};
  for (var i = me; i < ${N}u; i += ${threads}u) {
    own[i] = guide[u32(reference.y + i32(i / ${patch}u)) * part.width + u32(reference.x) + i % ${patch}u];
  }
  for (var b = me; b < ${BINS}u; b += ${threads}u) { atomicStore(&bins[b], 0u); }

  let row = min(me / ${threadsPerRow}u, ${side - 1}u);
  let column = me % ${threadsPerRow}u * ${run}u;
  ${each(run, (c) => `var d${c} = 0.0;`)}
  let u = me % ${LANES}u;
  ${each(columns, (j) => `let u${j} = u32(clamp(corner.x + i32(u + ${j * LANES}u), 0, size.x - 1));`)}
  for (var top = 0u; top < ${rows}u; top += ${strip}u) {
    workgroupBarrier();
    // Samples beyond the picture belong to places that are no candidates. A thread asks for several before it waits for the first.
    for (var v = me / ${LANES}u; v < ${strip}u; v += ${ROWS_AHEAD * teams}u) {
      ${each(ROWS_AHEAD, (i) => each(columns, (j) => `let s${i}_${j} = guide[line(corner.y + i32(top + v + ${i * teams}u)) + u${j}];`))}
      ${each(
        ROWS_AHEAD,
        (i) => `if (v + ${i * teams}u < ${strip}u) {
        ${each(columns, (j) => `if (u + ${j * LANES}u < ${rows}u) { memory[(v + ${i * teams}u) * ${pitch}u + u + ${j * LANES}u] = bitcast<u32>(s${i}_${j}); }`)}
      }`,
      )}
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
  if (rank == 0u) { least = mine.x; }
  if (rank + 1u == others) { bound = mine; }
  workgroupBarrier();

  let shift = u32(max(0, ${32 - BIN_BITS} - i32(countLeadingZeros(bound.x - least))));
  if (rank < others) {
    ${each(run, (c) => `if (${isNear(c)}) { atomicAdd(&bins[(k${c} - least) >> shift], 1u); }`)}
  }
  workgroupBarrier();

  for (var b = me; b <= ${BINS}u; b += ${threads}u) {
    var start = 0u;
    var last = 0u;
    for (var i = 0u; i < ${BINS}u; i += 4u) {
      ${each(4, (i) => `let n${i} = select(0u, atomicLoad(&bins[i + ${i}u]), i + ${i}u < b);`)}
      start += n0 + n1 + n2 + n3;
    }
    if (b > 0u) { last = atomicLoad(&bins[b - 1u]); }
    starts[b] = start;
    // The bin before this one is the last with members.
    if (start - last < others && (start >= others || b == ${BINS}u)) { kept = start; }
  }
  workgroupBarrier();

  // The candidates of a bin lie together, in any order.
  if (rank < others) {
    ${each(
      run,
      (c) => `if (${isNear(c)}) {
      let bin = (k${c} - least) >> shift;
      if (starts[bin] < others) {
        let i = starts[bin] + atomicSub(&bins[bin], 1u) - 1u;
        memory[2u * i] = k${c};
        memory[2u * i + 1u] = me * ${run}u + ${c}u;
      }
    }`,
    )}
  }
  workgroupBarrier();

  let list = n * part.listWords;
  for (var i = me; i < kept; i += ${threads}u) {
    let candidate = vec2u(memory[2u * i], memory[2u * i + 1u]);
    let bin = (candidate.x - least) >> shift;
    var number = starts[bin];
    for (var j = starts[bin]; j < starts[bin + 1u]; j++) {
      number += u32(before(vec2u(memory[2u * j], memory[2u * j + 1u]), candidate));
    }
    if (number < others) {
      let at = vec2u(corner + vec2i(vec2u(candidate.y % ${threadsPerRow * run}u, candidate.y / ${threadsPerRow * run}u)));
      lists[list + ${HEADER + 1}u + number] = at.y * part.width + at.x;
    }
  }
  if (me == 0u) {
    lists[list] = 1u + min(starts[${BINS}], others);
    lists[list + ${HEADER}u] = u32(reference.y) * part.width + u32(reference.x);
  }
}`;
}
