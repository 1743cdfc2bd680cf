/** What the kernels of all passes have in common: the references of a part of a picture, and the lists of their groups. */
import { rankThreshold } from '../../../../denoisers/groups/filters.js';
import type { Filter, Pass } from '../../../../denoisers/groups/recipes.js';

/** Bytes of workgroup memory that every adapter has. All kernels stay below, since more would leave room for fewer workgroups. */
export const WORKGROUP_BYTES = 2 ** 14;

/** Words before the members of a list: their number, and where their brightness lies between two rows of deviations. */
export const HEADER = 4;

/** Words of the list of a group. */
export function listWords({ members }: Pick<Pass, 'members'>): number {
  return HEADER + members;
}

/** Whether the groups of a pass are the references alone: they need no lists. */
export function isAlone({ members, reach }: Pick<Pass, 'members' | 'reach'>): boolean {
  return members === 1 || reach === 0;
}

/** The members that Haar takes: a power of two. */
export function haarMembers(pass: Pick<Pass, 'members' | 'reach'>): number {
  return isAlone(pass) ? 1 : 2 ** Math.floor(Math.log2(pass.members));
}

/** The numbers from 0 to n − 1. */
export function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** Text for each number from 0 to n − 1, in lines. */
export function each(n: number, text: (i: number) => string): string {
  return range(n).map(text).join('\n');
}

/** A number as a literal of float32, to the bit. */
export function float(value: number): string {
  return `f32(${Math.fround(value).toPrecision(9)})`;
}

/** The references of a batch, as the kernels see them: `count` of them from number `first` on, `across` per row. */
export interface Part {
  readonly width: number;
  readonly height: number;
  readonly across: number;
  readonly first: number;
  readonly count: number;
}

/** A part of a pass as the words of {@link partStruct}. */
export function partWords(pass: Pass, { width, height, across, first, count }: Part): Uint32Array {
  const words = Uint32Array.of(width, height, across, first, count, pass.stride, listWords(pass), 0);
  new Float32Array(words.buffer)[7] = levelOf(pass.filter);
  return words;
}

/** What a filter compares with: τ, or for singular values τ / (√N + √m). */
function levelOf(filter: Filter): number {
  return filter.kind === 'threshold'
    ? filter.tau
    : filter.kind === 'rank'
      ? rankThreshold(filter.factor, filter.noise, 1, 0)
      : 0;
}

/**
 * The part and the place of a reference: every stride-th, and the last one so that every pixel is covered. What
 * differs between passes but not in the shape of their kernels is here too, so that they share kernels: each takes long to compile.
 */
export function partStruct({ patch }: Pick<Pass, 'patch'>): string {
  return `
struct Part { width: u32, height: u32, across: u32, first: u32, count: u32, stride: u32, listWords: u32, level: f32 }
@group(0) @binding(0) var<uniform> part: Part;
fn placeOfReference(n: u32) -> vec2u {
  let number = part.first + n;
  let grid = vec2u(number % part.across, number / part.across);
  return min(part.stride * grid, vec2u(part.width, part.height) - ${patch}u);
}`;
}

/** No member. */
export const nowhere = 'const NOWHERE = 0xffffffffu;';
