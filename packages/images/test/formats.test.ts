/** AVIF, GIF, PPM and PFM, files made byte by byte or by sharp; and formats that are known by name only. */
import { readFile } from 'node:fs/promises';
import { writeNpy, zip } from 'ght/npy';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { notKept } from '../src/index.js';
import { openImage, readImage, writeImage } from '../src/node/index.js';
import { displayP3, imageOf, pattern, temporaryFolder, tiff, widened } from './fixtures.js';

const { path, save } = temporaryFolder();
const latin = (text: string) => Buffer.from(text, 'latin1');
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    (error: Error) => error.message,
  );

describe('PPM and PGM', () => {
  it.each([
    ['P5', 'P5\n3 2\n255\n', [0, 1, 2, 253, 254, 255], 255],
    ['P5 with a comment', 'P5 # made by hand\n3\n2 255\n', [35, 1, 2, 253, 10, 32], 255],
    ['P6', 'P6\n2 1\n255\n', [0, 1, 2, 253, 254, 255], 255],
  ])('%s of 8 bits is read as it is, and written as the same samples', async (_, head, samples, most) => {
    const file = await save('in.ppm', Buffer.concat([latin(head), Buffer.from(samples)]));
    const read = await readImage(file);
    const [width, height] = head.startsWith('P6') ? [2, 1] : [3, 2];
    expect([read.format, read.depth, read.sample]).toEqual(['ppm', 8, 'uint']);
    expect(widened(read.image)).toEqual(imageOf(width, height, samples, false, most));
    await writeImage(path('out.ppm'), read.image, read);
    const written = latin(`${head.slice(0, 2)}\n${width} ${height}\n255\n`);
    expect(await readFile(path('out.ppm'))).toEqual(Buffer.concat([written, Buffer.from(samples)]));
  });

  it('of 16 bits has the highest byte first', async () => {
    const read = await readImage(
      await save('deep.pgm', Buffer.concat([latin('P5 2 1 65535\n'), Buffer.of(1, 2, 255, 254)])),
    );
    expect([read.depth, read.image.peak, [...read.image.planes[0]]]).toEqual([16, 65535, [258, 65534]]);
    await writeImage(path('deep-out.pgm'), read.image, read);
    expect(await readFile(path('deep-out.pgm'))).toEqual(
      Buffer.concat([latin('P5\n2 1\n65535\n'), Buffer.of(1, 2, 255, 254)]),
    );
  });

  it('keeps its own white level, which is the peak, and which other formats cannot say', async () => {
    const read = await readImage(await save('white.pgm', latin('P2\n# 12 bits\n3 1 4095\n0 17\n4095\n')));
    expect([read.depth, read.image.peak, [...read.image.planes[0]]]).toEqual([16, 4095, [0, 17, 4095]]);
    expect([notKept('ppm', 1, read.metadata), notKept('png', 1, read.metadata)]).toEqual([[], ['white level 4095']]);
    const brighter = { ...read.image, planes: [Float64Array.of(-3, 17.4, 5000)] };
    await writeImage(path('white-out.pgm'), brighter, read);
    expect(await readFile(path('white-out.pgm'))).toEqual(
      Buffer.concat([latin('P5\n3 1\n4095\n'), Buffer.of(0, 0, 0, 17, 15, 255)]),
    );
  });

  it('of text in colour is read', async () => {
    const { image } = await readImage(await save('text.ppm', latin('P3 2 1 255\n1 2 3\n4 5 6')));
    expect(image.planes.map((plane) => [...plane])).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
  });

  it.each([
    ['a bitmap', 'P4\n8 1\n\xff', /a bitmap \(P4\) is not read/],
    ['PAM', 'P7\nWIDTH 1\n', /a PAM \(P7\) is not read/],
    ['cut samples', 'P5 2 2 255\nabc', /ends before its last row/],
    ['cut text', 'P2 2 2 255\n1 2 3', /ends before its last sample/],
    ['a sample above white', 'P2 1 1 9\n10', /sample 0 is 10, above its largest one, 9/],
    ['a binary sample above white', 'P5 1 1 9\n\x0a', /sample 0 is 10, above its largest one, 9/],
    ['a second picture', 'P5 1 1 255\naP5 1 1 255\na', /something behind its only picture/],
    ['words for numbers', 'P2 2 1 255\n1 x', /sample 1 is no whole number/],
    ['no height', 'P5 2\n', /height is no whole number/],
    ['white of 0', 'P5 1 1 0\na', /largest sample or scale is 0/],
    ['a bomb', 'P5 900000 900000 255\n', /at most 268402689 pixels/],
    ['samples that are not there', 'P5 15000 15000 255\n', /must hold the image it announces/],
  ])('with %s is refused', async (_, content, message) => {
    expect(await messageOf(readImage(await save('bad.ppm', latin(content))))).toMatch(message);
  });

  it('is refused for alpha and floats', async () => {
    const image = { ...imageOf(1, 1, [1], false, 255), alpha: Uint8Array.of(3) };
    const like = { image, format: 'png', depth: 8, sample: 'uint' } as const;
    expect(await messageOf(writeImage(path('no.ppm'), image, like))).toMatch(/alpha, which PPM does not/);
    expect(await messageOf(writeImage(path('no.pfm'), image, like))).toMatch(/integers, which PFM does not/);
  });
});

