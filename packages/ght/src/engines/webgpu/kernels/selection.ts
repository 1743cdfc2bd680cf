/**
 * H_S on the GPU: exactly S candidates survive, and among equal magnitudes those with the lowest index.
 *
 * A pass counts the magnitudes in a window around the expected threshold. From the counts:
 *
 *     selectFirst   the bin in which the S-th largest lies
 *     refine        if a bin is wider than one float: counts inside that bin, one float per bin
 *     selectLast    judges the last codes; then the threshold T, how many equal it, and the window for the next one
 *     countTies     if more equal T than may stay: how many, per 64 patches; and saves the best codes where they are overwritten next
 *     cutTies       the patch in which the last one that stays lies; what is too many in it becomes 0
 *
 * If the window was missed, `missed` is set and all kernels leave; the host makes the pass again with a window of all magnitudes.
 */
import { entryPoint } from '../gpu.js';
import { type CodeLayout, forStoredBlocks, forStoredMagnitudes, placesInCodes } from './layout.js';
import {
  ABOVE,
  COARSE,
  type Counting,
  histogramWords,
  INFINITE,
  idle,
  LEAST,
  stateStruct,
  widestWindow,
} from './state.js';

/** Threads of a workgroup that selects. */
const THREADS = 256;

/** WGSL: all threads leave together. All threads must reach a barrier, and WGSL demands that a compiler can prove it. */
const leaveIf = (when: string) =>
  `if (me == 0u) { flag = select(0u, 1u, ${when}); } if (workgroupUniformLoad(&flag) != 0u) { return; }`;

/** WGSL: the sum of what the threads before have, in the order of the threads, and of all. */
const sumBefore = `
var<workgroup> scan: array<u32, ${THREADS}>;
var<workgroup> flag: u32;
fn sumBefore(me: u32, mine: u32) -> u32 {
  workgroupBarrier();
  scan[me] = mine;
  workgroupBarrier();
  for (var n = 1u; n < ${THREADS}u; n <<= 1u) {
    let other = select(0u, scan[me - min(n, me)], me >= n);
    workgroupBarrier();
    scan[me] += other;
    workgroupBarrier();
  }
  return scan[me] - mine;
}`;

/** WGSL: the bin in which the one of a rank lies, counted from the top of a histogram. */
function locate({ logBins }: Counting): string {
  const [bins, coarse] = [2 ** logBins, 2 ** logBins / COARSE];
  const each = Math.ceil(coarse / THREADS);
  return `${sumBefore}
struct Located { there: u32, bin: u32, above: u32, equal: u32, total: u32 }
var<workgroup> found: vec4u; // whether there is one, which, how many lie above it, how many in it
/** Of one number per thread, counted from thread 0, the one in which the rank lies. */
fn place(me: u32, mine: u32, rank: u32, above: u32) -> vec4u {
  if (me == 0u) { found = vec4u(0u); }
  let before = sumBefore(me, mine);
  if (before < rank && before + mine >= rank) { found = vec4u(1u, me, above + before, mine); }
  return workgroupUniformLoad(&found);
}
fn locate(me: u32, rank: u32) -> Located {
  // Threads take the coarse bins from the top on, ${each} each; then one of those each, then the fine bins of the one that is found.
  var mine = 0u;
  for (var i = me * ${each}u; i < min((me + 1u) * ${each}u, ${coarse}u); i++) { mine += histogram[${bins + coarse - 1}u - i]; }
  let part = place(me, mine, rank, 0u);
  let total = scan[${THREADS - 1}];
  if (part.x == 0u) { return Located(0u, 0u, 0u, 0u, total); }
  mine = 0u;
  if (me < ${each}u) { mine = histogram[${bins + coarse - 1}u - part.y * ${each}u - me]; }
  let among = place(me, mine, rank - part.z, part.z);
  let highest = ${bins - 1}u - ${COARSE}u * (part.y * ${each}u + among.y);
  let bin = place(me, histogram[highest - me], rank - among.z, among.z);
  return Located(1u, highest - bin.y, bin.z, bin.w, total);
}`;
}

