/** What the metadata of an input lose on the way is said in one line, and in the object of --json. */
import { readNpy, writeNpy } from 'ght/npy';
import { readImage, writeImage } from 'ght-images/node';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { path, ght, save, read } = workplace();
const xmp =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';
const picture = () =>
  sharp({
    create: {
      width: 48,
      height: 40,
      channels: 3,
      background: '#c63',
      noise: { type: 'gaussian', mean: 120, sigma: 20 },
    },
  })
    .withMetadata({ density: 300, icc: 'p3', exif: { IFD0: { Artist: 'Ada Example' } } })
    .withXmp(xmp);

describe('what an output does not keep', () => {
  it('is said on standard error, and in the object of --json', async () => {
    await save('in.png', await picture().png().toBuffer());
    const bmp = await ght('denoise', 'in.png', '-o', 'out.bmp', '--sigma', '9', '--json');
    expect(bmp.stderr).toBe('not kept in out.bmp: colour profile, EXIF, XMP\n');
    expect(JSON.parse(bmp.stdout).notKept).toEqual(['colour profile', 'EXIF', 'XMP']);
    const quiet = await ght('denoise', 'in.png', '-o', 'out.bmp', '--sigma', '9', '--quiet');
    expect(quiet.stderr).toBe('');
    const npy = await ght(
      'upscale',
      'in.png',
      '--factor',
      '2',
      '-o',
      'out.npy',
      '--blur',
      'area',
      '--sigma',
      '0',
      '--json',
    );
    expect(JSON.parse(npy.stdout).notKept).toEqual(['colour profile', 'EXIF', 'XMP', 'resolution']);
  });

  it('is nothing where the format holds all', async () => {
    await save('in.jpg', await picture().jpeg().toBuffer());
    const tif = await ght('denoise', 'in.jpg', '-o', 'out.tif', '--sigma', '9', '--json');
    expect([tif.stderr, JSON.parse(tif.stdout).notKept]).toEqual(['', []]);
    expect((await sharp(path('out.tif')).metadata()).xmp?.toString()).toBe(xmp);
  });

  it('of several files is said once for all that lack the same', async () => {
    for (const name of ['set-a.png', 'set-b.png']) await save(name, await picture().png().toBuffer());
    const { code, stderr } = await ght(
      'denoise',
      'set-a.png',
      'set-b.png',
      '-o',
      'set/',
      '--format',
      'bmp',
      '--sigma',
      '9',
    );
    expect(code).toBe(0);
    expect(stderr.split('\n').filter((line) => line.startsWith('not kept in'))).toEqual([
      'not kept in 2 of 2 images in set/: colour profile, EXIF, XMP',
    ]);
  });

  it('is nothing in tiles either, by way of a Zarr', async () => {
    await save('in.jpg', await picture().jpeg().toBuffer());
    const tiles = await ght('denoise', 'in.jpg', '-o', 'tiles.tif', '--sigma', '9', '--tile', '32', '--json');
    expect([tiles.stderr, JSON.parse(tiles.stdout).notKept]).toEqual(['', []]);
    const { icc, xmp: packet, density } = await sharp(path('tiles.tif')).metadata();
    expect([icc?.length, packet?.toString(), density]).toEqual([480, xmp, 300]);
    expect((await read('tiles.tif')).includes('Ada Example')).toBe(true);
  });
});

describe('NaN', () => {
  const floats = Float32Array.from({ length: 48 * 40 }, (_, i) =>
    i % 97 === 5 ? Number.NaN : 100 + 20 * Math.sin(i / 7),
  );
  const array = () => writeNpy({ type: 'f4', shape: [40, 48], data: floats });

  it('is refused with the flag that allows it, kept, or filled', async () => {
    await save('nan.npy', array());
    const refused = await ght('denoise', 'nan.npy', '-o', 'no.npy', '--sigma', '3');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('keeps or fills them with the option missing'),
    ]);
    for (const [what, left] of [
      ['keep', floats.filter(Number.isNaN).length],
      ['fill', 0],
    ] as const) {
      expect((await ght('denoise', 'nan.npy', '-o', 'out.npy', '--sigma', '3', '--missing', what)).code).toBe(0);
      const { data } = readNpy(await read('out.npy'));
      expect((data as Float32Array).filter(Number.isNaN).length).toBe(left);
    }
  });

  it('is counted by info, as infinities are', async () => {
    const values = floats.map((value, i) => (i === 7 ? Number.POSITIVE_INFINITY : value));
    await save('odd.npy', writeNpy({ type: 'f4', shape: [40, 48], data: values }));
    const { code, stdout } = await ght('info', 'odd.npy', '--json');
    const missing = floats.filter(Number.isNaN).length;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ missing, infinite: 1, notRead: [] })]);
    expect((await ght('info', 'odd.npy')).stdout).toContain(`missing   ${missing} samples are NaN`);
  });

  it('does not count in a diagnosis', async () => {
    await save('nan.npy', array());
    expect((await ght('diagnose', 'nan.npy')).stderr).toContain('must be a finite number');
    const { code, stdout } = await ght('diagnose', 'nan.npy', '--missing', 'keep', '--json');
    expect([code, JSON.parse(stdout).task]).toEqual([0, 'diagnose']);
  });

  it('is kept and filled in tiles with the bits of the whole', async () => {
    await save('nan.npy', array());
    for (const what of ['keep', 'fill']) {
      const outputs = ['whole.npy', 'tiles.npy'];
      for (const [i, tile] of [[], ['--tile', '16']].entries()) {
        const { code } = await ght('denoise', 'nan.npy', '-o', outputs[i], '--sigma', '3', '--missing', what, ...tile);
        expect(code).toBe(0);
      }
      const [whole, tiles] = await Promise.all(outputs.map(async (name) => readNpy(await read(name)).data));
      expect(tiles).toEqual(whole);
    }
  });
});

describe('EXR', () => {
  const image = { width: 24, height: 20, planes: [0, 1, 2].map(() => new Float32Array(480).fill(3)), peak: 1 };
  const alpha = Float32Array.from({ length: 480 }, (_, i) => (i % 24) / 23);

  it('goes to EXR, in tiles too, and with opacity to no format whose colours are not multiplied by it', async () => {
    const like = { image, format: 'exr', depth: 32, sample: 'float' } as const;
    await writeImage(path('opaque.exr'), image, like);
    const channels = { metadata: { exrChannels: ['R', 'G', 'B', 'A'], premultiplied: true } } as const;
    await writeImage(path('alpha.exr'), { ...image, alpha }, { ...like, ...channels });
    for (const flags of [[], ['--tile', '16']]) {
      expect((await ght('denoise', 'alpha.exr', '-o', 'out.exr', '--sigma', '0.1', ...flags)).code).toBe(0);
      expect((await readImage(path('out.exr'))).image.alpha).toEqual(alpha);
      for (const name of ['out.tif', 'out.zarr']) {
        const { code, stderr } = await ght('denoise', 'alpha.exr', '-o', name, '--sigma', '0.1', ...flags);
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining('-o must name a format that holds premultiplied alpha'),
        ]);
      }
    }
    expect((await ght('denoise', 'opaque.exr', '-o', 'out.tif', '--sigma', '0.1')).code).toBe(0);
  });
});
