import { crc32 } from 'node:zlib';
import { encode } from 'fast-png';
import { overcompleteDct } from 'ght';
import { writeNpy, zip } from 'ght/npy';
import { encodeImage, readImage } from 'ght-images/node';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fewestChannels } from '../src/image/bitmap.js';
import { planesOf } from '../src/image/decoded.js';
import { formatOf, sizeOf } from '../src/image/header.js';
import { openImage } from '../src/image/open.js';
import { decodePng, encodePng } from '../src/image/png.js';
import {
  checkComparisonMemory,
  checkDenoisingMemory,
  checkMemory,
  checkOpeningMemory,
  checkRestorationMemory,
  denoisingBytes,
  tabBytes,
} from '../src/worker/memory-limit.js';

const whole = () => 1;
const bytesOf = async (picture: Sharp) => new Uint8Array(await picture.toBuffer());
const ramp = (n: number, step: number) => Uint16Array.from({ length: n }, (_, i) => i * step);

/** A PNG with one more chunk after its header. */
function withChunk(png: Uint8Array, type: string, content: readonly number[]): Uint8Array<ArrayBuffer> {
  const body = [...Buffer.from(type), ...content];
  const length = new DataView(new ArrayBuffer(8));
  length.setUint32(0, content.length);
  length.setUint32(4, crc32(Uint8Array.from(body)));
  const around = [...new Uint8Array(length.buffer)];
  return Uint8Array.from([...png.slice(0, 33), ...around.slice(0, 4), ...body, ...around.slice(4), ...png.slice(33)]);
}

/** An uncompressed TIFF with one strip per page; the samples are those of all pages. */
function tiff(
  width: number,
  samples: Uint8Array | Uint16Array | Int16Array | Float32Array | Float64Array,
  { photometric = 1, bands = 1, format = 1, pages = 1, extra = [] as number[] } = {},
): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(samples.buffer);
  const height = samples.length / width / bands / pages;
  const bits = 8 * samples.BYTES_PER_ELEMENT;
  const depths = 8 + data.length + (data.length % 2);
  const directory = depths + 8;
  const tags = [
    [256, width],
    [257, height],
    bands > 2 ? [258, depths, bands] : [258, bits],
    [262, photometric],
    [273],
    [277, bands],
    [279, data.length / pages],
    ...extra.map((label) => [338, label]),
    [339, format],
  ];
  const size = 2 + 12 * tags.length + 4;
  const bytes = new Uint8Array(directory + pages * size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directory, true);
  bytes.set(data, 8);
  for (let i = 0; i < 4; i++) view.setUint16(depths + 2 * i, bits, true);
  for (let page = 0; page < pages; page++) {
    const at = directory + page * size;
    view.setUint16(at, tags.length, true);
    tags.forEach(([tag, value = 8 + (page * data.length) / pages, count = 1], i) => {
      view.setUint16(at + 2 + 12 * i, tag, true);
      view.setUint16(at + 4 + 12 * i, tag === 273 || tag === 279 ? 4 : 3, true);
      view.setUint32(at + 6 + 12 * i, count, true);
      view.setUint32(at + 10 + 12 * i, value, true);
    });
    if (page + 1 < pages) view.setUint32(at + size - 4, at + size, true);
  }
  return bytes;
}

const planesIn = async (file: Uint8Array<ArrayBuffer>) =>
  (await openImage(file, whole)).image.planes.map((plane) => [...plane]);

