/** What a file says besides its samples reaches every format that can hold it, and what does not is named. sharp and bytes are the other readers. */
import { readFile } from 'node:fs/promises';
import { fromArrayBuffer } from 'geotiff';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatOfName, type ImageFile, notKept } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { displayP3, iccChunk, pattern, png, pngRows, temporaryFolder, tiff } from './fixtures.js';

const { path, save } = temporaryFolder();
const [width, height] = [12, 10];
const samples = pattern(width * height * 3, 255);
const rgb = () => sharp(Uint8Array.from(samples), { raw: { width, height, channels: 3 } });
const xmp =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';
/** Two records: a headline and a city. */
const iptc = Buffer.from('\x1c\x02\x69\x00\x04News\x1c\x02\x5a\x00\x04Wien', 'latin1');
/** A resource of Photoshop with them, by its specification: no name, 18 bytes. */
const resource = Buffer.concat([Buffer.from('8BIM\x04\x04\0\0\0\0\0\x12', 'latin1'), iptc]);

/** How each format holds the IPTC records, as it is specified. */
const withIptc: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  jpeg: (bytes) => {
    const content = Buffer.concat([Buffer.from('Photoshop 3.0\0', 'latin1'), resource]);
    const head = Buffer.of(0xff, 0xed, 0, content.length + 2);
    return Buffer.concat([bytes.subarray(0, 2), head, content, bytes.subarray(2)]);
  },
  png: (bytes) => bytes,
  webp: (bytes) => bytes,
};

type Kind = 'icc' | 'exif' | 'xmp' | 'iptc' | 'resolution';
const inputs: Record<string, { readonly bytes: Buffer; readonly has: readonly Kind[] }> = {};

beforeAll(async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const picture = rgb()
      .withMetadata({
        density: 300,
        icc: 'p3',
        exif: { IFD0: { Artist: 'Ada Example' }, IFD2: { UserComment: 'note' } },
      })
      .withXmp(xmp);
    const bytes = withIptc[format](await picture.toFormat(format, { lossless: true }).toBuffer());
    const has = ['icc', 'exif', 'xmp', 'resolution', ...(format === 'jpeg' ? ['iptc'] : [])] as Kind[];
    inputs[format] = { bytes, has };
  }
  // sharp writes no EXIF into a TIFF: this one is made byte by byte, with Artist and an EXIF directory that has a comment.
  inputs.tiff = { bytes: await describedTiff(), has: ['icc', 'exif', 'xmp', 'iptc', 'resolution'] };
});

/** A TIFF by its specification: the values of the tags lie behind the samples, the directory behind them. */
async function describedTiff(): Promise<Buffer> {
  const bytes: Buffer[] = [Buffer.from('II*\0\0\0\0\0', 'latin1'), Buffer.from(samples)];
  let end = 8 + samples.length;
  const put = (content: Uint8Array) => {
    bytes.push(Buffer.from(content), Buffer.alloc(content.length % 2));
    end += content.length + (content.length % 2);
    return end - content.length - (content.length % 2);
  };
  const directory = (entries: readonly (readonly [tag: number, type: number, count: number, value: number])[]) => {
    const content = Buffer.alloc(2 + 12 * entries.length + 4);
    content.writeUInt16LE(entries.length, 0);
    for (const [i, [tag, type, count, value]] of entries.entries()) {
      content.writeUInt16LE(tag, 2 + 12 * i);
      content.writeUInt16LE(type, 4 + 12 * i);
      content.writeUInt32LE(count, 6 + 12 * i);
      content.writeUInt32LE(value, 10 + 12 * i);
    }
    return put(content);
  };
  const ratio = Buffer.alloc(8);
  ratio.writeUInt32LE(300, 0);
  ratio.writeUInt32LE(1, 4);
  const icc = await displayP3();
  const comment = directory([[0x9286, 7, 12, put(Buffer.from('ASCII\0\0\0note', 'latin1'))]]);
  const places = [put(Buffer.of(8, 0, 8, 0, 8, 0)), put(Buffer.from('Ada Example\0')), put(ratio), put(ratio)];
  const [xmpAt, iptcAt, iccAt] = [put(Buffer.from(xmp)), put(iptc), put(icc)];
  const first = directory([
    ...([
      [256, 4, 1, width],
      [257, 4, 1, height],
      [258, 3, 3, places[0]],
      [259, 3, 1, 1],
      [262, 3, 1, 2],
    ] as const),
    ...([
      [273, 4, 1, 8],
      [277, 3, 1, 3],
      [278, 4, 1, height],
      [279, 4, 1, samples.length],
    ] as const),
    ...([
      [282, 5, 1, places[2]],
      [283, 5, 1, places[3]],
      [296, 3, 1, 2],
      [315, 2, 12, places[1]],
    ] as const),
    ...([
      [700, 1, xmp.length, xmpAt],
      [33723, 7, iptc.length, iptcAt],
      [34665, 4, 1, comment],
    ] as const),
    [34675, 7, icc.length, iccAt],
  ]);
  const file = Buffer.concat(bytes);
  file.writeUInt32LE(first, 4);
  return file;
}

