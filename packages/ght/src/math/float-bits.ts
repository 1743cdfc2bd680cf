const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The bits of a number as float32. */
export function bitsOf(value: number): number {
  float[0] = value;
  return word[0];
}

/** The float32 with these bits. */
export function floatOf(bits: number): number {
  word[0] = bits;
  return float[0];
}
