/**
 * The threads that work on one patch together, a workgroup. Where all subgroups have the same number of lanes, the workgroup is one
 * subgroup, and sums and maxima are its operations. Elsewhere they are made in workgroup memory. Their results are uniform for the
 * compiler too, so that barriers may follow a branch on them.
 */

/** A team. */
export interface Team {
  readonly threads: number;
  /** Whether the team is one subgroup. */
  readonly subgroup: boolean;
}

/** Threads of a team without subgroups: as many as vectors of four atoms in the common case, 64×100, and a few more. */
const WITHOUT_SUBGROUPS = 32;

/** The team for a device with this many lanes per subgroup. */
export function teamFor(lanes: number | undefined): Team {
  return lanes ? { threads: lanes, subgroup: true } : { threads: WITHOUT_SUBGROUPS, subgroup: false };
}

/** In place of a number: none. */
export const NONE = '0xffffffffu';

/** What must come first in a module. */
export function teamHeader({ subgroup }: Team): string {
  return subgroup ? 'enable subgroups;' : '';
}

/** The builtin that numbers the threads of a team. */
export function laneOf({ subgroup }: Team): string {
  return subgroup ? 'subgroup_invocation_id' : 'local_invocation_index';
}

/**
 * Two functions, in WGSL:
 *
 *     teamSum(x, lane)                        Σ x over the team, always in the same order
 *     firstOfLargest(score, atom, lane)       the lowest atom among those with the largest score; no score is negative
 *
 * The bits of numbers that are not negative order as the numbers do.
 */
export function teamFunctions(team: Team): string {
  return team.subgroup ? inSubgroup : inWorkgroup(team.threads);
}

const inSubgroup = `
var<workgroup> teamTotal: f32;
fn teamSum(x: f32, lane: u32) -> f32 {
  let sum = subgroupAdd(x);
  if (lane == 0u) { teamTotal = sum; }
  return workgroupUniformLoad(&teamTotal);
}
// The maximum of integers is one instruction on some GPUs, that of floats a sequence of exchanges.
fn firstOfLargest(score: f32, atom: u32, lane: u32) -> u32 {
  let bits = bitcast<u32>(score);
  let largest = subgroupMax(bits);
  return subgroupMin(select(${NONE}, atom, bits == largest));
}`;

const inWorkgroup = (threads: number) => `
var<workgroup> teamTotal: f32;
var<workgroup> teamParts: array<f32, ${threads}>;
fn teamSum(x: f32, lane: u32) -> f32 {
  teamParts[lane] = x;
  for (var half = ${threads / 2}u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) { teamParts[lane] += teamParts[lane + half]; }
  }
  if (lane == 0u) { teamTotal = teamParts[0]; }
  return workgroupUniformLoad(&teamTotal);
}
var<workgroup> teamLargest: atomic<u32>;
var<workgroup> teamFirst: atomic<u32>;
fn firstOfLargest(score: f32, atom: u32, lane: u32) -> u32 {
  if (lane == 0u) { atomicStore(&teamLargest, 0u); atomicStore(&teamFirst, ${NONE}); }
  workgroupBarrier();
  atomicMax(&teamLargest, bitcast<u32>(score));
  workgroupBarrier();
  if (bitcast<u32>(score) == atomicLoad(&teamLargest)) { atomicMin(&teamFirst, atom); }
  workgroupBarrier();
  return atomicLoad(&teamFirst);
}`;
