/** Stacks that are written in parts: the files of whole pages. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { pagesOf } from 'ght-images';
import { beforeAll, expect, it } from 'vitest';
import { openStack, type StackSource, writeStack, writeStackInParts } from '../../src/index.js';
import { goldenFolder, samplesOf } from './golden.js';

const path = goldenFolder();
const chunk = 16;

async function opened(name: string, axes?: string): Promise<StackSource> {
  const source = await openStack(path(name), { axes, parts: true });
  if (!source) throw new Error(`${name} is no stack`);
  return source;
}

/** Copies a stack in parts, the last one first; stops after `most` of them. Returns how many were there. */
async function copied(source: StackSource, name: string, most = Number.POSITIVE_INFINITY): Promise<number> {
  const { width, height } = source.picture;
  let [there, written] = [0, 0];
  await writeStackInParts(
    path(name),
    source,
    async (parts) => {
      for (let page = pagesOf(source.stack) - 1; page >= 0; page--) {
        for (let top = 0; top < height; top += chunk) {
          for (let left = 0; left < width; left += chunk) {
            const at = { left, top, width: Math.min(chunk, width - left), height: Math.min(chunk, height - top) };
            if (await parts.has(page, at)) {
              there++;
              continue;
            }
            if (written++ === most) throw new Error('stopped');
            const { planes, alpha } = (await source.read(page, undefined, at)).image;
            await parts.write(page, at, alpha ? [...planes, alpha] : planes);
          }
        }
      }
    },
    { run: 'copy', chunk },
  );
  return there;
}

async function copiedWhole(source: StackSource, name: string): Promise<void> {
  await writeStack(path(name), source, async (write) => {
    for (let page = 0; page < pagesOf(source.stack); page++) {
      const file = await source.read(page);
      await write(page, file.image, file);
    }
  });
}

/** Pages of several parts. */
const [pages, width, height] = [2, 50, 39];
beforeAll(async () => {
  const data = Uint16Array.from({ length: 2 * pages * width * height }, (_, i) => (i * 7919) % 65521);
  await writeFile(path('made.npy'), writeNpy({ type: 'u2', shape: [pages, height, width, 2], data }));
});

const stacks = [
  ['imagej-little.tif', undefined],
  ['made.npy', 'zyxc'],
] as const;

it.each(stacks)('%s in parts is the TIFF, the array and the Zarr of whole pages', async (name, axes) => {
  const source = await opened(name, axes);
  const samples = await samplesOf(source);
  for (const ending of ['tif', 'npy']) {
    await copied(source, `parts-${name}.${ending}`);
    await copiedWhole(source, `whole-${name}.${ending}`);
    const [parts, whole] = [`parts-${name}.${ending}`, `whole-${name}.${ending}`].map((each) => readFile(path(each)));
    expect((await parts).equals(await whole)).toBe(true);
  }
  await copied(source, `parts-${name}.zarr`);
  const copy = await opened(`parts-${name}.zarr`);
  expect(copy.stack.axes.map(({ length }) => length).sort()).toEqual(
    source.stack.axes.map(({ length }) => length).sort(),
  );
  expect([...(await samplesOf(copy))].sort()).toEqual([...samples].sort());
  await Promise.all([source.close(), copy.close()]);
});

it.each(['continued.tif', 'continued.zarr'])(
  'a run into %s that was stopped is continued by the next one',
  async (name) => {
    const source = await opened('imagej-little.tif');
    await expect(copied(source, name, 3)).rejects.toThrow('stopped');
    const unfinished = async () => (await readdir(path())).filter((each) => each.startsWith(`.${name}.`));
    expect(await unfinished()).toHaveLength(1);
    expect(await copied(source, name)).toBe(3);
    expect(await unfinished()).toEqual([]);
    const copy = await opened(name);
    expect([...(await samplesOf(copy))].sort()).toEqual([...(await samplesOf(source))].sort());
    await Promise.all([source.close(), copy.close()]);
    // A run that has written nothing leaves nothing.
    const other = `nothing-${name}`;
    await expect(copied(await opened('made.npy', 'zyxc'), other, 0)).rejects.toThrow('stopped');
    expect((await readdir(path())).filter((each) => each.includes(other))).toEqual([]);
  },
);

it('the smaller levels of a Zarr in parts are means over the borders of chunks', async () => {
  const source = await opened('made.npy', 'zyxc');
  await copied(source, 'levels.zarr');
  const level = await opened('levels.zarr/1');
  const { planes } = (await source.read(1)).image;
  for (const [c, plane] of planes.entries()) {
    const { image } = await level.read(2 * c + 1);
    expect([image.width, image.height]).toEqual([25, 20]);
    const at = (x: number, y: number) => plane[Math.min(height - 1, y) * width + Math.min(width - 1, x)];
    const wrong = image.planes[0].filter((value, i) => {
      const [x, y] = [2 * (i % 25), 2 * Math.floor(i / 25)];
      return Math.abs(value - (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4) > 0.5;
    });
    expect(wrong).toHaveLength(0);
  }
  await Promise.all([source.close(), level.close()]);
});

it('refuses names that are not those of stacks', async () => {
  const source = await opened('imagej-little.tif');
  await expect(copied(source, 'stack.png')).rejects.toThrow('must end in .tif, .tiff, .npy, .zarr for a stack');
  await source.close();
});