/** What each format can hold, by its specification; `iptc` in a PNG by the convention of ImageMagick and ExifTool. */
const holds: Readonly<Record<string, readonly Kind[]>> = {
  'out.png': ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  'out.jpg': ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  'out.webp': ['icc', 'exif', 'xmp', 'resolution'],
  'out.tif': ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  'out.bmp': ['resolution'],
  'out.npy': [],
};
const names = { icc: 'colour profile', exif: 'EXIF', xmp: 'XMP', iptc: 'IPTC', resolution: 'resolution' } as const;

/** Whether a written file has a kind of metadata, unchanged, as another reader sees it. */
async function found(name: string, kind: Kind, icc: Uint8Array): Promise<boolean> {
  const bytes = await readFile(path(name));
  if (name === 'out.bmp') return kind === 'resolution' && bytes.readInt32LE(38) === 11811;
  const header = await sharp(bytes).metadata();
  switch (kind) {
    case 'icc':
      return Buffer.compare(header.icc ?? Buffer.alloc(0), icc) === 0;
    case 'xmp':
      return header.xmp?.toString() === xmp;
    case 'iptc':
      if (name === 'out.png') return bytes.includes('Raw profile type iptc');
      return header.iptc?.includes(iptc) ?? false;
    case 'resolution':
      return name === 'out.webp' ? Boolean(header.exif) : header.density === 300;
    default: {
      if (name !== 'out.tif') return ['Ada Example', 'note'].every((text) => header.exif?.includes(text));
      const page = await (await fromArrayBuffer(new Uint8Array(bytes).buffer)).getImage();
      const artist = (await page.getFileDirectory().loadValue('Artist')) as string;
      return artist.replace('\0', '') === 'Ada Example' && bytes.includes('note');
    }
  }
}

describe.each(['png', 'jpeg', 'webp', 'tiff'])('what a %s says besides its samples', (input) => {
  it.each(Object.keys(holds))('is kept in %s, or named', async (output) => {
    const { bytes, has } = inputs[input];
    const read = await readImage(await save(`in.${input}`, bytes));
    const { icc = new Uint8Array(0) } = read.metadata ?? {};
    await writeImage(path(output), read.image, read);
    const lost = notKept(formatOfName(output) ?? 'npy', 3, read.metadata);
    for (const kind of has) {
      const isHeld = holds[output].includes(kind);
      expect([kind, lost.includes(names[kind])]).toEqual([kind, !isHeld]);
      if (isHeld) expect([kind, await found(output, kind, icc)]).toEqual([kind, true]);
    }
    if (['out.bmp', 'out.npy'].includes(output)) return;
    // Read again, all of it is what it was, and nothing came in addition.
    const again = (await readImage(path(output))).metadata ?? {};
    for (const kind of ['icc', 'xmp', 'iptc'] as const) {
      if (holds[output].includes(kind)) expect([kind, again[kind]]).toEqual([kind, read.metadata?.[kind]]);
    }
  });
});

describe('a file without any', () => {
  it.each(['out.png', 'out.jpg', 'out.webp', 'out.tif'])('gets none in %s, no resolution either', async (output) => {
    const bytes = png({ width, height, bits: 8, colourType: 2 }, pngRows(height, 8, samples));
    const read = await readImage(await save('bare.png', bytes));
    expect(read.metadata).toEqual({});
    await writeImage(path(output), read.image, read);
    const written = await readFile(path(output));
    for (const mark of ['pHYs', 'EXIF', 'Exif', 'XMP', 'ICC', 'iCCP', 'Photoshop'])
      expect(written.includes(mark)).toBe(false);
    // Of a JPEG, the segment that every reader expects says that there is no unit.
    if (output === 'out.jpg')
      expect([...written.subarray(6, 18)]).toEqual([0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1]);
    expect((await readImage(path(output))).metadata?.resolution).toBeUndefined();
  });
});