describe('PFM', () => {
  const values = [0.5, -2, 1e30, Number.NaN, 4, 5];
  const floats = (littleEndian: boolean, order: readonly number[]) => {
    const bytes = Buffer.alloc(4 * order.length);
    for (const [i, value] of order.entries()) {
      if (littleEndian) bytes.writeFloatLE(value, 4 * i);
      else bytes.writeFloatBE(value, 4 * i);
    }
    return bytes;
  };
  // Rows of 3, 2 of them, the lower one first in the file.
  const stored = [...values.slice(3), ...values.slice(0, 3)];

  it.each([true, false])('has its rows from the bottom (lowest byte first: %s)', async (littleEndian) => {
    const head = latin(`Pf\n3 2\n${littleEndian ? '-1.0' : '1.0'}\n`);
    const read = await readImage(await save('in.pfm', Buffer.concat([head, floats(littleEndian, stored)])));
    expect([read.sample, read.depth, [...read.image.planes[0]]]).toEqual(['float', 32, [...Float32Array.from(values)]]);
    await writeImage(path('out.pfm'), read.image, read);
    expect(await readFile(path('out.pfm'))).toEqual(Buffer.concat([latin('Pf\n3 2\n-1.0\n'), floats(true, stored)]));
  });

  it('in colour has red, green and blue of a pixel side by side, and its scale is named', async () => {
    const read = await readImage(await save('c.pfm', Buffer.concat([latin('PF 2 1 -2.5\n'), floats(true, values)])));
    expect(read.image.planes.map((plane) => [...plane])).toEqual([
      [0.5, Number.NaN],
      [-2, 4],
      [Math.fround(1e30), 5],
    ]);
    expect(notKept('pfm', 3, read.metadata)).toEqual(['scale 2.5']);
  });
});

