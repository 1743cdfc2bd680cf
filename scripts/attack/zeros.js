// Gigabytes of zeros, compressed to a few kilobytes or megabytes without ever being in memory.
import { constants, deflateRawSync } from 'node:zlib';

const BLOCK_BYTES = 1 << 20;

/** Raw Deflate data of `count` zeros. A block that ends with a full flush can be repeated. */
function deflated(count) {
  const block = deflateRawSync(Buffer.alloc(BLOCK_BYTES), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array(Math.floor(count / BLOCK_BYTES)).fill(block);
  return Buffer.concat([...blocks, deflateRawSync(Buffer.alloc(count % BLOCK_BYTES), { level: 9 })]);
}

/** A zlib stream, as in TIFF and PNG. */
export function zlibZeros(count) {
  const adler = Buffer.alloc(4);
  adler.writeUInt32BE((((count % 65521) << 16) | 1) >>> 0);
  return Buffer.concat([Buffer.of(0x78, 0xda), deflated(count), adler]);
}

/** A gzip file, as in Zarr. */
export function gzipZeros(count) {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crcOfZeros(count), 0);
  end.writeUInt32LE(count % 2 ** 32, 4);
  return Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), deflated(count), end]);
}

/** A frame of Zstandard: 128 KiB of zeros take four bytes. */
export function zstdZeros(count) {
  const most = 1 << 17;
  const blocks = [];
  for (let left = count; left > 0; left -= most) {
    const header = Buffer.alloc(4);
    header.writeUInt32LE((Math.min(left, most) << 3) | (1 << 1) | (left <= most ? 1 : 0));
    blocks.push(header);
  }
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x50), ...blocks]);
}

/** Runs of PackBits: two bytes for 128 zeros. */
export function packbitsZeros(count) {
  const runs = Buffer.alloc(2 * Math.ceil(count / 128));
  for (let i = 0; i < runs.length; i += 2) runs.writeInt8(-127, i);
  return runs;
}

/** A file of a ZIP archive: its data before the directory, and its entry in the directory. */
export function zippedZeros(name, count, offset) {
  const data = deflated(count);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crcOfZeros(count), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(count, 18);
  fields.writeUInt16LE(name.length, 22);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  const local = [Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data];
  const central = [Buffer.from('PK\x01\x02'), Buffer.of(20, 0), fields, tail, Buffer.from(name)];
  return { local: Buffer.concat(local), central: Buffer.concat(central) };
}

/** The CRC-32 of zeros: its register 2³² − 1 times x to the power of the number of bits, modulo the polynomial. */
function crcOfZeros(count) {
  let [power, square] = [0x80000000, 0x40000000];
  for (let bits = 8 * count; bits > 0; bits = Math.floor(bits / 2)) {
    if (bits % 2 === 1) power = product(power, square);
    square = product(square, square);
  }
  return ~product(0xffffffff, power) >>> 0;
}

/** The product of two polynomials whose lowest power is the highest bit. */
function product(a, b) {
  let [sum, factor] = [0, b];
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) sum ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ 0xedb88320 : factor >>> 1;
  }
  return sum >>> 0;
}
