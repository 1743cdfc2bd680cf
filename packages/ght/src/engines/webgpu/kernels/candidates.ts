/**
 * The end of a pass: of every block of X = Z + VM, what may survive H_S is stored, and the magnitudes near the expected threshold are
 * counted.
 *
 *     |x| ≥ hi         survives: only counted, in a register
 *     lo ≤ |x| < hi    counted in a histogram, one bin per float where the window is narrow; `seen` remembers its last five bits, so
 *                      that a workgroup that has none like the threshold need not look for ties
 *     |x| < lo         falls; the block is stored only if another of its four does not
 */
import { COARSE, type Counting } from './state.js';

/** WGSL: counts a magnitude that lies in the window. Needs the state `s` and the histogram. */
export function countNear({ logBins }: Counting): string {
  return `
var<workgroup> seen: atomic<u32>;
fn countNear(e: f32) {
  let bits = bitcast<u32>(e);
  if (bits >= s.lo && bits < s.hi) {
    let bin = (bits - s.lo) >> s.shift;
    atomicAdd(&histogram[bin], 1u);
    // Over all magnitudes too many would meet in the coarse bins; the selection adds those up itself.
    if (s.shift < ${31 - logBins}u) { atomicAdd(&histogram[${2 ** logBins}u + bin / ${COARSE}u], 1u); }
    atomicOr(&seen, 1u << (bits & 31u));
  }
}
fn howMany(which: vec4<bool>) -> u32 { return dot(select(vec4u(0u), vec4u(1u), which), vec4u(1u)); }`;
}

/** WGSL: what a code keeps of a stored block. NaN stays, so that an iteration that has diverged has an error that is NaN. */
export function survivors(block: string): string {
  return `select(${block}, vec4f(0.0), abs(${block}) < vec4f(T))`;
}

/**
 * WGSL: stores a block of X at a place if it has candidates, and adds `bit` to `made`. Comparing two counts first, and looking at
 * the four only where they differ, is quicker than looking at each.
 */
export function storeCandidates(block: string, at: string, bit: string): string {
  return `{
      let y = ${block}; let e = abs(y);
      if (!(max(max(e.x, e.y), max(e.z, e.w)) < lo)) {
        made |= ${bit};
        candidates[${at}] = y;
        let sure = howMany(e >= vec4f(hi)); above += sure;
        if (howMany(e >= vec4f(lo)) != sure) { countNear(e.x); countNear(e.y); countNear(e.z); countNear(e.w); }
      }
    }`;
}
