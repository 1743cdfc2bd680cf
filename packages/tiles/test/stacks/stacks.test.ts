/** Stacks of ImageJ, OME-TIFF, OME-Zarr and NumPy: read as their programs wrote them, and written with all that they say. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { lengthOf, pageAt, pagesOf, placeOf, type Stack } from 'ght-images';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { framesStack, openStack, type StackSource, writeStack } from '../../src/index.js';
import { type Golden, goldenFolder, goldens, samplesOf } from './golden.js';

const path = goldenFolder();

async function opened(name: string, axes?: string): Promise<StackSource> {
  const source = await openStack(path(name), { axes });
  if (!source) throw new Error(`${name} is no stack`);
  return source;
}

/** Writes the pages of a stack as they are, the last one first, and opens the result. */
async function copied(source: StackSource, name: string, axes?: string): Promise<StackSource> {
  await writeStack(path(name), source, async (write) => {
    for (let page = pagesOf(source.stack) - 1; page >= 0; page--) {
      const file = await source.read(page);
      await write(page, file.image, file);
    }
  });
  await source.close();
  return opened(name, axes);
}

const lettersOf = ({ axes }: Stack) => axes.map(({ name }) => name).join('');
const golden = (name: string) => goldens.find((each) => each.name === name) as Golden;
const json = async (...names: string[]) => JSON.parse(await readFile(path(names.join('/')), 'utf8'));

describe('stacks of other programs', () => {
  it.each(goldens.map((each) => [each.name, each] as const))('%s: pages, axes and samples', async (name, each) => {
    const source = await opened(name);
    expect(lettersOf(source.stack)).toBe(each.axes);
    expect(await samplesOf(source)).toEqual(each.samples);
    await source.close();
  });

  it.each(['imagej-little.tif', 'imagej-big.tif'])('%s: scales, channels and labels', async (name) => {
    const { stack, picture, close } = await opened(name);
    expect(stack).toEqual({
      axes: [
        { name: 't', length: 3, step: 2, unit: 'second' },
        { name: 'z', length: 2, step: 1.5, unit: 'micrometer' },
        { name: 'c', length: 2 },
      ],
      channels: [
        { colour: '00FF00', range: [10, 200] },
        { colour: 'FF0000', range: [20, 300] },
      ],
      labels: Array.from({ length: 12 }, (_, i) => `page ${i} µ`),
    });
    expect(picture.metadata?.resolution).toEqual({ x: 40000, y: 40000, unit: 'centimetre' });
    await close();
  });

  it('OME-XML: scales, the names of channels, and the place of each page', async () => {
    const cells = await opened('cells.ome.tif');
    expect(cells.stack).toMatchObject({
      axes: [
        { name: 't', length: 3, step: 2, unit: 'second' },
        { name: 'c', length: 2 },
        { name: 'z', length: 2, step: 1.5, unit: 'micrometer' },
      ],
      channels: [{ name: 'DAPI' }, { name: 'GFP <2>' }],
    });
    const shuffled = await opened('shuffled.ome.tif');
    expect(shuffled.stack).toMatchObject({ name: 'shuffled', channels: [{ colour: '00FF00' }, {}] });
    await Promise.all([cells.close(), shuffled.close()]);
  });
});

