/**
 * The container of c-blosc 1: 16 bytes of header, the places of the blocks, and blocks that are compressed one by one, perhaps split into
 * one stream for each byte of an element. All lengths and places are checked against the chunk and against each other before they are
 * used: the decoder of numcodecs.js returns whatever is in its memory if the data are damaged.
 */
import { unpackZstd } from 'ght-images/node';
import { unpackZlib } from './zarr-inflate.js';
import { unpackBloscLz, unpackLz4 } from './zarr-lz.js';
import { unshuffle, unshuffleBits } from './zarr-shuffle.js';

const HEADER_BYTES = 16;
const FORMAT = 2;
const flag = { shuffled: 1, copied: 2, bitShuffled: 4, whole: 16 } as const;
/** Shorter streams than this are not split, nor are larger elements. */
const LEAST_STREAM = 128;
const MOST_STREAMS = 16;

type Unpack = (packed: Uint8Array, length: number) => Uint8Array | Promise<Uint8Array>;

const compressions: readonly { readonly name: string; readonly unpack?: Unpack }[] = [
  { name: 'BloscLZ', unpack: unpackBloscLz },
  { name: 'LZ4', unpack: unpackLz4 },
  { name: 'Snappy' },
  { name: 'zlib', unpack: unpackZlib },
  { name: 'Zstandard', unpack: unpackZstd },
];

/** Unpacks a Blosc buffer into exactly `length` bytes. */
export async function unpackBlosc(buffer: Uint8Array, length: number): Promise<Uint8Array> {
  if (buffer.length < HEADER_BYTES) throw new Error(`its Blosc header has ${buffer.length} bytes, not ${HEADER_BYTES}`);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const [format, codecFormat, flags, size] = buffer;
  const [bytes, block, packed] = [view.getUint32(4, true), view.getUint32(8, true), view.getUint32(12, true)];
  if (format !== FORMAT) throw new Error(`its Blosc format is ${format}, not ${FORMAT}`);
  if (bytes !== length) throw new Error(`its Blosc header announces ${bytes} bytes, not ${length}`);
  if (packed !== buffer.length) throw new Error(`its Blosc header announces ${packed} bytes of ${buffer.length}`);
  const [shuffled, bitShuffled] = [flags & flag.shuffled, flags & flag.bitShuffled];
  if (size === 0 || block === 0 || (shuffled && bitShuffled) || flags & 8)
    throw new Error('its Blosc header is damaged');
  if (flags & flag.copied) {
    if (packed !== length + HEADER_BYTES) throw new Error('its Blosc header is damaged');
    return buffer.slice(HEADER_BYTES);
  }
  const { name, unpack } = compressions[flags >> 5] ?? { name: 'an unknown method' };
  if (!unpack) throw new Error(`its Blosc data are compressed by ${name}, which is not read`);
  if (codecFormat !== 1) throw new Error(`its Blosc data have format ${codecFormat} of ${name}, not 1`);

  const blocks = Math.ceil(length / block);
  const data = HEADER_BYTES + 4 * blocks;
  if (data > buffer.length) throw new Error('its Blosc blocks are damaged');
  const result = new Uint8Array(length);
  let used = data;
  for (let number = 0; number < blocks; number++) {
    const first = number * block;
    const extent = Math.min(block, length - first);
    const split = !(flags & flag.whole) && size <= MOST_STREAMS && extent / size >= LEAST_STREAM && extent === block;
    const streams = split ? size : 1;
    const share = Math.floor(extent / streams);
    // Elements that do not fill a block are never written by Blosc.
    if (share * streams !== extent) throw new Error('its Blosc blocks are damaged');
    const content = streams > 1 ? new Uint8Array(extent) : undefined;
    let unpacked: Uint8Array = new Uint8Array(0);
    let at = view.getUint32(HEADER_BYTES + 4 * number, true);
    for (let stream = 0; stream < streams; stream++) {
      if (at < data || at + 4 > buffer.length) throw new Error('its Blosc blocks are damaged');
      const count = view.getUint32(at, true);
      at += 4;
      if (count > share || at + count > buffer.length) throw new Error('its Blosc blocks are damaged');
      const raw = buffer.subarray(at, at + count);
      unpacked = count === share ? raw : await unpack(raw, share);
      if (unpacked.length !== share) throw new Error(`its ${name} data are damaged`);
      content?.set(unpacked, stream * share);
      at += count;
      used += 4 + count;
    }
    const whole = content ?? unpacked;
    const ordered = shuffled ? unshuffle(whole, size) : bitShuffled ? unshuffleBits(whole, size) : whole;
    result.set(ordered, first);
  }
  if (used !== buffer.length) throw new Error('its Blosc blocks are damaged');
  return result;
}