describe('opening a PNG', () => {
  it('gives 16-bit samples exactly, with alpha apart', async () => {
    const samples = ramp(4 * 3 * 4, 1301);
    const raw = { width: 4, height: 3, channels: 4 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('rgb16').png());
    const { image, depth, format } = await openImage(file, whole);
    expect({ depth, format, peak: image.peak, planes: image.planes.length }).toEqual({
      depth: 16,
      format: 'PNG',
      peak: 65535,
      planes: 3,
    });
    expect([...image.planes[1]]).toEqual([...samples].filter((_, i) => i % 4 === 1));
    expect([...(image.alpha ?? [])]).toEqual([...samples].filter((_, i) => i % 4 === 3));
  });

  it('saves it unchanged', async () => {
    const samples = ramp(5 * 4, 3000);
    const raw = { width: 5, height: 4, channels: 1 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('grey16').png());
    const { image } = await openImage(file, whole);
    expect(decodePng(encodePng(image, 16)).samples).toEqual(samples);
  });

  it('opens palettes and one bit per pixel as 8-bit samples', async () => {
    const colours = Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255, 0]);
    const picture = sharp(colours, { raw: { width: 3, height: 2, channels: 3 } });
    const palette = await openImage(await bytesOf(picture.png({ palette: true })), whole);
    expect(palette.image.planes.map((plane) => [...plane])).toEqual([
      [255, 0, 0, 255, 255, 0],
      [0, 255, 0, 0, 0, 255],
      [0, 0, 255, 0, 0, 0],
    ]);
    const bits = Uint8Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 255 : 0));
    const grey = sharp(bits, { raw: { width: 10, height: 2, channels: 1 } }).toColourspace('b-w');
    const bilevel = await openImage(await bytesOf(grey.png({ palette: true, colours: 2 })), whole);
    expect([...bilevel.image.planes[0]]).toEqual([...bits]);
  });

  it.each([8, 16] as const)('makes alpha of a transparent colour of %i bits', async (depth) => {
    const samples = depth === 8 ? Uint8Array.of(10, 80, 200, 80) : Uint16Array.of(10, 80, 200, 80);
    const grey = Uint8Array.from(encode({ width: 2, height: 2, channels: 1, depth, data: samples }));
    const { image } = await openImage(withChunk(grey, 'tRNS', [0, 80]), whole);
    const most = 2 ** depth - 1;
    expect([...image.planes[0], ...(image.alpha ?? [])]).toEqual([10, 80, 200, 80, most, 0, most, 0]);
    const data = Uint8Array.of(1, 2, 3, 1, 2, 4, 2, 2, 4);
    const colour = Uint8Array.from(encode({ width: 3, height: 1, channels: 3, depth: 8, data }));
    const keyed = await openImage(withChunk(colour, 'tRNS', [0, 1, 0, 2, 0, 4]), whole);
    expect([...(keyed.image.alpha ?? [])]).toEqual([255, 0, 255]);
  });

  it('refuses several frames', async () => {
    const grey = encode({ width: 2, height: 1, channels: 1, depth: 8, data: Uint8Array.of(1, 2) });
    const frames = (n: number) => withChunk(Uint8Array.from(grey), 'acTL', [0, 0, 0, n, 0, 0, 0, 0]);
    await expect(openImage(frames(3), whole)).rejects.toThrow(
      'This PNG file has several frames. Save the one you want',
    );
  });

  it('refuses damage in a sentence', async () => {
    const file = await bytesOf(sharp(ramp(64, 3), { raw: { width: 8, height: 8, channels: 1 } }).png());
    file[50] ^= 0xff;
    await expect(openImage(file, whole)).rejects.toThrow(/^This PNG file is damaged or incomplete \(.+\)\. Fetch or/);
    await expect(openImage(file.slice(0, 40), whole)).rejects.toThrow(/damaged or incomplete/);
    await expect(openImage(new TextEncoder().encode('hello'), whole)).rejects.toThrow(
      /not a PNG, JPEG, WebP, TIFF, PPM, PFM, FITS or \.npy/,
    );
  });

  it('names the file in errors, and reports an empty file', async () => {
    const text = new TextEncoder().encode('hello');
    await expect(openImage(text, whole, 'notes.txt')).rejects.toThrow(
      /^notes\.txt is not a PNG, JPEG, WebP, TIFF, PPM, PFM, FITS or \.npy/,
    );
    await expect(openImage(new Uint8Array(0), whole, 'scan.png')).rejects.toThrow('scan.png is empty. Fetch or save');
  });
});