describe('what else a file says', () => {
  const made = (chunks: readonly (readonly [string, Uint8Array])[]) =>
    png({ width, height, bits: 8, colourType: 2 }, pngRows(height, 8, samples), chunks);
  const title = ['tEXt', Buffer.from('Title\0Boats', 'latin1')] as const;

  it('in the texts of a PNG stays in a PNG, byte for byte, and is named for other formats', async () => {
    const read = await readImage(await save('texts.png', made([title, ['gAMA', Buffer.of(0, 1, 0x86, 0xa0)]])));
    expect(notKept('png', 3, read.metadata)).toEqual([]);
    expect(notKept('jpeg', 3, read.metadata)).toEqual(['text Title', 'gamma']);
    await writeImage(path('texts-out.png'), read.image, read);
    const written = await readFile(path('texts-out.png'));
    expect(written.includes(Buffer.from('tEXtTitle\0Boats', 'latin1'))).toBe(true);
    expect(written.includes(Buffer.from('gAMA\0\x01\x86\xa0', 'latin1'))).toBe(true);
  });

  it('in segments of a JPEG and tags of a TIFF that are not read is named', async () => {
    const jpeg = await rgb().jpeg().toBuffer();
    const comment = Buffer.from('\xff\xfe\x00\x07words', 'latin1');
    const read = await readImage(await save('c.jpg', Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])));
    expect(notKept('jpeg', 3, read.metadata)).toEqual(['comment']);
    const tags = { 258: [8], 262: [1], 277: [1], 33550: [1, 1, 0], 65000: [7] };
    const map = await readImage(await save('map.tif', tiff(2, 1, Uint8Array.of(1, 2), tags)));
    expect(notKept('tiff', 1, map.metadata)).toEqual(['georeference', 'TIFF tag 65000']);
  });

  it('is named where it does not fit', async () => {
    const [long, icc] = [new Uint8Array(70_000), await displayP3()];
    expect(notKept('jpeg', 3, { xmp: long, exif: long })).toEqual([
      'EXIF longer than a segment',
      'XMP longer than a segment',
    ]);
    expect(notKept('png', 1, { icc })).toEqual(['colour profile']);
    expect(notKept('tiff', 1, { description: 'ImageJ=1.54f\nimages=2\n' }, false)).toEqual(['description']);
    expect(notKept('png', 1, { description: 'ImageJ=1.54f\n' })).toEqual(['description']);
    expect(notKept('npy', 1, { resolution: { x: 1, y: 1, unit: 'none' } })).toEqual([]);
  });
});

describe('the description of a TIFF for people', () => {
  it.each(['words.png', 'words.jpg', 'words.webp', 'words.tif'])('goes to %s, and comes back', async (output) => {
    const image = { width: 2, height: 1, planes: [Uint8Array.of(1, 2)], peak: 255 };
    const like: ImageFile = {
      image,
      format: 'tiff',
      depth: 8,
      sample: 'uint',
      metadata: { description: 'Boats at Nagasaki' },
    };
    await writeImage(path(output), image, like);
    expect((await readFile(path(output))).includes('Boats at Nagasaki')).toBe(true);
    const again = await readImage(path(output));
    await writeImage(path('back.tif'), again.image, again);
    expect((await readImage(path('back.tif'))).metadata?.description).toBe('Boats at Nagasaki');
  });
});

it('IPTC records that ExifTool and ImageMagick write as text into a PNG are read, with and without the resource around them', async () => {
  for (const content of [iptc, resource]) {
    const text = `\nIPTC profile\n${String(content.length).padStart(8)}\n${content.toString('hex')}\n`;
    const chunk = ['tEXt', Buffer.from(`Raw profile type iptc\0${text}`, 'latin1')] as const;
    const bytes = png({ width, height, bits: 8, colourType: 2 }, pngRows(height, 8, samples), [
      iccChunk(await displayP3()),
      chunk,
    ]);
    const { metadata } = await readImage(await save('iptc.png', bytes));
    expect(Buffer.from(metadata?.iptc ?? [])).toEqual(iptc);
    expect(metadata?.pngChunks).toBeUndefined();
  }
});

it('a resolution that was changed is changed in the EXIF block too, and every other byte of that stays', async () => {
  const picture = await rgb()
    .withMetadata({ density: 300, exif: { IFD0: { Artist: 'Ada Example' } } })
    .jpeg()
    .toBuffer();
  const read = await readImage(await save('dpi.jpg', picture));
  const metadata = { ...read.metadata, resolution: { x: 600, y: 600, unit: 'inch' as const } };
  await writeImage(path('dpi.png'), read.image, { ...read, metadata });
  const exif = (await sharp(path('dpi.png')).metadata()).exif as Buffer;
  const before = Buffer.from(read.metadata?.exif ?? []);
  expect(exif.length).toBe(before.length);
  expect(exif.filter((byte, i) => byte !== before[i]).length).toBeLessThanOrEqual(16);
  await writeImage(path('dpi.webp'), read.image, { ...read, metadata });
  expect((await readImage(path('dpi.webp'))).metadata?.resolution).toEqual({ x: 600, y: 600, unit: 'inch' });
});
