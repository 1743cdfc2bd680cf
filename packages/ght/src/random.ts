/**
 * A seeded random source, so that every experiment can be run again: the small fast counter generator sfc32, started by
 * splitting the seed, and the normal distribution by the polar method. The same seed gives the same numbers everywhere.
 */
export interface RandomSource {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** A whole number from 0 to n − 1. */
  below(n: number): number;
  /** Normal with mean 0 and standard deviation 1. */
  normal(): number;
}

/** A random source that depends on the seed alone. */
export function randomSource(seed: number): RandomSource {
  let a = 0x9e3779b9 ^ (seed >>> 0);
  let b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32);
  let c = 0xb7e15162;
  let counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  };
  // Seeds that differ in one bit must not start with similar numbers.
  for (let i = 0; i < 16; i++) next();

  const uniform = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  let spare: number | undefined;
  const normal = () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const q = u * u + v * v;
      if (q >= 1 || q === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(q)) / q);
      spare = v * scale;
      return u * scale;
    }
  };
  return { uniform, below: (n) => Math.floor(uniform() * n), normal };
}