describe('opening a TIFF', () => {
  it('gives 16-bit samples exactly', async () => {
    const samples = ramp(6 * 2, 5000);
    const raw = { width: 6, height: 2, channels: 1 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('grey16').tiff({ compression: 'lzw' }));
    const { image, depth, format } = await openImage(file, whole);
    expect({ depth, format, samples: [...image.planes[0]] }).toEqual({
      depth: 16,
      format: 'TIFF',
      samples: [...samples],
    });
  });
});

describe('opening a TIFF as the command does', () => {
  it('takes one sample format for all bands', async () => {
    const colours = Uint8Array.of(1, 2, 3, 4, 5, 6);
    expect(await planesIn(tiff(2, colours, { photometric: 2, bands: 3 }))).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
  });

  it('turns white as zero around', async () => {
    expect(await planesIn(tiff(3, Uint8Array.of(0, 55, 255), { photometric: 0 }))).toEqual([[255, 200, 0]]);
    expect(await planesIn(tiff(2, Uint16Array.of(0, 60000), { photometric: 0 }))).toEqual([[65535, 5535]]);
  });

  it('opens any page, and says how many there are', async () => {
    const stack = tiff(2, Uint8Array.of(1, 2, 3, 4, 5, 6), { pages: 3 });
    for (const [page, samples] of [
      [0, [1, 2]],
      [2, [5, 6]],
    ] as const) {
      const { image, pages } = await openImage(stack, whole, 'stack.tif', page);
      expect([[...image.planes[0]], pages]).toEqual([samples, 3]);
    }
    await expect(openImage(stack, whole, 'stack.tif', 3)).rejects.toThrow('stack.tif has no such page.');
  });

  it('keeps the digits of 64-bit floats', async () => {
    const values = [1e9 + 0.25, 1e9 + 0.5];
    expect(await planesIn(tiff(2, Float64Array.from(values), { format: 3 }))).toEqual([values]);
  });

  it.each([
    ['signed samples', tiff(2, Int16Array.of(-1, 2), { format: 2 }), /holds signed 16-bit integers\. Save it with uns/],
    [
      'premultiplied alpha',
      tiff(1, Uint8Array.of(1, 2, 3, 4), { photometric: 2, bands: 4, extra: [1] }),
      /^This TIFF file must have straight alpha, not premultiplied\. Save it again with unassociated alpha\.$/,
    ],
  ])('refuses %s', async (_, file, reason) => {
    await expect(openImage(file, whole)).rejects.toThrow(reason);
  });
});

describe('the tables of a JPEG', () => {
  /** What a browser does, by sharp: decode, turn upright, draw on a canvas. */
  class Canvas {
    #drawn = { data: new Uint8ClampedArray() };
    getContext = () => ({
      drawImage: (bitmap: { data: Uint8ClampedArray<ArrayBuffer> }) => {
        this.#drawn = bitmap;
      },
      getImageData: () => this.#drawn,
    });
  }
  const decode = async (blob: Blob) => {
    const upright = sharp(Buffer.from(await blob.arrayBuffer()))
      .autoOrient()
      .ensureAlpha()
      .raw();
    const { data, info } = await upright.toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: Uint8ClampedArray.from(data), close: () => {} };
  };
  const file = (orientation: number) => {
    const samples = Uint8Array.from({ length: 37 * 26 * 3 }, (_, i) => (31 * i) % 251);
    const picture = sharp(samples, { raw: { width: 37, height: 26, channels: 3 } });
    return bytesOf(picture.withMetadata({ orientation }).jpeg({ quality: 75 }));
  };
  beforeAll(() => {
    vi.stubGlobal('createImageBitmap', decode);
    vi.stubGlobal('OffscreenCanvas', Canvas);
  });
  afterAll(() => vi.unstubAllGlobals());

  it('are read with the image and turned like it', async () => {
    const [upright, turned] = [await openImage(await file(1), whole), await openImage(await file(6), whole)];
    expect(Array.from(upright.jpeg?.luma ?? []).slice(0, 4)).toEqual([8, 6, 5, 8]);
    expect(upright.jpeg?.subsampling).toEqual([2, 2]);
    expect([turned.image.width, turned.image.height]).toEqual([26, 37]);
    expect(turned.jpeg?.luma[8]).toBe(6);
    expect(turned.jpeg?.origin).toEqual([2, 0]);
  });

  it('are not read for a reduced image or other formats', async () => {
    expect('jpeg' in (await openImage(await file(1), () => 2))).toBe(false);
    const png = await bytesOf(sharp(await file(1)).png());
    expect('jpeg' in (await openImage(png, whole))).toBe(false);
  });
});

