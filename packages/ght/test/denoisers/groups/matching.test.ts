/** Block matching, by the reference and by the kernel. */
import { describe, expect, it } from 'vitest';
import type { Grouping, Plane } from '../../../src/denoisers/groups/matching.js';
import { findGroup, places } from '../../../src/denoisers/groups/matching.js';
import type { Pass } from '../../../src/denoisers/groups/recipes.js';
import { groupModule } from '../../../src/engines/wasm/kernels/groups/module.js';
import { listBytes } from '../../../src/engines/wasm/kernels/groups/target.js';
import { callOf, passKernels } from '../../../src/engines/wasm/kernels/signatures.js';
import { GroupMemory } from '../../../src/engines/wasm/run/group-memory.js';
import { randomSource } from '../../../src/index.js';

/** A few whole numbers, so that distances are exact in float32 and many are equal. */
function coarsePlane(width: number, height: number, levels: number, seed = 1): Plane {
  const random = randomSource(seed);
  return { width, height, data: Float64Array.from({ length: width * height }, () => random.below(levels)) };
}

describe('places', () => {
  it('cover a whole side, with any stride', () => {
    expect(places(8, { patch: 8, stride: 3 })).toEqual([0]);
    expect(places(14, { patch: 8, stride: 3 })).toEqual([0, 3, 6]);
    expect(places(15, { patch: 8, stride: 3 })).toEqual([0, 3, 6, 7]);
  });
});

describe('a group', () => {
  const plane = coarsePlane(40, 30, 4);
  const grouping: Grouping = { patch: 8, stride: 3, reach: 9, members: 16 };

  it('begins with its reference, even if an equal patch comes before it', () => {
    const flat = { ...plane, data: new Float64Array(40 * 30) };
    expect(findGroup(flat, { ...grouping, members: 4 }, 12, 10)).toEqual([10 * 40 + 12, 43, 44, 45]);
  });

  it('holds the nearest patches within reach, from near to far', () => {
    const [x, y] = [13, 11];
    const distance = (at: number) => {
      let sum = 0;
      for (let i = 0; i < 64; i++) {
        const step = Math.floor(i / 8) * 40 + (i % 8);
        sum += (plane.data[y * 40 + x + step] - plane.data[at + step]) ** 2;
      }
      return sum;
    };
    const group = findGroup(plane, grouping, x, y);
    const distances = group.map(distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(new Set(group).size).toBe(16);
    let nearer = 0;
    for (let v = y - 9; v <= y + 9; v++) {
      for (let u = x - 9; u <= x + 9; u++) if (distance(v * 40 + u) < distances[15]) nearer++;
    }
    expect(nearer).toBeLessThan(16);
  });

  it('equals the result of sorting all patches within reach, at the edge and inside, for any patch size', () => {
    for (const [patch, reach, members] of [
      [1, 2, 9],
      [3, 2, 6],
      [4, 5, 200],
    ]) {
      const small = coarsePlane(11, 9, 3, patch);
      const samples = (x: number, y: number) =>
        Array.from({ length: patch ** 2 }, (_, n) => small.data[(y + Math.floor(n / patch)) * 11 + x + (n % patch)]);
      for (const y of [0, 2, 9 - patch]) {
        for (const x of [0, 3, 11 - patch]) {
          const all: { at: number; distance: number }[] = [];
          for (let v = 0; v + patch <= 9; v++) {
            for (let u = 0; u + patch <= 11; u++) {
              if (Math.abs(u - x) > reach || Math.abs(v - y) > reach || (u === x && v === y)) continue;
              const b = samples(u, v);
              const distance = samples(x, y).reduce((sum, value, n) => sum + (value - b[n]) ** 2, 0);
              all.push({ at: v * 11 + u, distance });
            }
          }
          all.sort((a, b) => a.distance - b.distance || a.at - b.at);
          const expected = [y * 11 + x, ...all.map(({ at }) => at)].slice(0, members);
          expect(findGroup(small, { patch, stride: 1, reach, members }, x, y)).toEqual(expected);
        }
      }
    }
  });

  it('is limited by the size of the picture', () => {
    expect(findGroup(coarsePlane(9, 8, 4), grouping, 0, 0)).toHaveLength(2);
  });
});

describe('the matching kernel', () => {
  const cases: [string, Plane, Grouping][] = [
    ['many ties', coarsePlane(45, 31, 2), { patch: 8, stride: 3, reach: 19, members: 32 }],
    ['few ties', coarsePlane(33, 40, 256), { patch: 8, stride: 4, reach: 7, members: 64 }],
    ['all the same', coarsePlane(30, 30, 1), { patch: 8, stride: 5, reach: 19, members: 96 }],
    ['patches of 4', coarsePlane(21, 17, 3), { patch: 4, stride: 2, reach: 5, members: 8 }],
    ['fewer patches than members', coarsePlane(11, 9, 9), { patch: 8, stride: 3, reach: 19, members: 16 }],
    ['groups of one', coarsePlane(12, 10, 9), { patch: 8, stride: 1, reach: 0, members: 1 }],
  ];
  it.each(cases)('%s: finds the same groups, in the same order', async (_, plane, grouping) => {
    const pass: Pass = {
      ...{ name: 'match', from: 'noisy', guide: 'noisy', to: 'pilot', window: 0, ...grouping },
      filter: { kind: 'threshold', transform: 'dct', tau: 1 },
    };
    const { width, height } = plane;
    const memory = new GroupMemory([pass], { width, height, channels: 1 }, 1);
    const { layout, scratch } = memory;
    const { instance } = await WebAssembly.instantiate(groupModule(memory, false, false), {
      env: { memory: memory.memory },
    });
    const match = callOf(instance.exports, 'match0', passKernels.match);
    const guide = layout.slots.noisy[0];
    memory.floats(guide, plane.data.length).set(plane.data);
    const columns = places(width, pass);
    const at = layout.scratches[0];
    for (const y of places(height, pass)) {
      columns.forEach((x, i) => {
        match({ guide, y, columns: (layout.references[0]?.columns ?? 0) + 4 * i, count: 1, scratch: at });
        const [count] = memory.words(at + scratch.lists, 1);
        const found = [...memory.words(at + scratch.lists + 16, count)].map((offset) => offset / 4);
        expect(found).toEqual(findGroup(plane, grouping, x, y));
      });
    }
    // Several references in one call give the same lists one after the other.
    match({ guide, y: 0, columns: layout.references[0]?.columns ?? 0, count: 2, scratch: at });
    const second = at + scratch.lists + listBytes(pass);
    expect(memory.words(second + 16, 1)[0]).toBe(4 * columns[1]);
  });
});