describe('a TIFF of a stack', () => {
  it.each(['imagej-little.tif', 'imagej-big.tif', 'cells.ome.tif', 'plain.tif', 'colour.tif'])(
    'of %s has its samples and all that it says',
    async (name) => {
      const before = await opened(name);
      const after = await copied(before, `copy of ${name}`);
      expect(after.stack).toEqual(before.stack);
      expect(await samplesOf(after)).toEqual(golden(name).samples);
      const { description, ...metadata } = before.picture.metadata ?? {};
      expect(after.picture.metadata).toMatchObject(metadata);
      // Only the name of the file in it changes.
      const renamed = description?.replace('cells.ome.tif', 'copy of cells.ome.tif');
      expect(after.picture.metadata?.description).toBe(renamed);
      await after.close();
    },
  );

  it('keeps pages in the order that its OME-XML says', async () => {
    const after = await copied(await opened('shuffled.ome.tif'), 'again.ome.tif');
    expect(await samplesOf(after)).toEqual(golden('shuffled.ome.tif').samples);
    // The file itself has the order of the input.
    const [first, second] = await Promise.all(
      ['shuffled.ome.tif', 'again.ome.tif'].map((name) =>
        sharp(path(name), { page: 3 }).raw({ depth: 'ushort' }).toBuffer(),
      ),
    );
    expect(second).toEqual(first);
    await after.close();
  });

  it('of an image that ImageJ wrote with one directory lists all pages', async () => {
    const after = await copied(await opened('imagej-one-directory.tif'), 'listed.tif');
    expect((await sharp(path('listed.tif')).metadata()).pages).toBe(5);
    expect(await samplesOf(after)).toEqual(golden('imagej-one-directory.tif').samples);
    await after.close();
  });

  it('of floats says so in its OME-XML', async () => {
    const source = await opened('cells.ome.tif');
    const samples = { sample: 'float', depth: 32 } as const;
    const fill: Parameters<typeof writeStack>[2] = async (write) => {
      for (let page = 0; page < 12; page++) {
        const file = await source.read(page);
        const half = file.image.planes.map((plane) => Float32Array.from(plane, (value) => value + 0.5));
        await write(page, { ...file.image, planes: half }, file);
      }
    };
    await writeStack(path('half.ome.tif'), source, fill, { samples });
    await source.close();
    const after = await opened('half.ome.tif');
    expect(after.picture).toMatchObject(samples);
    expect(after.picture.metadata?.description).toContain('Type="float"');
    expect(await samplesOf(after)).toEqual(golden('cells.ome.tif').samples.map((value) => value + 0.5));
    await after.close();
  });
});

