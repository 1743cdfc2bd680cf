/**
 * Codes in and out: between blocks with masks (`layout.ts`) and the entries of all patches one after the other, each an index and the
 * bits of a value. `offsets` says where the entries of a patch begin.
 */
import { entryPoint } from '../gpu.js';
import { survivors } from './candidates.js';
import { type CodeLayout, forStoredBlocks, placesInCodes } from './layout.js';

/** Patches of a workgroup. */
export const CODES_GROUP = 64;

/** The threshold and last patch with ties of the codes; the first patch of the range, the first and the end of those meant. */
const chosen = `
struct Chosen { T: u32, tie: u32, range: u32, first: u32, end: u32 }
@group(0) @binding(0) var<uniform> chosen: Chosen;`;

const main = `${entryPoint(CODES_GROUP)}
  let p = chosen.first + group * ${CODES_GROUP}u + me;
  if (p >= chosen.end) { return; }
  let blockAt = blocksAt(p >> 5u, p & 31u); let maskAt = masksAt(p >> 5u, p & 31u);`;

/** Reads what a set of codes keeps: the number of entries per patch, or the entries themselves. */
function readCodes(
  layout: CodeLayout,
  binding: string,
  start: string,
  each: (c: number) => string,
  end: string,
): string {
  return `${chosen}
${placesInCodes(layout)}
@group(0) @binding(1) var<storage, read> codes: array<vec4f>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
${binding}
${main}
  let T = bitcast<f32>(chosen.T + select(0u, 1u, chosen.range + p > chosen.tie));
  ${start}
  ${forStoredBlocks(
    layout,
    'masks',
    `let x = codes[blockAt + 32u * block]; let z = ${survivors('x')};
      ${[0, 1, 2, 3].map((c) => `if (z.${'xyzw'[c]} != 0.0) { ${each(c)} }`).join('\n      ')}`,
  )}
  ${end}
}`;
}

/** The number of entries of each patch. */
export function countEntries(layout: CodeLayout): string {
  const binding = '@group(0) @binding(3) var<storage, read_write> counts: array<u32>;';
  return readCodes(layout, binding, 'var n = 0u;', () => 'n++;', 'counts[p] = n;');
}

/** The entries of each patch, from its offset on. */
export function writeEntries(layout: CodeLayout): string {
  const { rowAtoms, rowBlocks } = layout;
  const binding = `@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> entries: array<vec2u>;`;
  const atom = (c: number) => `(block / ${rowBlocks}u) * ${rowAtoms}u + 4u * (block % ${rowBlocks}u) + ${c}u`;
  return readCodes(
    layout,
    binding,
    'var n = offsets[p - chosen.first];',
    (c) => `entries[n] = vec2u(${atom(c)}, bitcast<u32>(z.${'xyzw'[c]})); n++;`,
    '',
  );
}

/** Puts entries, in rising order of their atoms, into the blocks of a set. */
export function readEntries(layout: CodeLayout): string {
  const { rowAtoms, rowBlocks, bits, words } = layout;
  return `${chosen}
${placesInCodes(layout)}
@group(0) @binding(1) var<storage, read_write> codes: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> masks: array<u32>;
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read> entries: array<vec2u>;
${main}
  var n = offsets[p - chosen.first]; let end = offsets[p - chosen.first + 1u];
  for (var word = 0u; word < ${words}u; word++) {
    var made = 0u;
    while (n < end) {
      let row = entries[n].x / ${rowAtoms}u;
      let block = row * ${rowBlocks}u + (entries[n].x % ${rowAtoms}u) / 4u;
      if (block / ${bits}u != word) { break; }
      var x = vec4f(0.0);
      while (n < end) {
        let column = entries[n].x - row * ${rowAtoms}u;
        if (entries[n].x / ${rowAtoms}u != row || column / 4u != block % ${rowBlocks}u) { break; }
        x[column % 4u] = bitcast<f32>(entries[n].y);
        n++;
      }
      codes[blockAt + 32u * block] = x;
      made |= 1u << (block % ${bits}u);
    }
    masks[maskAt + 32u * word] = made;
  }
}`;
}
