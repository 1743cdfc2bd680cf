/** FITS files made line by line, as the standard has them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { notKept } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

const { path, save } = temporaryFolder();
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    (error: Error) => error.message,
  );
const card = (text: string) => text.padEnd(80);
/** A file: lines after SIMPLE, and samples. */
function fits(lines: readonly string[], samples: Buffer): Buffer {
  const header = ['SIMPLE  =                    T / made by hand', ...lines, 'END'].map(card).join('');
  const body = Buffer.concat([samples, Buffer.alloc((2880 - (samples.length % 2880)) % 2880)]);
  return Buffer.concat([Buffer.from(header.padEnd(2880 * Math.ceil(header.length / 2880)), 'latin1'), body]);
}
const sides = (bits: number, ...lengths: number[]) => [
  `BITPIX  = ${String(bits).padStart(20)}`,
  `NAXIS   = ${String(lengths.length).padStart(20)}`,
  ...lengths.map((length, i) => `NAXIS${i + 1}  = ${String(length).padStart(20)}`),
];
const sky = [
  "OBJECT  = 'M 31    '           / what is seen",
  'CRVAL1  =           10.6847083',
  'HISTORY flat field applied',
];
const shorts = (...values: number[]) => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeInt16BE(value, 2 * i);
  return bytes;
};

describe('FITS', () => {
  it('of signed integers has its last row first, and comes back with its header', async () => {
    const bytes = fits([...sides(16, 3, 2), ...sky], shorts(4, 5, -6, 1, 2, -32768));
    const read = await readImage(await save('in.fits', bytes));
    expect([read.format, read.sample, read.depth, [...read.image.planes[0]]]).toEqual([
      'fits',
      'int',
      16,
      [1, 2, -32768, 4, 5, -6],
    ]);
    expect(read.metadata?.fits).toEqual(sky.map(card));
    expect([notKept('fits', 1, read.metadata), notKept('tiff', 1, read.metadata)]).toEqual([[], ['FITS header']]);
    await writeImage(path('out.fits'), read.image, read);
    const written = await readFile(path('out.fits'));
    expect(written.length % 2880).toBe(0);
    expect(written.subarray(2880)).toEqual(bytes.subarray(2880));
    for (const line of [...sides(16, 3, 2), ...sky, 'END']) expect(written.includes(card(line))).toBe(true);
  });

  it.each([
    ['bytes', 8, [], Buffer.of(0, 7, 255), 'uint', 8, [0, 7, 255]],
    ['signed bytes', 8, ['BZERO   =                 -128'], Buffer.of(0, 128, 255), 'int', 8, [-128, 0, 127]],
    [
      'unsigned 16 bits',
      16,
      ['BZERO   =              32768.0'],
      shorts(-32768, 0, 32767),
      'uint',
      16,
      [0, 32768, 65535],
    ],
  ] as const)(
    'of %s is exact, and is written in the same way',
    async (_, bits, lines, samples, kind, depth, values) => {
      const read = await readImage(await save('kinds.fits', fits([...sides(bits, 3, 1), ...lines], samples)));
      expect([read.sample, read.depth, [...read.image.planes[0]]]).toEqual([kind, depth, values]);
      await writeImage(path('kinds-out.fits'), read.image, read);
      expect((await readFile(path('kinds-out.fits'))).subarray(2880, 2880 + samples.length)).toEqual(samples);
      expect((await readImage(path('kinds-out.fits'))).image).toEqual(read.image);
    },
  );

  it('with a scale and missing samples becomes floats of 64 bits and NaN', async () => {
    const lines = [
      ...sides(16, 3, 1),
      'BSCALE  =                0.25',
      'BZERO   =              1.0D+02',
      'BLANK   =               -32768',
    ];
    const read = await readImage(await save('scaled.fits', fits(lines, shorts(0, -32768, 10))));
    expect([read.sample, read.depth, [...read.image.planes[0]]]).toEqual(['float', 64, [100, Number.NaN, 102.5]]);
    await writeImage(path('scaled-out.fits'), read.image, read);
    const again = await readImage(path('scaled-out.fits'));
    expect([again.depth, [...again.image.planes[0]]]).toEqual([64, [100, Number.NaN, 102.5]]);
  });

  it('of floats keeps NaN, and several planes are bands', async () => {
    const samples = Buffer.alloc(24);
    for (const [i, value] of [1.5, Number.NaN, -3e30, 4, 5, 6].entries()) samples.writeFloatBE(value, 4 * i);
    const read = await readImage(await save('cube.fits', fits(sides(-32, 2, 1, 3), samples)));
    expect([read.depth, read.metadata?.bands, read.image.planes.map((plane) => [...plane])]).toEqual([
      ...[32, true],
      [
        [1.5, Number.NaN],
        [Math.fround(-3e30), 4],
        [5, 6],
      ],
    ]);
    await writeImage(path('cube-out.fits'), read.image, read);
    expect((await readFile(path('cube-out.fits'))).subarray(2880, 2904)).toEqual(samples);
  });

  it('with extensions behind its image says that they are not kept', async () => {
    const bytes = Buffer.concat([fits(sides(8, 1, 1), Buffer.of(1)), Buffer.alloc(2880, 32)]);
    expect(notKept('fits', 1, (await readImage(bytes)).metadata)).toEqual(['FITS extensions']);
  });

  it.each([
    ['no image in its first part', sides(8), /holds no image; save the extension/],
    ['64-bit integers', sides(64, 1, 1), /integers of 64 bits are not read/],
    ['four dimensions', sides(8, 1, 1, 1, 2), /4 dimensions are not read/],
    ['a side that is no number', ['BITPIX  =  8', 'NAXIS   =  1', 'NAXIS1  =  many'], /NAXIS1 is many/],
    ['fewer samples than it says', sides(16, 300, 300), /ends before its last row/],
    ['a bomb', sides(8, 900000, 900000), /at most 268402689 pixels/],
  ])('with %s is refused', async (_, lines, message) => {
    expect(await messageOf(readImage(fits(lines, Buffer.alloc(0))))).toMatch(message);
  });

  it('is refused if its header has no end, and for alpha', async () => {
    expect(
      await messageOf(readImage(Buffer.from(card('SIMPLE  =                    T').repeat(40), 'latin1'))),
    ).toMatch(/ends inside its header/);
    const image = { width: 1, height: 1, planes: [Uint8Array.of(1)], alpha: Uint8Array.of(1), peak: 255 };
    const like = { image, format: 'png', depth: 8, sample: 'uint' } as const;
    expect(await messageOf(writeImage(path('no.fits'), image, like))).toMatch(/alpha, which FITS does not/);
  });
});
