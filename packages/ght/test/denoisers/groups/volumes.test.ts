import { describe, expect, it } from 'vitest';
import type { Motion, TilePages } from '../../../src/denoisers/denoiser.js';
import type { Grouping } from '../../../src/denoisers/groups/matching.js';
import { type RecipeName, recipeNames, recipeOf, seriesRecipe } from '../../../src/denoisers/groups/recipes.js';
import { plainDistances, VolumeSearch, type Volumes, volumePlaces } from '../../../src/denoisers/groups/volumes.js';
import { engines } from '../../../src/engines/engines.js';
import { randomSource } from '../../../src/index.js';
import { seriesOf, stackTile } from '../../series.js';

type Position = readonly [page: number, y: number, x: number];

/** The groups of volumes as the comment of volumes.ts states them, with patches as lists of samples. */
function byDefinition(
  pages: readonly Float64Array[],
  width: number,
  { patch, members }: Grouping,
  volumes: Volumes,
  motions: readonly Motion[],
  [page, y, x]: Position,
): Position[] {
  const height = pages[0].length / width;
  const at = ([p, v, u]: Position) =>
    Array.from({ length: patch ** 2 }, (_, i) => pages[p][(v + Math.floor(i / patch)) * width + u + (i % patch)]);
  const distance = (a: Position, b: Position) => {
    const [first, second] = [at(a), at(b)];
    return first.reduce((sum, value, i) => sum + (value - second[i]) ** 2, 0);
  };
  const isInside = ([, v, u]: Position) => v >= 0 && u >= 0 && v <= height - patch && u <= width - patch;
  const around = ([p, v, u]: Position, reach: number) =>
    Array.from({ length: (2 * reach + 1) ** 2 }, (_, i): Position => {
      return [p, v - reach + Math.floor(i / (2 * reach + 1)), u - reach + (i % (2 * reach + 1))];
    }).filter(isInside);
  const reference: Position = [page, y, x];
  /** A place of the patch, and where it was expected, as y and x. */
  type Step = { readonly place: Position; readonly expected: readonly [number, number] };
  const next = ({ place: [from, v, u], expected: [ey, ex] }: Step, to: number): Step | undefined => {
    if (to < 0 || to >= pages.length) return undefined;
    // The motion of a page is that from the page before it, so it is taken backwards on the way there.
    const motion = motions[Math.max(from, to)];
    const block =
      Math.floor((v + patch / 2) / motion.block) * motion.columns + Math.floor((u + patch / 2) / motion.block);
    const expected = [ey + (to - from) * motion.y[block], ex + (to - from) * motion.x[block]] as const;
    const near = (value: number, last: number, length: number) =>
      Math.min(length - patch, last + 4, Math.max(0, last - 4, Math.round(value)));
    const middle: Position = [to, near(expected[0], v, height), near(expected[1], u, width)];
    const allowed = around(middle, 2).filter((place) => Math.abs(place[1] - v) <= 4 && Math.abs(place[2] - u) <= 4);
    const deviation = (place: Position) => [place[1] - expected[0], place[2] - expected[1]];
    const cost = (place: Position) =>
      distance(reference, place) + volumes.price * deviation(place).reduce((sum, each) => sum + each ** 2, 0);
    const place = allowed.reduce((best, each) => (cost(each) < cost(best) ? each : best));
    if (distance(reference, place) > volumes.alike * 2 * patch ** 2) return undefined;
    const isAstray = deviation(place).some((each) => Math.abs(each) > 1);
    return { place, expected: isAstray ? [place[1], place[2]] : expected };
  };
  const pathTo = (way: number) => {
    const path: Position[] = [];
    for (let last: Step | undefined = { place: reference, expected: [y, x] }; last; ) {
      last = next(last, last.place[0] + way);
      if (last) path.push(last.place);
    }
    return path;
  };
  const whole = [...pathTo(-1).reverse(), reference, ...pathTo(1)];
  // The window of at most `depth` pages that has as many pages before the reference as possible, up to half.
  const half = volumes.depth / 2;
  const own = whole.indexOf(reference);
  let first = Math.max(0, own - half);
  const last = Math.min(whole.length, first + volumes.depth);
  first = Math.max(0, last - volumes.depth);
  const depth = 2 ** Math.floor(Math.log2(last - first));
  if (depth === 1) return [];
  const from = Math.min(Math.max(own - depth / 2, first), last - depth);
  const volume = whole.slice(from, from + depth);
  const displaced: { places: Position[]; distance: number }[] = [];
  for (let dy = -volumes.reach; dy <= volumes.reach; dy++) {
    for (let dx = -volumes.reach; dx <= volumes.reach; dx++) {
      const places = volume.map(([p, v, u]): Position => [p, v + dy, u + dx]);
      if (!places.every(isInside)) continue;
      const sum = places.reduce((total, place, k) => total + distance(place, volume[k]), 0);
      displaced.push({ places, distance: dx === 0 && dy === 0 ? -1 : sum });
    }
  }
  displaced.sort((a, b) => a.distance - b.distance);
  const count = Math.max(volumes.members, Math.floor(members / depth));
  return displaced.slice(0, count).flatMap(({ places }) => places);
}