describe('AVIF', () => {
  const [width, height] = [20, 14];
  const samples = pattern(width * height * 3, 255);

  it('is written without loss, with what it holds, and read', async () => {
    const image = imageOf(width, height, samples, false, 255);
    const metadata = {
      icc: await displayP3(),
      resolution: { x: 300, y: 300, unit: 'inch' as const },
      xmp: latin('<x:xmpmeta/>'),
    };
    const like = { image, format: 'png', depth: 8, sample: 'uint', metadata } as const;
    await writeImage(path('out.avif'), image, like);
    const raw = await sharp(path('out.avif'), { ignoreIcc: true }).raw().toBuffer();
    expect([...raw]).toEqual(samples);
    const read = await readImage(path('out.avif'));
    expect([read.format, widened(read.image)]).toEqual(['avif', image]);
    expect(Buffer.from(read.metadata?.icc ?? [])).toEqual(metadata.icc);
    expect([Buffer.from(read.metadata?.xmp ?? []), read.metadata?.resolution]).toEqual([
      metadata.xmp,
      metadata.resolution,
    ]);
    expect(notKept('avif', 3, { ...metadata, iptc: Uint8Array.of(1) })).toEqual(['IPTC']);
  });

  it('of grey has three equal channels, and no resolution that its input did not have', async () => {
    const image = imageOf(width, height, samples.slice(0, width * height), false, 255);
    await writeImage(path('grey.avif'), image, { image, format: 'png', depth: 8, sample: 'uint' });
    const read = await readImage(path('grey.avif'));
    expect(read.image.planes.map((plane) => [...plane])).toEqual(Array.from({ length: 3 }, () => [...image.planes[0]]));
    expect(read.metadata).toEqual({});
  });

  it('is upright when it is read, and is not turned again', async () => {
    const picture = sharp(Buffer.from(samples), { raw: { width, height, channels: 3 } });
    const bytes = await picture.withMetadata({ orientation: 6 }).avif({ lossless: true }).toBuffer();
    const read = await readImage(await save('turned.avif', bytes));
    expect([read.image.width, read.image.height]).toEqual([height, width]);
    await writeImage(path('turned.png'), read.image, read);
    expect((await sharp(path('turned.png')).metadata()).orientation ?? 1).toBe(1);
  });

  it('that is damaged is refused', async () => {
    const bytes = await sharp(Buffer.from(samples), { raw: { width, height, channels: 3 } })
      .avif({ lossless: true })
      .toBuffer();
    expect(await messageOf(readImage(await save('cut.avif', bytes.subarray(0, bytes.length / 2))))).toMatch(
      /intact AVIF/,
    );
  });
});