describe('an orientation', () => {
  const samples = Uint8Array.from({ length: 3 * 2 * 4 }, (_, i) => 10 * i);
  const stored = () => sharp(samples, { raw: { width: 3, height: 2, channels: 4 } });

  it.each((['png', 'tiff'] as const).flatMap((format) => [1, 2, 3, 4, 5, 6, 7, 8].map((n) => [format, n] as const)))(
    'of a %s turns the image and its alpha: %i',
    async (format, orientation) => {
      const file = await bytesOf(stored().withMetadata({ orientation }).toFormat(format, { compression: 'lzw' }));
      const { data, info } = await sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });
      const { image } = await openImage(file, whole);
      expect({ width: image.width, height: image.height }).toEqual({ width: info.width, height: info.height });
      const all = [...image.planes, image.alpha ?? []];
      expect(Array.from(data, (_, i) => all[i % 4][i >> 2])).toEqual([...data]);
    },
  );

  it('that is invalid is ignored', async () => {
    const file = await bytesOf(stored().withMetadata({ orientation: 6 }).png());
    const at = Buffer.from(file).indexOf('eXIf');
    // The directory offset is beyond the end of the block.
    const lost = withChunk(Uint8Array.from(encode({ width: 3, height: 2, data: samples, channels: 4 })), 'eXIf', [
      ...file.slice(at + 4, at + 8),
      255,
      255,
      255,
      255,
    ]);
    expect((await openImage(lost, whole)).image.width).toBe(3);
  });
});

describe('the header', () => {
  it('identifies CMYK, which is rejected', async () => {
    const blank = sharp({ create: { width: 8, height: 8, channels: 3, background: '#a40' } });
    const file = await bytesOf(blank.toColourspace('cmyk').jpeg());
    await expect(openImage(file, whole)).rejects.toThrow('This JPEG file is in CMYK. Convert it to RGB.');
  });

  it.each([
    [2 ** 31 - 1, 2 ** 31 - 1],
    [1, 2 ** 31 - 1],
    [8000, 8000],
  ])('that announces %i×%i in a few bytes is reported as damage', async (width, height) => {
    const file = Uint8Array.from(encode({ width: 1, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3) }));
    new DataView(file.buffer).setUint32(16, width);
    new DataView(file.buffer).setUint32(20, height);
    await expect(openImage(file, whole)).rejects.toThrow(
      `This PNG file is damaged: it announces ${width}×${height} pixels, which its ${file.length} bytes cannot hold.`,
    );
  });

  it.each(['png', 'jpeg', 'webp'] as const)('of %s states the size before anything is decoded', async (format) => {
    const blank = sharp({ create: { width: 37, height: 21, channels: 3, background: '#a40' } });
    const file = await bytesOf(blank.toFormat(format));
    const found = formatOf(file);
    expect(found?.toLowerCase()).toBe(format);
    expect(found && sizeOf(file, found)).toEqual({ width: 37, height: 21, channels: 3 });
    expect(found && sizeOf(file.slice(0, 14), found)).toBeUndefined();
  });

  it('allows an image to be rejected or reduced', async () => {
    const raw = { width: 4, height: 2, channels: 1 } as const;
    const file = await bytesOf(
      sharp(Uint8Array.from([1, 3, 10, 20, 5, 7, 30, 40]), { raw })
        .toColourspace('b-w')
        .png(),
    );
    const reduced = await openImage(file, () => 2);
    expect([...reduced.image.planes[0]]).toEqual([4, 25]);
    const refuse = () => {
      throw Object.assign(new Error('too large'), { name: 'TooLargeError' });
    };
    await expect(openImage(file, refuse)).rejects.toThrow('too large');
  });
});