/** WGSL: the workgroups after the first set a histogram to zero. */
const clear = (counting: Counting) =>
  `for (var i = (group - 1u) * ${THREADS}u + me; i < ${histogramWords(counting)}u; i += (workgroups.x - 1u) * ${THREADS}u) { other[i] = 0u; }`;

const entry = `
${entryPoint(THREADS)}`;

/** Workgroup 0 finds the bin of the S-th largest; the others clear the second histogram and add up the errors of the pass. */
export function selectFirst(counting: Counting): string {
  const [bins, coarse] = [2 ** counting.logBins, 2 ** counting.logBins / COARSE];
  const widest = widestWindow(counting);
  return `${stateStruct}
@group(0) @binding(0) var<storage, read_write> s: State;
@group(0) @binding(1) var<storage, read_write> histogram: array<u32>;
@group(0) @binding(2) var<storage, read_write> other: array<u32>;
@group(0) @binding(3) var<storage, read> reports: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> sums: array<f32>;
${locate(counting)}
var<workgroup> tree: array<f32, ${THREADS}>;
${entry}
  if (group > 0u) {
    // Also where the window is missed: the error is that of the codes before.
    ${leaveIf('s.halt != 0u')}
    ${clear(counting)}
    let slice = (arrayLength(&reports) + workgroups.x - 2u) / (workgroups.x - 1u); let start = (group - 1u) * slice;
    var sum = 0.0;
    for (var i = start + me; i < min(start + slice, arrayLength(&reports)); i += ${THREADS}u) { sum += bitcast<f32>(reports[i].x); }
    tree[me] = sum;
    workgroupBarrier();
    for (var n = ${THREADS / 2}u; n > 0u; n >>= 1u) { if (me < n) { tree[me] += tree[me + n]; } workgroupBarrier(); }
    if (me == 0u) { sums[group - 1u] = tree[0]; }
    return;
  }
  ${leaveIf(idle)}
  if (me == 0u) { flag = u32(s.shift == ${widest.shift}u); }
  if (workgroupUniformLoad(&flag) != 0u) {
    for (var i = me; i < ${coarse}u; i += ${THREADS}u) {
      var sum = 0u;
      for (var j = 0u; j < ${COARSE}u; j++) { sum += histogram[i * ${COARSE}u + j]; }
      histogram[${bins}u + i] = sum;
    }
    storageBarrier();
  }
  var above = 0u;
  for (var i = 0u; i < ${ABOVE}u; i++) { above += histogram[${bins + coarse}u + i]; }
  // A sample has its own budget.
  let next = s.k + 1u - s.first;
  let S = select(s.budgets[next / 4u][next % 4u], s.S, s.step > 1u);
  let rank = select(0u, S - above, S > above);
  let bin = locate(me, rank);
  if (me == 0u) {
    let all = s.lo == ${widest.lo}u && s.hi == ${widest.hi}u;
    s.S = S; s.refine = 0u; s.ties = 0u; s.above = above + bin.above;
    if (S == 0u) { s.base = ${INFINITE}u; s.rank = 0u; s.above = 0u; }
    else if (bin.there != 0u) {
      s.base = s.lo + (bin.bin << s.shift);
      s.rank = bin.equal;
      if (s.shift > 0u) { s.refine = 1u; s.rank = rank - bin.above; }
    }
    // At most S are not zero: all stay.
    else if (all && rank > 0u) { s.base = ${LEAST}u; s.rank = bin.total; }
    // S are infinite: the iteration has diverged.
    else if (all) { s.base = ${INFINITE}u; s.rank = above; s.above = 0u; }
    else { s.missed = 1u; }
  }
}`;
}

/**
 * WGSL: adds up the error of the codes that the last pass has read, puts a line into the history, and decides whether they are the
 * best and the last. Where the codes before them are the best, they have to be saved: the next pass overwrites them.
 */
