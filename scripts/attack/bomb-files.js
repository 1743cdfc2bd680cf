// Small files that unpack to gigabytes, or claim to: each with the commands that it is given to.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { gzipZeros, packbitsZeros, zippedZeros, zlibZeros, zstdZeros } from './zeros.js';

const image = ['info', 'denoise'];
const store = ['info', 'denoise --tile'];

/** Writes all bombs into a folder. Returns the name of each file, what it is, and the commands. */
export function makeBombs(folder, binary) {
  const bombs = [];
  const add = (name, what, commands, bytes) => {
    writeFileSync(join(folder, name), bytes);
    bombs.push({ name, what, commands });
  };
  const side = 16000;
  const doubles = { width: side, height: side, bits: 64, format: 3 };
  // PackBits saves 63 of 64 bytes at best, so this is an image that is read: a run on it takes what an image of its size takes.
  add(
    'packbits.tif',
    'PackBits TIFF, 4 MB',
    ['info'],
    oneStrip({ width: 8192, height: 8192, bits: 32, format: 3 }, 32773),
  );
  add('deflate.tif', 'Deflate TIFF, 2 MB', image, oneStrip(doubles, 8));
  add('zstd.tif', 'Zstandard TIFF, 62 kB', image, oneStrip(doubles, 50000));
  add('shared.tif', 'TIFF whose tiles are all the same bytes', ['info', 'represent'], sharedTiles(doubles, 256));
  add('pixels.png', 'PNG, 2 MB', image, png(side, side));
  add('pixels.webp', 'WebP, 34 bytes', image, webp(16383, 16383));
  add('claim.bmp', 'BMP that claims 12 GB', image, bmp(65500, 24, 0, Buffer.alloc(64)));
  add('runs.bmp', 'BMP whose runs end at once', image, bmp(16000, 8, 1, Buffer.of(0, 1)));
  add('claim.jpg', 'JPEG that claims 12 GB', image, jpeg(65500));
  add('claim.npy', '.npy that claims 2^65 bytes', image, npy());
  add('codes.npz', '.npz with an unused entry of 1.8 GB', ['decode'], codesWithGiant(folder, binary));
  const zarr = (name, what, commands, metadata, chunk) => {
    const root = join(folder, name);
    mkdirSync(join(root, 'c/0'), { recursive: true });
    writeFileSync(join(root, 'zarr.json'), JSON.stringify(metadata));
    if (chunk) writeFileSync(join(root, 'c/0/0'), chunk);
    bombs.push({ name, what, commands });
  };
  const gigabytes = 8 * 2 ** 30;
  zarr('gzip.zarr', 'gzip chunk of Zarr, 8 MB for 4 kB', store, zarrOf(64, 64, gzip), gzipZeros(gigabytes));
  zarr('zstd.zarr', 'zstd chunk of Zarr, 250 kB for 4 kB', store, zarrOf(64, 64, zstd), zstdZeros(gigabytes));
  zarr('chunk.zarr', 'Zarr with one chunk of 4 GB', store, zarrOf(65536, 65536, gzip), gzipZeros(2 ** 32));
  zarr('blosc.zarr', 'blosc chunk of Zarr that claims 2 GB', store, zarrOf(64, 64, blosc), bloscClaim());
  zarr('shape.zarr', 'Zarr of 2^31 − 1 squared', store, zarrOf(2 ** 31 - 1, 1000));
  zarr('chunks.zarr', 'Zarr of 2^31 − 1 squared in chunks of one pixel', store, zarrOf(2 ** 31 - 1, 1));
  return bombs;
}

const gzip = { name: 'gzip', configuration: { level: 5 } };
const zstd = { name: 'zstd', configuration: { level: 3, checksum: false } };
const blosc = {
  name: 'blosc',
  configuration: { cname: 'lz4', clevel: 5, shuffle: 'noshuffle', typesize: 1, blocksize: 0 },
};

/** The metadata of a square array of bytes. */
function zarrOf(side, chunk, codec) {
  return {
    zarr_format: 3,
    node_type: 'array',
    shape: [side, side],
    data_type: 'uint8',
    chunk_grid: { name: 'regular', configuration: { chunk_shape: [chunk, chunk] } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, ...(codec ? [codec] : [])],
    attributes: {},
  };
}

function bloscClaim() {
  const chunk = Buffer.alloc(64);
  chunk.set([2, 1, 0x20, 1]);
  chunk.writeUInt32LE(2 ** 31 - 65, 4);
  chunk.writeUInt32LE(2 ** 18, 8);
  chunk.writeUInt32LE(chunk.length, 12);
  return chunk;
}

const zerosBy = { 8: zlibZeros, 32773: packbitsZeros, 50000: zstdZeros };

/** A TIFF of one strip of zeros. */
function oneStrip(raster, compression) {
  const { width, height, bits } = raster;
  const data = zerosBy[compression]((width * height * bits) / 8);
  return tiff({ ...raster, compression, data, blocks: { 273: [8], 278: [height], 279: [data.length] } });
}