describe('an image too large for a tab', () => {
  it('is offered at a size that fits', () => {
    expect(() => checkMemory({ width: 8000, height: 5000, channels: 3 }, {})).toThrow(/Open it reduced to 4000×2500,/);
  });

  it('is opened if it can at least be shown: 50 megapixels, not 108', () => {
    expect(() => checkOpeningMemory({ width: 8688, height: 5792, channels: 3 })).not.toThrow();
    expect(() => checkOpeningMemory({ width: 12000, height: 9000, channels: 3 })).toThrow(
      /Open it reduced to 6000×4500/,
    );
  });

  it('of 24 megapixels can be denoised in any browser, of 50 on a machine with 8 GiB', () => {
    const photograph = { quality: 'best', bytes: 1, experiment: false } as const;
    const bytes = (width: number, height: number) => denoisingBytes({ width, height, channels: 3 }, photograph);
    expect(bytes(6000, 4000)).toBeLessThan(tabBytes(undefined));
    expect(bytes(8688, 5792)).toBeLessThan(tabBytes(8));
    expect(bytes(8688, 5792)).toBeGreaterThan(tabBytes(4));
    const large = { width: 12000, height: 9000, channels: 3 };
    expect(() => checkDenoisingMemory(large, { ...photograph, experiment: true })).toThrow(/Open it reduced to/);
  });

  it('is not compared if the results of all solvers together do not fit', () => {
    const planes = [1, 2, 3].map(() => new Uint8Array(0));
    const photograph = { width: 4000, height: 3000, planes, peak: 255 };
    const options = { solver: 'admm', budget: { perPatch: 5 }, stride: 8, dictionary: overcompleteDct(8, 10) } as const;
    expect(() => checkMemory({ ...photograph, channels: 3 }, options)).not.toThrow();
    expect(() => checkComparisonMemory(photograph, options, 6)).toThrow(/Open it reduced to 2000×1500/);
  });

  it('can be restored in a part that fits, or enlarged less', () => {
    const photograph = { width: 6000, height: 4000, channels: 3 };
    expect(() => checkRestorationMemory(photograph, photograph, 'fast')).toThrow(/Open it reduced to/);
    expect(() => checkRestorationMemory(photograph, { ...photograph, width: 400, height: 300 }, 'fast')).not.toThrow();
    const small = { width: 2000, height: 1500, channels: 1 };
    expect(() => checkRestorationMemory(small, { ...small, width: 8000, height: 6000 }, 'fast')).toThrow(
      /or choose a smaller factor/,
    );
  });

  it('is not offered if a side would vanish', () => {
    const strip = { width: 2, height: 2 ** 27, channels: 1 };
    expect(() => checkMemory(strip, {})).toThrow(
      expect.objectContaining({ reduce: undefined, message: expect.stringContaining('Cut it into pieces, or use') }),
    );
  });
});

describe('planes', () => {
  it('of floats have their range as full scale', () => {
    const raster = { width: 2, height: 1, channels: 1, alpha: false, depth: 32, sample: 'float' } as const;
    expect(planesOf({ ...raster, samples: Float32Array.of(-1, 3) }).peak).toBe(4);
    expect(planesOf({ ...raster, samples: Float32Array.of(2, 2) }).peak).toBe(1);
  });

  it('of a canvas leave out redundant channels', () => {
    const grey = fewestChannels(2, 1, Uint8ClampedArray.of(7, 7, 7, 255, 9, 9, 9, 255));
    expect(grey).toMatchObject({ channels: 1, alpha: false, samples: Uint8ClampedArray.of(7, 9) });
    const see = fewestChannels(1, 1, Uint8ClampedArray.of(7, 8, 9, 200));
    expect(see).toMatchObject({ channels: 4, alpha: true });
  });
});