const judging = ({ clearers }: Counting) => `
var<workgroup> tree: array<f32, ${clearers}>;
fn judge(me: u32) {
  if (me < ${clearers}u) { tree[me] = sums[me]; }
  workgroupBarrier();
  for (var n = ${clearers / 2}u; n > 0u; n >>= 1u) { if (me < n) { tree[me] += tree[me + n]; } workgroupBarrier(); }
  if (me > 0u) { return; }
  let error = tree[0];
  let bits = bitcast<u32>(error);
  s.judged = s.k;
  s.history[s.k - s.first] = vec4u(s.T, bits, s.kept, 0u);
  let finite = (bits & ${INFINITE}u) != ${INFINITE}u;
  if (s.keeps != 0u && finite && error < bitcast<f32>(s.bestError)) {
    s.bestError = bits; s.best = s.k; s.bestT = s.T; s.bestTie = s.tie; s.saved = 0u;
  }
  if (s.best + 1u == s.k && s.saved == 0u) { s.saved = 1u; s.save = 1u; }
  if (!finite) { s.halt = 1u; return; }
  // How far the RMSE has moved, from the difference of the squares, which is exact. The host decides in float64; here a little
  // earlier, so that no iteration follows the last.
  if (s.lastError != ${INFINITE}u && s.k > s.least) {
    let last = bitcast<f32>(s.lastError); let P = bitcast<f32>(s.patches); let outside = bitcast<f32>(s.outside);
    let sum = sqrt((error + outside) / P) + sqrt((last + outside) / P);
    if (abs(error - last) < 1.0001 * bitcast<f32>(s.tolerance) * P * sum) { s.halt = 1u; }
  }
  s.lastError = bits;
}`;

/** WGSL: judges the codes if that is not done yet. */
const judgeOnce = `if (me == 0u) { s.save = 0u; }
  ${leaveIf('s.halt != 0u')}
  if (me == 0u) { flag = u32(s.judged != s.k); }
  if (workgroupUniformLoad(&flag) != 0u) { judge(me); }`;

/** Judges the last codes of a batch. */
export function judgeLast(counting: Counting): string {
  return `${stateStruct}
@group(0) @binding(0) var<storage, read_write> s: State;
@group(0) @binding(1) var<storage, read> sums: array<f32>;
var<workgroup> flag: u32;
${judging(counting)}
${entryPoint(THREADS)}
  ${judgeOnce}
}`;
}

/**
 * Judges the codes that the last pass has read. If they are not the last: the threshold, whether ties have to be cut, and where the
 * next threshold is expected; the candidates become the codes. The other workgroups clear the first histogram.
 */
export function selectLast(counting: Counting): string {
  const widest = widestWindow(counting);
  return `${stateStruct}
@group(0) @binding(0) var<storage, read_write> s: State;
@group(0) @binding(1) var<storage, read_write> histogram: array<u32>;
@group(0) @binding(2) var<storage, read_write> other: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<f32>;
${locate(counting)}
${judging(counting)}
/** The next threshold is looked for between (1 − down) and (1 + up) times this one. */
fn expect(T: u32, down: f32, up: f32) {
  let value = bitcast<f32>(T);
  s.lo = max(${LEAST}u, bitcast<u32>(value * (1.0 - down)));
  s.hi = clamp(bitcast<u32>(value * (1.0 + up)), s.lo + 1u, ${INFINITE}u);
  s.shift = 32u - countLeadingZeros((s.hi - s.lo - 1u) >> ${counting.logBins}u);
}
${entry}
  if (group > 0u) { ${clear(counting)} return; }
  ${judgeOnce}
  ${leaveIf(idle)}
  if (me == 0u) { flag = s.refine; }
  let refined = workgroupUniformLoad(&flag) != 0u;
  var bin = Located(0u, 0u, 0u, s.rank, 0u);
  if (refined) { bin = locate(me, s.rank); }
  if (me > 0u) { return; }
  s.refine = 0u;
  let T = s.base + bin.bin; let larger = s.above + bin.above; let equal = bin.equal;
  // Where there is no threshold, the next one may be anywhere.
  let known = T > ${LEAST}u && T < ${INFINITE}u;
  if (s.step > 1u) {
    // A sample: it only tells where the first threshold is.
    s.step = 1u;
    if (known) { expect(T, 0.1, 0.1); }
    return;
  }
  s.k++;
  s.T = T; s.tie = ${0xffffffff}u; s.kept = min(s.S, larger + equal);
  s.ties = u32(larger + equal > s.S); s.need = s.S - min(s.S, larger);
  // The threshold of ADMM oscillates: look on both sides, a little farther than it moved last. After the first, look far.
  if (!known) { s.lo = ${widest.lo}u; s.hi = ${widest.hi}u; s.shift = ${widest.shift}u; s.before = 0u; }
  else if (s.before == 0u) { expect(T, 0.45, 1.0); }
  else {
    let moved = abs(bitcast<f32>(T) / bitcast<f32>(s.before) - 1.0);
    let k = f32(s.k);
    let d = min(0.5, 1.3 * moved + max(max(0.0035, 2.0 / sqrt(f32(s.S))), 0.3 / (k * k)));
    expect(T, d, d);
  }
  if (known) { s.before = T; }
}`;
}

