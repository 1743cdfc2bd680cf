import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openSource, zarrSink, zarrSource } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { expectWindows, messageOf, type Sampled, sampled, sampleTypes, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();

interface Written {
  readonly shape: readonly number[];
  readonly names?: readonly string[];
  readonly type?: string;
  readonly chunk?: readonly number[];
}

/** A Zarr by the letter of the specification (version 3), as other programs write it; one chunk, not compressed. */
async function plain(name: string, { shape, names, type = 'uint8', chunk = shape }: Written, bytes: Uint8Array) {
  const folder = path(name);
  const place = shape.map(() => '0').join('/');
  await mkdir(join(folder, 'c', place, '..'), { recursive: true });
  const document = {
    ...{ zarr_format: 3, node_type: 'array', shape, data_type: type, fill_value: 7, attributes: {} },
    chunk_grid: { name: 'regular', configuration: { chunk_shape: chunk } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
    ...(names && { dimension_names: names }),
  };
  await writeFile(join(folder, 'zarr.json'), JSON.stringify(document));
  await writeFile(join(folder, 'c', place), bytes);
  return folder;
}

const bytesOf = ({ planes }: Sampled) => Uint8Array.from(planes.flatMap((plane) => Array.from(plane)));

describe('a Zarr of another program', () => {
  it.each([
    ['y, x', [5, 9], ['y', 'x'], 1],
    ['y, x without names', [5, 9], undefined, 1],
    ['c, y, x without names', [3, 5, 9], undefined, 3],
    ['c, y, x', [6, 5, 9], ['c', 'y', 'x'], 6],
    ['t, c, z, y, x', [1, 2, 1, 5, 9], ['t', 'c', 'z', 'y', 'x'], 2],
  ] as const)('is read with the axes %s', async (name, shape, names, channels) => {
    const picture = sampled(9, 5, { channels });
    const source = await openSource(await plain(`${name}.zarr`, { shape, names }, bytesOf(picture)));
    expect(source.picture).toEqual(picture.picture);
    await expectWindows(source, picture);
  });

  it('is read in format 2 with the attributes of OME-Zarr 0.4: gzip, big-endian, columns first', async () => {
    const folder = path('v2.zarr');
    await mkdir(join(folder, 'full'), { recursive: true });
    const picture = sampled(9, 5, { channels: 2 }, sampleTypes[1]);
    const axes = [
      { name: 'c', type: 'channel' },
      { name: 'y', type: 'space', unit: 'nanometer' },
      { name: 'x', type: 'space', unit: 'nanometer' },
    ];
    const scale = { type: 'scale', scale: [1, 500, 250] };
    const datasets = [{ path: 'full', coordinateTransformations: [scale] }];
    const multiscales = [{ version: '0.4', name: 'cells', axes, datasets }];
    const omero = {
      channels: [
        { label: 'DAPI', color: '0000FF' },
        { label: 'GFP', color: '00FF00' },
      ],
    };
    await writeFile(join(folder, '.zgroup'), '{"zarr_format": 2}');
    await writeFile(join(folder, '.zattrs'), JSON.stringify({ multiscales, omero }));
    const array = {
      ...{
        zarr_format: 2,
        shape: [2, 5, 9],
        chunks: [2, 5, 4],
        dtype: '>u2',
        order: 'F',
        fill_value: 0,
        filters: null,
      },
      compressor: { id: 'gzip', level: 1 },
    };
    await writeFile(join(folder, 'full/.zarray'), JSON.stringify(array));
    for (let column = 0; column < 3; column++) {
      const bytes = Buffer.alloc(2 * 2 * 5 * 4);
      for (let x = 0; x < 4 && 4 * column + x < 9; x++) {
        for (let y = 0; y < 5; y++) {
          for (let c = 0; c < 2; c++)
            bytes.writeUInt16BE(picture.planes[c][y * 9 + 4 * column + x], 2 * (c + 2 * (y + 5 * x)));
        }
      }
      await writeFile(join(folder, `full/0.0.${column}`), gzipSync(bytes));
    }
    const source = await zarrSource(folder);
    expect(source.chunk).toEqual({ width: 4, height: 5 });
    await expectWindows(source, picture);
    const { x, y, unit } = source.picture.metadata?.resolution ?? { x: 0, y: 0, unit: 'none' };
    expect([x, y, unit]).toEqual([expect.closeTo(40_000, 6), expect.closeTo(20_000, 6), 'centimetre']);
    // What is meant for viewers goes into the result.
    const sink = await zarrSink(path('picture.zarr'), { run: 'picture', picture: source.picture });
    await sink.write({ left: 0, top: 0, width: 9, height: 5 }, picture.planes);
    await sink.finish();
    const { attributes } = JSON.parse(await readFile(path('picture.zarr/zarr.json'), 'utf8'));
    expect(attributes.ome).toMatchObject({ multiscales: [{ name: 'cells' }], omero });
    expect((await zarrSource(path('picture.zarr'))).picture).toEqual(source.picture);
  });

  it('has the fill value where a chunk is missing', async () => {
    const folder = await plain('sparse.zarr', { shape: [4, 9], chunk: [4, 4] }, new Uint8Array(16));
    const [samples] = await (await zarrSource(folder)).read({ left: 3, top: 0, width: 3, height: 1 });
    expect(Array.from(samples)).toEqual([0, 7, 7]);
  });

  it('has a version that changes with its documents', async () => {
    const { version } = await zarrSource(await plain('version.zarr', { shape: [4, 9] }, new Uint8Array(36)));
    const other = await zarrSource(await plain('version.zarr', { shape: [4, 8] }, new Uint8Array(36)));
    expect(other.version).not.toBe(version);
  });

  it.each([
    ['times', { shape: [3, 1, 1, 4, 9], names: ['t', 'c', 'z', 'y', 'x'] }, 'must have one time, not t = 3'],
    ['depths', { shape: [5, 4, 9], names: ['z', 'y', 'x'] }, 'must have one depth, not z = 5'],
    ['channels last', { shape: [4, 9, 3], names: ['y', 'x', 'c'] }, 'not y, x, c'],
    ['unnamed axes', { shape: [8, 9, 3] }, 'must name its axes, which the shape 8×9×3 leaves open'],
    ['other types', { shape: [4, 9], type: 'int64' }, 'not int64'],
    ['giant chunks', { shape: [100_000, 100_000], chunk: [100_000, 100_000] }, 'must have chunks of at most'],
    ['no pixels', { shape: [0, 9], chunk: [1, 9] }, 'must have pixels'],
    ['short chunks', { shape: [40, 9] }, 'chunk 0/0: it has 36 bytes, not 360'],
  ] as const)('is refused by name: %s', async (name, written, message) => {
    const folder = await plain(`refused-${name}.zarr`, written, new Uint8Array(36));
    const read = async () => (await zarrSource(folder)).read({ left: 0, top: 0, width: 1, height: 1 });
    expect(await messageOf(read)).toMatch(/^file must [^\n]+$/);
    expect(await messageOf(read)).toMatch(message);
  });

  it('cannot name a picture outside its folder', async () => {
    await plain('secret.zarr', { shape: [4, 9] }, new Uint8Array(36));
    const folder = path('escape.zarr');
    await mkdir(folder);
    for (const target of ['../secret.zarr', path('secret.zarr'), 'a/../../secret.zarr']) {
      const axes = [
        { name: 'y', type: 'space' },
        { name: 'x', type: 'space' },
      ];
      const ome = { version: '0.5', multiscales: [{ axes, datasets: [{ path: target }] }] };
      const group = { zarr_format: 3, node_type: 'group', attributes: { ome } };
      await writeFile(join(folder, 'zarr.json'), JSON.stringify(group));
      expect(await messageOf(() => zarrSource(folder)), target).toMatch(/^file must be an intact ZARR file \([^\n]+\)/);
    }
  });

  it('that is none is distinguished from one that is damaged', async () => {
    await mkdir(path('photos'));
    expect(await messageOf(() => openSource(path('photos')))).toMatch(/^file must be a Zarr, with zarr\.json/);
    expect(await messageOf(() => zarrSource(path('missing.zarr')))).toMatch('must be an existing file');
    await mkdir(path('broken.zarr'));
    await writeFile(path('broken.zarr/zarr.json'), '{"zarr_format": 3, ');
    expect(await messageOf(() => zarrSource(path('broken.zarr')))).toMatch(
      /^file must be an intact ZARR file \([^\n]+\)/,
    );
    await writeFile(
      path('broken.zarr/zarr.json'),
      '{"zarr_format": 3, "node_type": "group", "attributes": {"ght": {"run": 1}}}',
    );
    expect(await messageOf(() => zarrSource(path('broken.zarr')))).toMatch('must have attributes as they were written');
    await writeFile(path('broken.zarr/zarr.json'), '{"zarr_format": 3, "node_type": "group", "attributes": {}}');
    expect(await messageOf(() => zarrSource(path('broken.zarr')))).toMatch('must be an OME-Zarr image or a Zarr array');
  });
});