describe('groups of volumes', () => {
  const [width, height] = [26, 23];
  const volumes: Volumes = { depth: 8, stride: 4, reach: 3, members: 5, alike: 1.4, price: 0.5, tau: 2.6 };
  const pass: Grouping = { patch: 8, stride: 3, reach: 6, members: 16 };

  it('are those of the definition, also where pages end or are not alike', () => {
    // Eleven pages; the picture moves by (−1, −2) pixels from page to page, about as expected, and changes after page 6.
    const pages = seriesOf({ width, height, pages: 11, motion: [2, 1], cut: 7, sigma: 1 });
    const data = Float64Array.from(pages.flatMap((page) => [...page]));
    const [block, columns] = [13, 2];
    const motions = pages.map((_, p): Motion => {
      const about = (motion: number) =>
        Float64Array.from({ length: 4 }, (_value, b) => motion + 0.3 * ((p + b) % 3) - 0.2);
      return { block, columns, x: about(-2), y: about(-1) };
    });
    const stack = { width, height, pages: pages.length, kept: [0, pages.length] as const, motions };
    const search = new VolumeSearch(stack, { ...pass, volumes }, plainDistances({ width, data }, 8));
    const depths = new Set<number>();
    for (const page of [0, 3, 5, 6, 7, 10]) {
      for (const [y, x] of [
        [0, 0],
        [7, 9],
        [15, 18],
        [4, 17],
        [12, 1],
      ]) {
        const found = search.find(page, x, y, 64);
        const expected = byDefinition(pages, width, pass, volumes, motions, [page, y, x]);
        const members = [...found.members.subarray(0, found.count)].map((at): Position => {
          const p = Math.floor(at / (width * height));
          return [p, Math.floor(at / width) - p * height, at % width];
        });
        expect(members, `page ${page} at ${x}, ${y}`).toEqual(expected);
        depths.add(found.depth);
      }
    }
    // Volumes of one page, of all, and of numbers between.
    expect(depths.size).toBeGreaterThan(2);
  });

  it.each([[2], [4], [8]])('have at most %i pages if that many are asked for', (depth) => {
    const pages = seriesOf({ width, height, pages: 11, motion: [0, 0], sigma: 1 });
    const data = Float64Array.from(pages.flatMap((page) => [...page]));
    const stack = { width, height, pages: pages.length, kept: [0, pages.length] as const };
    const asked = { ...volumes, depth, alike: 100 };
    const search = new VolumeSearch(stack, { ...pass, volumes: asked }, plainDistances({ width, data }, 8));
    for (const page of [0, 5, 10]) expect(search.find(page, 9, 7, 64).depth).toBe(depth);
  });

  it('or their single patches cover every pixel, whichever volumes have one page', () => {
    const random = randomSource(5);
    const stack = { width: 1, height: 1, pages: 4, kept: [1, 4] as const };
    for (let trial = 0; trial < 400; trial++) {
      const length = 8 + Math.floor(40 * random.uniform());
      const stride = 1 + Math.floor(4 * random.uniform());
      for (const page of [0, 1, 2]) {
        const all = volumePlaces(length, { ...pass, stride, volumes }, stack, page);
        const covered = new Uint8Array(length);
        for (const { at, singles } of all) {
          const starts = random.uniform() < 0.5 ? [at] : singles;
          for (const from of starts) covered.fill(1, from, from + pass.patch);
        }
        expect(covered.includes(0), `length ${length}, stride ${stride}, page ${page}`).toBe(false);
      }
    }
  });
});

