/** The checksums of chunks: each is four bytes, little-endian. */

/** A checksum of bytes, as an unsigned number. */
export type Checksum = (bytes: Uint8Array) => number;

/** A cyclic redundancy check of 32 bits by its reversed polynomial. */
function cyclic(polynomial: number): Checksum {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
  return (bytes) => {
    let value = 0xffff_ffff;
    for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8);
    return ~value >>> 0;
  };
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

/** The checksums by name. */
export const checksums: Readonly<Record<'crc32' | 'crc32c' | 'adler32', Checksum>> = {
  crc32: cyclic(0xedb8_8320),
  crc32c: cyclic(0x82f6_3b78),
  adler32,
};

/** Takes the checksum off bytes, at their start or end; an error if it is not theirs. */
export function checked(bytes: Uint8Array, name: keyof typeof checksums, where: 'start' | 'end'): Uint8Array {
  if (bytes.length < 4) throw new Error(`its checksum (${name}) is missing`);
  const content = where === 'start' ? bytes.subarray(4) : bytes.subarray(0, -4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stored = view.getUint32(where === 'start' ? 0 : bytes.length - 4, true);
  if (checksums[name](content) !== stored) throw new Error(`its checksum (${name}) does not agree with its content`);
  return content;
}