/** Workgroups of a scan over this many pairs of tiles, at most: few, since most scans leave at once. */
export function scanGroups(pairs: number): number {
  return Math.min(pairs, 4096);
}

/** What the scans over the stored blocks of a set begin with, a thread per patch. */
const scanOf = (layout: CodeLayout) => `${stateStruct}
${placesInCodes(layout)}
@group(0) @binding(0) var<uniform> s: State;
@group(0) @binding(1) var<uniform> place: vec4u; // first patch, pairs of tiles
@group(0) @binding(2) var<storage, read> codes: array<vec4f>;
@group(0) @binding(3) var<storage, read> masks: array<u32>;`;

/** WGSL: where the codes of the patch of a thread lie. */
const patchOfThread = `let tile = 2u * pair + (me >> 5u); let lane = me & 31u;
    let blockAt = blocksAt(tile, lane); let maskAt = masksAt(tile, lane);`;

/** Counts the candidates in the bin in which the threshold lies, one float per bin, into the second histogram. */
export function refine(layout: CodeLayout, { logBins }: Counting): string {
  return `${scanOf(layout)}
@group(0) @binding(4) var<storage, read_write> histogram: array<atomic<u32>>;
fn count(e: u32) {
  let bin = e - s.base;
  if (bin < (1u << s.shift)) { atomicAdd(&histogram[bin], 1u); atomicAdd(&histogram[${2 ** logBins}u + bin / ${COARSE}u], 1u); }
}
${entryPoint(64)}
  if (${idle} || s.refine == 0u) { return; }
  for (var pair = group * s.step; pair < place.y; pair += workgroups.x * s.step) {
    ${patchOfThread}
    ${forStoredMagnitudes(layout, 'count(e.x); count(e.y); count(e.z); count(e.w);')}
  }
}`;
}

/**
 * Counts the values that equal the threshold in each pair of tiles: 0 if the pass has seen no magnitude with the same last five bits.
 * Before that it copies the codes that the next pass overwrites, if they are the best. One dispatch does both, because both are rare.
 */