describe('a Zarr of a stack', () => {
  it.each(['imagej-big.tif', 'cells.ome.tif', 'plain.tif', 'colour.tif'])(
    'and back: %s with its samples and all that it says',
    async (name) => {
      const before = await opened(name);
      const zarr = await copied(before, `${name}.zarr`);
      for (const axis of ['t', 'c', 'z'] as const)
        expect(lengthOf(zarr.stack, axis)).toBe(lengthOf(before.stack, axis));
      const after = await copied(zarr, `back ${name}`);
      expect(after.stack).toEqual(before.stack);
      expect(after.picture).toEqual(before.picture);
      expect(await samplesOf(after)).toEqual(golden(name).samples);
      await after.close();
    },
  );

  it('of a Zarr has its version, its attributes and its axes', async () => {
    const after = await copied(await opened('cells.zarr'), 'copy.zarr');
    expect(await samplesOf(after)).toEqual(golden('cells.zarr').samples);
    const [before, attributes] = [await json('cells.zarr/.zattrs'), await json('copy.zarr/.zattrs')];
    const { type, ...scales } = attributes.multiscales[0];
    expect(type).toBe('mean');
    expect({ ...attributes, multiscales: [scales] }).toMatchObject(before);
    expect(await json('copy.zarr/0/.zarray')).toMatchObject({ zarr_format: 2, shape: [3, 2, 2, 7, 9], dtype: '<u2' });
    await after.close();
  });

  it('of version 0.5 is written as 0.5', async () => {
    const first = await copied(await opened('depth.zarr'), 'between.tif');
    const second = await copied(first, 'new.zarr');
    const third = await copied(second, 'newer.zarr');
    const { attributes } = await json('newer.zarr/zarr.json');
    expect(attributes).toEqual((await json('new.zarr/zarr.json')).attributes);
    expect(attributes.ome).toMatchObject({
      version: '0.5',
      multiscales: [{ axes: [{ name: 'z', unit: 'micrometer' }, { name: 'y' }, { name: 'x' }] }],
    });
    expect(attributes.ome.multiscales[0].datasets[0].coordinateTransformations).toEqual([
      { type: 'scale', scale: [1.5, 0.25, 0.25] },
    ]);
    expect(await samplesOf(third)).toEqual(golden('depth.zarr').samples);
    await third.close();
  });

  it('becomes a file of ImageJ with its colours, ranges and names, and an OME-TIFF', async () => {
    const tiff = await copied(await opened('cells.zarr'), 'from-zarr.tif');
    expect(lettersOf(tiff.stack)).toBe('tzc');
    expect(tiff.stack.channels).toEqual([
      { colour: '0000FF', range: [5, 900] },
      { colour: '00FF00', range: [5, 900] },
    ]);
    expect(tiff.stack.labels?.slice(0, 3)).toEqual(['DAPI', 'GFP', 'DAPI']);
    expect(tiff.picture.metadata?.resolution).toEqual({ x: 40000, y: 40000, unit: 'centimetre' });
    await tiff.close();
    const ome = await copied(await opened('cells.zarr'), 'from-zarr.ome.tif');
    expect(ome.stack).toMatchObject({
      name: 'cells',
      channels: [
        { name: 'DAPI', colour: '0000FF' },
        { name: 'GFP', colour: '00FF00' },
      ],
    });
    expect(lengthOf(ome.stack, 'z')).toBe(2);
    const again = await copied(ome, 'from-ome.zarr');
    expect(await samplesOf(again)).toEqual(golden('cells.zarr').samples);
    await again.close();
  });

  it('has levels of half the size each', async () => {
    const [pages, side] = [2, 1025];
    const data = Uint16Array.from({ length: pages * side * side }, (_, i) => i % 1000);
    await writeFile(path('large.npy'), writeNpy({ type: 'u2', shape: [pages, side, side], data }));
    const zarr = await copied(await opened('large.npy', 'zyx'), 'levels.zarr');
    const { attributes } = await json('levels.zarr/zarr.json');
    const { datasets } = attributes.ome.multiscales[0];
    expect(datasets.map(({ path: level }: { path: string }) => level)).toEqual(['0', '1', '2']);
    expect(datasets[1].coordinateTransformations[0].scale).toEqual([1, 2, 2]);
    expect((await json('levels.zarr/1/zarr.json')).shape).toEqual([2, 513, 513]);
    expect((await json('levels.zarr/2/zarr.json')).shape).toEqual([2, 257, 257]);
    await zarr.close();
  });
});

describe('an array of a stack', () => {
  const data = Int16Array.from({ length: 2 * 3 * 2 * 4 * 5 }, (_, i) => i - 100);

  it.each([
    ['tczyx', [2, 3, 2, 4, 5]],
    ['ztcyx', [2, 3, 2, 4, 5]],
    ['czyx', [6, 2, 4, 5]],
    ['tzyxc', [2, 3, 4, 5, 2]],
    ['tyx', [12, 4, 5]],
  ])('with the axes %s comes back to the bit', async (axes, shape) => {
    const bytes = writeNpy({ type: 'i2', shape, data });
    await writeFile(path('stack.npy'), bytes);
    const source = await opened('stack.npy', axes);
    expect(await samplesOf(source)).toEqual([...data]);
    const after = await copied(source, 'copy.npy', axes);
    expect(await samplesOf(after)).toEqual([...data]);
    await after.close();
    const tiff = await copied(await opened('stack.npy', axes), 'array.tif');
    const letters = lettersOf(source.stack);
    expect(lettersOf(tiff.stack).split('').sort().join('')).toBe(letters.split('').sort().join(''));
    const back = await copied(tiff, 'back.npy', axes.endsWith('c') ? 'tzyxc' : `${lettersOf(tiff.stack)}yx`);
    expect((await samplesOf(back)).sort()).toEqual([...data].map(Number).sort());
    await back.close();
  });

  it('that does not fit its axes, or is cut, is refused', async () => {
    const bytes = writeNpy({ type: 'i2', shape: [2, 3, 2, 4, 5], data });
    await writeFile(path('bad.npy'), bytes);
    await expect(opened('bad.npy', 'tyx')).rejects.toThrow('must have the 3 dimensions of tyx, not 2×3×2×4×5');
    await writeFile(path('bad.npy'), bytes.subarray(0, bytes.length - 2));
    await expect(opened('bad.npy', 'tczyx')).rejects.toThrow('must hold the 480 bytes of its shape');
  });
});