describe('recipes for series', () => {
  const [width, height, count] = [25, 22, 4];
  /** Whole numbers, so that distances in the noise are exact in float32; in the pilot, this seed makes no groups that are almost equal. */
  const whole = (options: { motion?: readonly [number, number]; cut?: number }) =>
    seriesOf({ width, height, pages: count, motion: [1, 1], sigma: 1, seed: 4, ...options }).map((page) =>
      page.map(Math.round),
    );
  const noise = {
    brightness: [-2, 0, 2],
    deviations: [[0.8, 1, 1.2].map((level) => Float64Array.from({ length: 64 }, (_, f) => level - f / 200))],
  };
  const motion: Motion = { block: 16, columns: 2, x: [-1, -1.4, -0.8, -1], y: [-1, -0.7, -1.2, -1] };
  const motions = [undefined, motion, undefined, motion];
  const run = async (
    engine: 'wasm' | 'reference',
    quality: RecipeName,
    pages: readonly Float64Array[],
    options: { threads?: number; noise?: typeof noise; pages?: Partial<TilePages> } = {},
  ) => {
    const recipe = seriesRecipe(recipeOf(quality, options.noise ? 'coloured' : 'white'), 8);
    const denoiser = await engines[engine].denoiser(recipe, width * height, { threads: options.threads ?? 1 });
    const tile = { ...stackTile([pages], width), noise: options.noise };
    const [plane] = await denoiser.run({ ...tile, pages: { ...tile.pages, ...options.pages } });
    return Float64Array.from(plane);
  };
  const difference = (a: Float64Array, b: Float64Array) =>
    a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0);

  it.each(recipeNames)('%s in WebAssembly is the recipe as written, for white and coloured noise', async (quality) => {
    // The recipe as written takes seconds for `best`, whose coloured form has the steps of `balanced`.
    for (const pages of quality === 'best' ? [whole({ cut: 2 })] : [whole({}), whole({ cut: 2 })]) {
      for (const options of quality === 'best' ? [{}] : [{}, { noise }]) {
        const depths = [new Float64Array(2 * count), new Float64Array(2 * count)];
        const [expected, actual] = [
          await run('reference', quality, pages, { ...options, pages: { depths: depths[0], motions } }),
          await run('wasm', quality, pages, { ...options, pages: { depths: depths[1], motions } }),
        ];
        expect(difference(actual, expected)).toBeLessThan(2e-4);
        expect(depths[1]).toEqual(depths[0]);
      }
    }
  });

  it.each(recipeNames)('%s has the same bits for 1, 2 and 3 threads', async (quality) => {
    const alone = await run('wasm', quality, whole({}));
    for (const threads of [2, 3]) expect(difference(await run('wasm', quality, whole({}), { threads }), alone)).toBe(0);
  });

  it('has the same bits in a tile, whose motions are those of the whole', async () => {
    const [wide, high, left] = [480, 16, 216];
    const pages = seriesOf({ width: wide, height: high, pages: 2, motion: [1, 0], sigma: 1 });
    const block = 16;
    const motion = { block, columns: wide / block, x: Array.from({ length: wide / block }, (_, b) => (b % 3) - 2) };
    const motions = [undefined, { ...motion, y: motion.x.map(() => 0) }];
    const denoiser = await engines.wasm.denoiser(seriesRecipe(recipeOf('balanced'), 8), wide * high, { threads: 1 });
    expect(left % denoiser.alignment.columns).toBe(0);
    const denoised = async (from: number) => {
      const width = wide - from;
      const part = pages.map((page) => page.filter((_, i) => i % wide >= from));
      const tile = stackTile([part], width);
      const [plane] = await denoiser.run({ ...tile, pages: { ...tile.pages, motions, origin: [from, 0] } });
      return Array.from(plane).filter((_, i) => i % width >= left + denoiser.margin - from);
    };
    const expected = await denoised(0);
    expect(expected.length).toBeGreaterThan(1000);
    expect(await denoised(left)).toEqual(expected);
  });

  it.each(recipeNames)('%s denoises pages that are not alike as it denoises each by itself', async (quality) => {
    const pages = whole({});
    const alike = pages.map(() => false);
    for (const engine of quality === 'best' ? (['wasm'] as const) : (['wasm', 'reference'] as const)) {
      const together = await run(engine, quality, pages, { pages: { alike } });
      const denoiser = await engines[engine].denoiser(recipeOf(quality), width * height, { threads: 1 });
      for (const [p, page] of pages.entries()) {
        const tile = {
          width,
          height,
          channels: 1,
          *read(_: number, into: Float32Array | Float64Array) {
            into.set(page);
            yield 1;
          },
        };
        const [own] = await denoiser.run(tile);
        const part = together.subarray(p * width * height, (p + 1) * width * height);
        // Only the order of sums differs, because bands have other heights.
        expect(difference(part, Float64Array.from(own)), `page ${p} on ${engine}`).toBeLessThan(1e-4);
      }
    }
  });
});