/** A TIFF whose tiles are all at one place of the file. */
function sharedTiles(raster, tile) {
  const data = zlibZeros((tile * tile * raster.bits) / 8);
  const count = Math.ceil(raster.width / tile) * Math.ceil(raster.height / tile);
  const blocks = { 322: [tile], 323: [tile], 324: Array(count).fill(8), 325: Array(count).fill(data.length) };
  return tiff({ ...raster, compression: 8, data, blocks });
}

/** A little-endian TIFF with its data after the header; all values are of type LONG. */
function tiff({ width, height, bits, format, compression, data, blocks }) {
  const tags = Object.entries({
    ...{ 256: [width], 257: [height], 258: [bits], 259: [compression], 262: [1], 277: [1], 339: [format] },
    ...blocks,
  }).sort(([a], [b]) => a - b);
  const start = 8 + data.length + (data.length % 2);
  const directory = Buffer.alloc(2 + 12 * tags.length + 4);
  directory.writeUInt16LE(tags.length);
  const arrays = [];
  let end = start + directory.length;
  for (const [i, [tag, values]] of tags.entries()) {
    const at = 2 + 12 * i;
    const array = Buffer.from(Uint32Array.from(values).buffer);
    directory.writeUInt16LE(Number(tag), at);
    directory.writeUInt16LE(4, at + 2);
    directory.writeUInt32LE(values.length, at + 4);
    directory.writeUInt32LE(values.length === 1 ? values[0] : end, at + 8);
    if (values.length === 1) continue;
    arrays.push(array);
    end += array.length;
  }
  const header = Buffer.from('II*\0\0\0\0\0');
  header.writeUInt32LE(start, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2), directory, ...arrays]);
}

/** A PNG of 16 bits with four channels. */
function png(width, height) {
  const chunk = (type, data) => {
    const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    framed.writeUInt32BE(data.length);
    framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6], 8);
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const pixels = chunk('IDAT', zlibZeros(height * (1 + 8 * width)));
  return Buffer.concat([signature, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))]);
}

/** A lossless WebP of one colour: all its codes have one symbol, so that a pixel takes no bits. */
function webp(width, height) {
  let [bits, count] = [0n, 0n];
  const put = (value, length) => {
    bits |= BigInt(value) << count;
    count += BigInt(length);
  };
  put(0x2f, 8);
  put(width - 1, 14);
  put(height - 1, 14);
  put(0, 1 + 3); // no alpha, version 0
  put(0, 1 + 1 + 1); // no transforms, no colour cache, one group of codes
  for (let code = 0; code < 5; code++) put(1, 4); // simple, one symbol of one bit: 0
  const file = Buffer.alloc(34);
  file.write('RIFF');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WEBPVP8L', 8);
  file.writeUInt32LE(file.length - 20, 16);
  for (let i = 20; i < file.length; i++, bits >>= 8n) file[i] = Number(bits & 255n);
  return file;
}

function bmp(side, bits, compression, data) {
  const colours = bits === 8 ? 1024 : 0;
  const header = Buffer.alloc(54 + colours);
  header.write('BM');
  header.writeUInt32LE(header.length + data.length, 2);
  header.writeUInt32LE(header.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(side, 18);
  header.writeInt32LE(side, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(bits, 28);
  header.writeUInt32LE(compression, 30);
  header.writeUInt32LE(compression === 0 ? 0 : data.length, 34);
  return Buffer.concat([header, data]);
}

function jpeg(side) {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(side, 5);
  frame.writeUInt16BE(side, 7);
  const scan = Buffer.from([0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
  return Buffer.concat([Buffer.of(0xff, 0xd8), frame, scan, Buffer.alloc(200), Buffer.of(0xff, 0xd9)]);
}

function npy() {
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${2 ** 31 - 1}, ${2 ** 31 - 1}), }`.padEnd(117);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.of(118, 0), Buffer.from(`${text}\n`)]);
}

/** Codes that the command has written, with one more entry in the archive. */
function codesWithGiant(folder, binary) {
  const [photo, codes] = [join(folder, 'photo.bmp'), join(folder, 'small.npz')];
  writeFileSync(photo, bmp(32, 24, 0, Buffer.from(Array.from({ length: 32 * 96 }, (_, i) => (i * 37) % 251))));
  const args = ['represent', photo, '--codes', codes, '--budget', '3', '--max-iterations', '2'];
  const { status, stderr } = spawnSync(process.execPath, [binary, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the codes for a bomb could not be written: ${stderr}`);
  const archive = readFileSync(codes);
  const end = Buffer.from(archive.subarray(archive.lastIndexOf('PK\x05\x06')));
  const [size, start] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  const giant = zippedZeros('unused.npy', 1_800_000_000, start);
  for (const at of [8, 10]) end.writeUInt16LE(end.readUInt16LE(at) + 1, at);
  end.writeUInt32LE(size + giant.central.length, 12);
  end.writeUInt32LE(start + giant.local.length, 16);
  return Buffer.concat([
    archive.subarray(0, start),
    giant.local,
    archive.subarray(start, start + size),
    giant.central,
    end,
  ]);
}