describe('the formats of the command that need no decoder', () => {
  const size = { width: 5, height: 4 };
  const floats = (count: number) => Array.from({ length: count }, () => Float32Array.from(ramp(20, 3), Math.sqrt));
  const encoded = async (
    format: 'ppm' | 'pfm' | 'fits',
    planes: readonly (Uint16Array | Float32Array)[],
    depth: 16 | 32,
  ) => {
    const image = { ...size, planes, peak: 1 };
    const sample = depth === 16 ? 'uint' : 'float';
    const like = { image, format, depth, sample } as const;
    return new Uint8Array(await encodeImage(image, format, like));
  };
  const npy = (type: 'i2' | 'f8' | 'u1', shape: number[], data: Int16Array | Float64Array | Uint8Array) =>
    new Uint8Array(writeNpy({ type, shape, data }));
  const signed = Int16Array.from(ramp(20, 7), (value) => value - 60);
  const text = (content: string) => new TextEncoder().encode(content);

  it.each([
    [
      'PPM of 16 bits',
      () =>
        encoded(
          'ppm',
          [1, 2, 3].map((step) => ramp(20, 1000 * step)),
          16,
        ),
      16,
      'uint',
    ],
    ['PGM of 12 bits as text', async () => text('P2\n5 1\n4095\n0 1 2 4000 4095\n'), 16, 'uint'],
    ['PFM', () => encoded('pfm', floats(3), 32), 32, 'float'],
    ['FITS', () => encoded('fits', floats(1), 32), 32, 'float'],
    ['.npy of signed integers', async () => npy('i2', [4, 5], signed), 32, 'float'],
    [
      '.npy of 64-bit floats in colour',
      async () => npy('f8', [5, 4, 3], Float64Array.from(ramp(60, 5), Math.sqrt)),
      32,
      'float',
    ],
    [
      '.npz',
      async () =>
        new Uint8Array(await zip([{ name: 'a.npy', bytes: npy('u1', [4, 5], Uint8Array.from(ramp(20, 9))) }])),
      8,
      'uint',
    ],
  ] as const)('%s has the samples that the command reads', async (_, make, depth, sample) => {
    const bytes = new Uint8Array(await make());
    const [opened, read] = [await openImage(bytes, whole), await readImage(bytes)];
    expect(opened.image.planes.map((plane) => [...plane])).toEqual(read.image.planes.map((plane) => [...plane]));
    expect([opened.image.peak, opened.depth, opened.sample]).toEqual([read.image.peak, depth, sample]);
  });

  it('are reduced, checked and refused like the others', async () => {
    const bytes = npy('u1', [4, 4], Uint8Array.from(ramp(16, 10)));
    expect([...(await openImage(bytes, () => 2)).image.planes[0]]).toEqual([25, 45, 105, 125]);
    const bands = npy('u1', [5, 4, 2], new Uint8Array(40));
    await expect(openImage(bands, whole, 'two.npy')).rejects.toThrow('two.npy has 2 bands. Open one of grey or RGB.');
    await expect(openImage(text('P5 4 4 255\nabc'), whole, 'cut.pgm')).rejects.toThrow(
      /^cut\.pgm is damaged or incomplete \(the file ends before its last row\)/,
    );
    await expect(openImage(text(`MATLAB 5.0 MAT-file${' '.repeat(200)}`), whole, 'a.mat')).rejects.toThrow(
      /^a\.mat must be a \.npy or \.npz file here, not a MAT-file\. Open it with the command/,
    );
  });
});
