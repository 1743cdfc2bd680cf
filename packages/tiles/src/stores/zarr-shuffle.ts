/** Orders of bytes and bits that compress better than whole samples. */

/** Undoes a byte shuffle: first the first bytes of all elements, then the second ones. What is left of an element is as it was. */
export function unshuffle(bytes: Uint8Array, size: number): Uint8Array {
  if (size <= 1) return bytes;
  const count = Math.floor(bytes.length / size);
  const result = new Uint8Array(bytes.length);
  for (let byte = 0, from = 0; byte < size; byte++) {
    for (let to = byte, end = count * size; to < end; to += size) result[to] = bytes[from++];
  }
  result.set(bytes.subarray(count * size), count * size);
  return result;
}

/**
 * Undoes a bit shuffle: first bit 0 of byte 0 of all elements, eight elements per byte, then bit 1. Blosc leaves the bytes as they are
 * if the elements do not come in eights.
 */
export function unshuffleBits(bytes: Uint8Array, size: number): Uint8Array {
  const count = Math.floor(bytes.length / size);
  if (count % 8 !== 0) return bytes;
  const row = count / 8;
  const result = new Uint8Array(bytes.length);
  for (let byte = 0; byte < size; byte++) {
    const first = 8 * byte * row;
    for (let i = 0, to = byte; i < row; i++, to += 8 * size) {
      // Bits 7 to 0 of eight elements, as an 8×8 matrix of bits in two halves, which is transposed.
      const at = (bit: number) => bytes[first + bit * row + i];
      let upper = (at(7) << 24) | (at(6) << 16) | (at(5) << 8) | at(4);
      let lower = (at(3) << 24) | (at(2) << 16) | (at(1) << 8) | at(0);
      upper = exchange(exchange(upper, 7, 0x00aa00aa), 14, 0x0000cccc);
      lower = exchange(exchange(lower, 7, 0x00aa00aa), 14, 0x0000cccc);
      const four = (upper & 0xf0f0f0f0) | ((lower >>> 4) & 0x0f0f0f0f);
      const rest = ((upper << 4) & 0xf0f0f0f0) | (lower & 0x0f0f0f0f);
      for (let element = 0; element < 4; element++) {
        result[to + element * size] = rest >>> (8 * element);
        result[to + (element + 4) * size] = four >>> (8 * element);
      }
    }
  }
  result.set(bytes.subarray(count * size), count * size);
  return result;
}

/** Exchanges the bits of a mask with those `distance` places above. */
function exchange(bits: number, distance: number, mask: number): number {
  const difference = (bits ^ (bits >>> distance)) & mask;
  return bits ^ difference ^ (difference << distance);
}