describe('GIF', () => {
  const colours = [0xe0, 0x20, 0x40, 0x10, 0xc0, 0xff];
  /** A GIF by its specification: two colours, 2×1 pixels, codes of 3 bits: clear, two pixels, end. */
  const frame = (first: number, second: number) => {
    const bits = 4 | (first << 3) | (second << 6) | (5 << 9);
    return Buffer.concat([
      latin('\x21\xf9\x04\0\0\0\0\0'),
      latin('\x2c\0\0\0\0\x02\0\x01\0\0'),
      Buffer.of(2, 2, bits & 255, bits >> 8, 0),
    ]);
  };
  const gif = (...frames: Buffer[]) =>
    Buffer.concat([latin('GIF89a\x02\0\x01\0\x80\0\0'), Buffer.from(colours), ...frames, latin(';')]);
  const shown = (planes: readonly ArrayLike<number>[]) => planes.map((plane) => Array.from(plane));

  it('of one frame is read, and not written', async () => {
    const read = await readImage(await save('one.gif', gif(frame(0, 1))));
    expect([read.format, shown(read.image.planes)]).toEqual([
      'gif',
      [
        [0xe0, 0x10],
        [0x20, 0xc0],
        [0x40, 0xff],
      ],
    ]);
    expect(await messageOf(writeImage(path('out.gif'), read.image, read))).toMatch(/must end in \.png/);
  });

  it('has its profile and XMP read, and its comments named', async () => {
    const profile = await displayP3();
    const blocks = (bytes: Uint8Array) =>
      Array.from({ length: Math.ceil(bytes.length / 255) }, (_, i) => bytes.subarray(255 * i, 255 * (i + 1))).flatMap(
        (block) => [Buffer.of(block.length), block],
      );
    const application = (name: string, content: readonly Uint8Array[]) =>
      Buffer.concat([latin(`\x21\xff\x0b${name}`), ...content, Buffer.of(0)]);
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${'é'.repeat(300)}</x:xmpmeta>`;
    const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, i) => 255 - i)]);
    const bytes = gif(
      application('NETSCAPE2.0', [Buffer.of(3, 1, 0, 0)]),
      application('ICCRGBG1012', blocks(profile)),
      application('XMP DataXMP', [Buffer.from(xmp), trailer]),
      latin('\x21\xfe\x05hello\0'),
      frame(0, 1),
    );
    const { metadata } = await readImage(bytes);
    expect(Buffer.from(metadata?.icc ?? []).equals(profile)).toBe(true);
    expect(Buffer.from(metadata?.xmp ?? []).toString()).toBe(xmp);
    expect([notKept('png', 3, metadata), notKept('bmp', 3, metadata)]).toEqual([
      ['comment'],
      ['colour profile', 'XMP', 'comment'],
    ]);
    // Sharp reads the file too: it is sound.
    expect((await sharp(bytes).metadata()).format).toBe('gif');
    expect((await readImage(gif(frame(0, 1)))).metadata).toEqual({});
  });

  it('of several frames has as many pages', async () => {
    const bytes = gif(frame(0, 1), frame(1, 1));
    expect(await messageOf(readImage(bytes))).toMatch(/must hold exactly one page/);
    const pages = await openImage(bytes);
    expect([pages.count, pages.format]).toEqual([2, 'gif']);
    expect(shown((await pages.page(1)).image.planes)).toEqual([
      [0x10, 0x10],
      [0xc0, 0xc0],
      [0xff, 0xff],
    ]);
    expect(shown((await pages.page(0)).image.planes)[0]).toEqual([0xe0, 0x10]);
  });
});

describe('a JPEG in four inks', () => {
  it('is read as sRGB, and that is said', async () => {
    const picture = sharp({ create: { width: 16, height: 16, channels: 3, background: '#a08878' } });
    const bytes = await picture.toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer();
    const read = await readImage(await save('cmyk.jpg', bytes));
    for (const [c, value] of [0xa0, 0x88, 0x78].entries()) {
      expect(Math.abs(read.image.planes[c][0] - value)).toBeLessThan(12);
    }
    expect([read.metadata?.icc, notKept('png', 3, read.metadata)]).toEqual([
      undefined,
      ['CMYK colours (converted to sRGB by a common profile, as they have none)'],
    ]);
  });
});

describe('a format that is not read is named, with the way out:', () => {
  const ftyp = (...brands: string[]) =>
    `\0\0\0${String.fromCharCode(12 + 4 * brands.length)}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`;
  it.each([
    ['PSD', '8BPS\0\x01', /not a Photoshop document.*export it/],
    ['CR3', ftyp('crx ', 'crx '), /not a raw camera file \(CR3\).*RawTherapee/],
    ['CR2', 'II*\0\x10\0\0\0CR\x02\0', /not a raw camera file \(CR2\)/],
    ['RAF', 'FUJIFILMCCD-RAW 0201', /not a raw camera file \(RAF\)/],
    ['ORF', 'IIRO\x08\0\0\0', /not a raw camera file \(ORF\)/],
    ['RW2', 'IIU\0\x18\0\0\0', /not a raw camera file \(RW2\)/],
    ['JPEG XL', '\xff\x0a\0', /not JPEG XL.*djxl/],
    [
      'HEIC',
      ftyp('heic', 'mif1', 'heic'),
      /not be HEIC, whose coding \(HEVC\) the installed decoder lacks.*heif-convert/,
    ],
  ])('%s', async (_, content, message) => {
    expect(await messageOf(readImage(Buffer.concat([latin(content), Buffer.alloc(64)])))).toMatch(message);
  });

  it('DNG, NEF and ARW, which begin like a TIFF with a small picture', async () => {
    const tags = { 258: [8], 262: [1], 277: [1] };
    const make = (more: Record<number, number[]>) => readImage(tiff(2, 1, Uint8Array.of(1, 2), { ...tags, ...more }));
    expect(await messageOf(make({ 50706: [1, 4, 0, 0] }))).toMatch(/not a raw camera file \(DNG\).*darktable/);
    expect(await messageOf(make({ 254: [1], 330: [8] }))).toMatch(/not a raw camera file \(such as NEF or ARW\)/);
    expect((await make({ 254: [1] })).image.width).toBe(2);
  });
});

describe('an .npz', () => {
  const array = (values: number[]) =>
    writeNpy({ type: 'u1', shape: [1, values.length], data: Uint8Array.from(values) });

  it('of one array is that array', async () => {
    const read = await readImage(await save('one.npz', await zip([{ name: 'image.npy', bytes: array([3, 1, 2]) }])));
    expect([read.format, read.depth, [...read.image.planes[0]]]).toEqual(['npy', 8, [3, 1, 2]]);
  });

  it('of several arrays, of something else, or damaged is refused', async () => {
    const two = await zip([
      { name: 'a.npy', bytes: array([1]) },
      { name: 'b.npy', bytes: array([2]) },
    ]);
    expect(await messageOf(readImage(two))).toMatch(/must hold one array, not a, b, .*--array.*ght decode/);
    const [second] = (await readImage(two, { array: 'b' })).image.planes;
    expect([...second]).toEqual([2]);
    expect(await messageOf(readImage(two, { array: 'c' }))).toMatch(/must have the array c, and it has a, b/);
    expect(await messageOf(readImage(await zip([{ name: 'word/document.xml', bytes: latin('x') }])))).toMatch(
      /must hold one array/,
    );
    const one = await zip([{ name: 'image.npy', bytes: array([3, 1, 2]) }]);
    expect(await messageOf(readImage(one.slice(0, one.length - 30)))).toMatch(/intact NPZ|must be/);
  });
});

describe('a MAT-file, as SciPy writes it (matrices/make_matrices.py),', () => {
  const mat = (name: string) => readFile(new URL(`matrices/${name}.mat`, import.meta.url));
  const grid = Array.from({ length: 35 }, (_, i) => 4 * Math.floor(i / 7) - 3 * (i % 7));

  it.each([
    ['int8', 'int', 8],
    ['uint8', 'uint', 8],
    ['int16', 'int', 16],
    ['uint16', 'uint', 16],
    ['int32', 'int', 32],
    ['uint32', 'uint', 32],
    ['single', 'float', 32],
    ['double', 'float', 64],
    ['big_endian', 'float', 64],
    ['whole', 'float', 64],
  ])('of a matrix is a grey image of its type: %s', async (name, sample, depth) => {
    const { image, ...read } = await readImage(await mat(name));
    expect([image.width, image.height, read.sample, read.depth]).toEqual([7, 5, sample, depth]);
    const shift = ['single', 'double', 'big_endian'].includes(name) ? 0.25 : 0;
    const expected = grid.map((value) => (name.startsWith('u') ? Math.abs(value) : value) + shift);
    expect(image.planes.map((plane) => [...plane])).toEqual([expected]);
  });

  it('of three dimensions is a colour image; the array is found by its name or as the only one with numbers', async () => {
    const bytes = await mat('colour');
    for (const options of [{}, { array: 'picture' }]) {
      const { image } = await readImage(bytes, options);
      expect([image.width, image.height, image.planes.length]).toEqual([5, 6, 3]);
      const expected = (c: number) => Array.from({ length: 30 }, (_, i) => 100 * Math.floor(i / 5) + 10 * (i % 5) + c);
      expect(image.planes.map((plane) => [...plane])).toEqual([0, 1, 2].map(expected));
    }
    expect((await readImage(await mat('cube'), { axes: 'CHW' })).image.planes).toHaveLength(2);
  });

  it.each([
    ['several', undefined, /must hold one array, not Y, D,.*--array/],
    ['several', 'X', /must have the array X, and it has note, Y, D/],
    ['colour', 'mask', /full array of integers of 8 to 32 bits or of floats in mask, not logical values/],
    ['colour', 'text', /in text, not char/],
    ['complex', undefined, /in Y, not complex numbers/],
    ['int64', undefined, /in Y, not int64/],
    ['sparse', undefined, /in Y, not sparse.*full/],
    ['cube', undefined, /axes that are clear, which the shape 2×3×4/],
  ])('that is no image is refused: %s %s', async (name, array, message) => {
    expect(await messageOf(readImage(await mat(name), { array }))).toMatch(message);
  });

  it('of another level, or cut short, is refused', async () => {
    const hdf5 = Buffer.concat([latin('MATLAB 7.3 MAT-file'), Buffer.alloc(200)]);
    expect(await messageOf(readImage(hdf5))).toMatch(/not a MAT-file of v7\.3 \(HDF5\).*save -v7/);
    const bytes = await mat('colour');
    for (const length of [130, 150, 200, bytes.length - 3]) {
      expect(await messageOf(readImage(bytes.subarray(0, length)))).toMatch(/^file must (be|hold) .*intact/);
    }
  });
});