describe('what is not kept or not there', () => {
  it('is one line', async () => {
    const source = await opened('imagej-little.tif');
    const write = (name: string) => writeStack(path(name), source, async () => {});
    await expect(write('no.png')).rejects.toThrow('output must end in .tif, .tiff, .npy, .zarr for a stack');
    await expect(write('cells.zarr')).rejects.toThrow('output must be a new folder');
    await source.close();
    const bytes = await readFile(path('cells.ome.tif'));
    bytes.write('SizeT="4"', bytes.indexOf('SizeT="3"'), 'latin1');
    await writeFile(path('part.ome.tif'), bytes);
    await expect(opened('part.ome.tif')).rejects.toThrow(
      'must hold the planes that its OME-XML lists (t = 4, c = 2, z = 2), but it has 12',
    );
    expect(await openStack(path('copy.npy'))).toBeUndefined();
  });

  it('a stopped or failed run leaves nothing', async () => {
    const source = await opened('imagej-little.tif');
    const before = await readdir(path());
    for (const name of ['stopped.tif', 'stopped.npy', 'stopped.zarr']) {
      const fill: Parameters<typeof writeStack>[2] = async (write) => {
        const file = await source.read(0);
        await write(0, file.image, file);
        throw new Error('stopped');
      };
      await expect(writeStack(path(name), source, fill)).rejects.toThrow('stopped');
    }
    expect(await readdir(path())).toEqual(before);
    await source.close();
  });

  it('a Zarr of a run with a name is continued by the next one, and by no other', async () => {
    const source = await opened('imagej-little.tif');
    const pages = pagesOf(source.stack);
    const written: number[] = [];
    const fillUpTo =
      (most: number): Parameters<typeof writeStack>[2] =>
      async (write, has) => {
        for (let page = 0; page < pages; page++) {
          if (await has(page)) continue;
          if (written.push(page) > most) throw new Error('stopped');
          const file = await source.read(page);
          await write(page, file.image, file);
        }
      };
    const run = (name: string, most: number) => writeStack(path('run.zarr'), source, fillUpTo(most), { run: name });
    await expect(run('one', 2)).rejects.toThrow('stopped');
    expect(await readdir(path())).not.toContain('run.zarr');
    written.length = 0;
    await expect(run('other', 2)).rejects.toThrow('stopped');
    expect(written).toEqual([0, 1, 2]);
    written.length = 0;
    await run('one', pages);
    expect(written).toEqual(Array.from({ length: pages - 2 }, (_, i) => i + 2));
    const result = await opened('run.zarr');
    for (let page = 0; page < pages; page++) {
      const same = pageAt(result.stack, placeOf(source.stack, page));
      const [expected, found] = [await source.read(page), await result.read(same)];
      expect([...found.image.planes[0]].join()).toBe([...expected.image.planes[0]].join());
    }
    await result.close();
    await source.close();
    const left = (await readdir(path())).filter((name) => name.endsWith('.unfinished'));
    expect(left).toHaveLength(1);
    await rm(path(left[0]), { recursive: true });
  });

  it('frames of another size are refused', async () => {
    const grey = (width: number) => sharp({ create: { width, height: 8, channels: 3, background: 'red' } }).png();
    await writeFile(path('1.png'), await grey(8).toBuffer());
    await writeFile(path('2.png'), await grey(9).toBuffer());
    const frames = await framesStack([path('1.png'), path('2.png')]);
    await frames.read(0);
    await expect(frames.read(1)).rejects.toThrow('must be frames of one kind, 8×8×3 of uint8, not 9×8×3 of uint8');
  });
});