export function countTies(layout: CodeLayout): string {
  return `${scanOf(layout)}
@group(0) @binding(4) var<storage, read_write> reports: array<vec2u>; // errors, and the endings that the pass has seen, which the counts replace
@group(0) @binding(5) var<storage, read> old: array<vec4f>;
@group(0) @binding(6) var<storage, read> oldMasks: array<u32>;
@group(0) @binding(7) var<storage, read_write> saved: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> savedMasks: array<u32>;
var<workgroup> like: array<u32, 64>;
var<workgroup> counts: array<atomic<u32>, 64>;
${entryPoint(64)}
  if (s.save != 0u) {
    for (var pair = group; pair < place.y; pair += workgroups.x) {
      ${patchOfThread}
      ${forStoredBlocks(layout, 'oldMasks', 'saved[blockAt + 32u * block] = old[blockAt + 32u * block];')}
      for (var word = 0u; word < ${layout.words}u; word++) { savedMasks[maskAt + 32u * word] = oldMasks[maskAt + 32u * word]; }
    }
  }
  if (${idle} || s.ties == 0u) { return; }
  for (var first = group; first < place.y; first += 64u * workgroups.x) {
    let mine = first + me * workgroups.x; let at = place.x / 64u + mine;
    like[me] = 0u;
    if (mine < place.y) { like[me] = (reports[at].y >> (s.T & 31u)) & 1u; }
    atomicStore(&counts[me], 0u);
    workgroupBarrier();
    for (var i = 0u; i < 64u && first + i * workgroups.x < place.y; i++) {
      if (like[i] == 0u) { continue; }
      let pair = first + i * workgroups.x;
      var equal = 0u;
      ${patchOfThread}
      ${forStoredMagnitudes(layout, 'equal += dot(select(vec4u(0u), vec4u(1u), e == vec4u(s.T)), vec4u(1u));')}
      if (equal > 0u) { atomicAdd(&counts[i], equal); }
    }
    workgroupBarrier();
    if (mine < place.y) { reports[at].y = atomicLoad(&counts[me]); }
  }
}`;
}

/** One workgroup per range. Of those that equal T the first `need` stay, in the order of patches and atoms. */
export function cutTies(layout: CodeLayout): string {
  return `${stateStruct}
${placesInCodes(layout)}
@group(0) @binding(0) var<storage, read_write> s: State;
@group(0) @binding(1) var<uniform> place: vec4u; // first patch, pairs of tiles
@group(0) @binding(2) var<storage, read_write> codes: array<vec4f>;
@group(0) @binding(3) var<storage, read> masks: array<u32>;
@group(0) @binding(4) var<storage, read> reports: array<vec4u>; // two each: errors and counts
${sumBefore}
var<workgroup> found: vec2u;
${entry}
  ${leaveIf(`${idle} || s.ties == 0u`)}
  // The pair of tiles in which the last one that stays lies, and how many there are before it.
  let each = (arrayLength(&reports) + ${THREADS - 1}u) / ${THREADS}u;
  var mine = 0u;
  for (var i = me * each; i < min((me + 1u) * each, arrayLength(&reports)); i++) { mine += reports[i].y + reports[i].w; }
  var before = sumBefore(me, mine);
  if (before < s.need && before + mine >= s.need) {
    var i = 2u * me * each;
    while (before + countAt(i) < s.need) { before += countAt(i); i++; }
    found = vec2u(i, before);
  }
  let last = workgroupUniformLoad(&found);
  let pair = last.x - place.x / 64u;
  if (last.x < place.x / 64u || pair >= place.y) { return; }
  // The patch among its 64, one per thread.
  let tile = 2u * pair + ((me >> 5u) & 1u); let lane = me & 31u;
  let blockAt = blocksAt(tile, lane); let maskAt = masksAt(tile, lane);
  mine = 0u;
  if (me < 64u) {
    ${forStoredBlocks(layout, 'masks', 'mine += dot(select(vec4u(0u), vec4u(1u), equalT(codes[blockAt + 32u * block])), vec4u(1u));')}
  }
  before = last.y + sumBefore(me, mine);
  if (before < s.need && before + mine >= s.need) {
    s.tie = place.x + 64u * pair + me;
    ${forStoredBlocks(
      layout,
      'masks',
      `var x = codes[blockAt + 32u * block]; let equal = equalT(x);
      for (var c = 0u; c < 4u; c++) { if (equal[c]) { if (before >= s.need) { x[c] = 0.0; } before++; } }
      codes[blockAt + 32u * block] = x;`,
    )}
  }
}
fn countAt(i: u32) -> u32 { return select(reports[i / 2u].y, reports[i / 2u].w, i % 2u == 1u); }
fn equalT(x: vec4f) -> vec4<bool> { return (bitcast<vec4u>(x) & vec4u(0x7fffffffu)) == vec4u(s.T); }`;
}
