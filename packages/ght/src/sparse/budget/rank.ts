/**
 * The n-th largest of many magnitudes, found by counting.
 *
 * Keys. The bits of a floating-point number without its sign order as the magnitudes do: 31 bits of a float32, 63 of a
 * float64. A key is read as digits from the top, k = (k₁, k₂, …), of 16 and 15 bits, and of 16 and 16 more in a float64.
 *
 * Count. For the keys that begin with a prefix, the histogram of their next digit:
 *
 *     h(d) = #{ k : k begins with (prefix, d) }
 *
 * Merge. Every holder of a part of the keys (a thread, a tile, a machine, a GPU) counts its own, and the histograms add up.
 *
 * Boundary. From the top, the bucket b that holds the wanted rank: Σ_{d > b} h(d) < n ≤ Σ_{d ≥ b} h(d). Then b is the next
 * digit of the key, the buckets above it hold larger keys, and the search goes on within b for the rank that is left.
 *
 * Ties. Of the keys equal to the one found, the first in patch order survive. So each part keeps as many as the parts
 * before it have left over.
 *
 * A search is plain data and does not depend on where the keys are. `rankSearch` begins it; `narrow` takes one merged
 * histogram after another, two in total for float32 and four for float64. `nthLargest` runs it over arrays in memory.
 */

/**
 * The number of keys in each bucket. One part has fewer than 2³² keys and counts them in 32 bits, which is fastest. All
 * parts together may have more, so they are summed in float64, which is exact up to 2⁵³.
 */
export type Histogram = Uint32Array | Float64Array;

/** An array of magnitudes; signs are ignored. */
export type Magnitudes = Float32Array | Float64Array;

/** The first digits of a key, from the top. All digits together are the key. */
export type Prefix = readonly number[];

/** The bits of each digit of a key, from the top. */
export const FLOAT32_DIGITS: readonly number[] = [16, 15];
/** The same for float64: its upper word without the sign, then its lower word. */
export const FLOAT64_DIGITS: readonly number[] = [...FLOAT32_DIGITS, 16, 16];

/** The state of a search for the n-th largest key. */
export interface RankSearch {
  readonly digits: readonly number[];
  /** n, from 1 to the number of keys. */
  readonly rank: number;
  /** The digits found so far. The next count is over the keys that begin with them. */
  readonly prefix: Prefix;
  /** The number of keys larger than all that begin with the prefix. */
  readonly larger: number;
  /** The number of keys that begin with the prefix, or equal the key once all digits are found. 0 before the first count. */
  readonly equal: number;
}

/** The search for the n-th largest key, before anything is counted. */
export function rankSearch(digits: readonly number[], rank: number): RankSearch {
  return { digits, rank, prefix: [], larger: 0, equal: 0 };
}

/** True once the prefix is the whole key. */
export function isFound({ digits, prefix }: RankSearch): boolean {
  return prefix.length === digits.length;
}

/** An empty histogram of one part, for the next count of the search. */
export function emptyHistogram({ digits, prefix }: RankSearch): Histogram {
  return new Uint32Array(2 ** digits[prefix.length]);
}

/** Adds to the histogram those magnitudes whose key begins with the prefix, by their next digit. A NaN is larger than all. */
export function count(magnitudes: Magnitudes, prefix: Prefix, histogram: Histogram): void {
  const { words, width, top, upper, upperMask, lower, lowerMask } = beginning(magnitudes, prefix);
  const { length } = words;
  const shift = [15, 0, 16, 0][prefix.length];
  const mask = histogram.length - 1;
  if (prefix.length === 0) {
    // Without a prefix every key counts. This is the longest count, so it has a loop of its own.
    for (let i = top; i < length; i += width) histogram[(words[i] >>> shift) & mask]++;
    return;
  }
  // The offset from the upper word to the word that holds the next digit.
  const down = prefix.length < 2 ? 0 : top;
  for (let i = top; i < length; i += width) {
    if ((words[i] & upperMask) !== upper) continue;
    if ((words[i - top] & lowerMask) !== lower) continue;
    histogram[(words[i - down] >>> shift) & mask]++;
  }
}

/** The keys as words, and the upper and lower words of the keys that begin with the prefix. */
function beginning(magnitudes: Magnitudes, prefix: Prefix) {
  // A float32 is one word, the upper one. Words are little-endian: the upper one of a float64 is its last.
  const width = magnitudes.BYTES_PER_ELEMENT / 4;
  return {
    width,
    top: width - 1,
    words: new Uint32Array(magnitudes.buffer, magnitudes.byteOffset, magnitudes.length * width),
    upper: (prefix[0] << 15) | prefix[1],
    upperMask: [0, 0x7fff8000, 0x7fffffff, 0x7fffffff][prefix.length],
    lower: prefix[2] << 16,
    lowerMask: prefix.length < 3 ? 0 : 0xffff0000,
  };
}

/** The bucket that holds the rank-th largest key, and the number of keys in the buckets above it. */
export function boundary(histogram: Histogram, rank: number): { readonly bucket: number; readonly above: number } {
  let above = 0;
  for (let bucket = histogram.length - 1; bucket >= 0; bucket--) {
    if (above + histogram[bucket] >= rank) return { bucket, above };
    above += histogram[bucket];
  }
  throw new Error(`there is no key of rank ${rank} among ${above}: keep all of them`);
}

/** Finds one more digit from the merged histogram of all parts. */
export function narrow(search: RankSearch, histogram: Histogram): RankSearch {
  const { bucket, above } = boundary(histogram, search.rank - search.larger);
  return {
    ...search,
    prefix: [...search.prefix, bucket],
    larger: search.larger + above,
    equal: histogram[bucket],
  };
}

/** How many of its equal keys each part keeps, in patch order, so that the first `keep` of all survive. */
export function quotas(equal: readonly number[], keep: number): number[] {
  let left = keep;
  return equal.map((ties) => {
    const quota = Math.min(ties, left);
    left -= quota;
    return quota;
  });
}

/** The magnitude that a key belongs to. */
export function magnitudeOf(key: Prefix): number {
  const upper = (key[0] << 15) | key[1];
  if (key.length === FLOAT32_DIGITS.length) return new Float32Array(Uint32Array.of(upper).buffer)[0];
  return new Float64Array(Uint32Array.of((key[2] << 16) | key[3], upper).buffer)[0];
}

/** The n-th largest magnitude, and the number of values that are larger and equal. */
export interface Rank {
  readonly threshold: number;
  readonly larger: number;
  readonly equal: number;
}

/** Below this many values, sorting is faster than clearing histograms and searching them. */
const MIN_SEARCHED_VALUES = 2048;

/** The n-th largest magnitude of arrays in memory, all of one type; n is from 1 to the number of values. */
export function nthLargest(parts: readonly Magnitudes[], n: number): Rank {
  let total = 0;
  for (const part of parts) total += part.length;
  return total < MIN_SEARCHED_VALUES ? bySorting(parts, total, n) : bySearch(parts, total, n);
}

function bySearch(parts: readonly Magnitudes[], total: number, n: number): Rank {
  let search = rankSearch(parts[0] instanceof Float32Array ? FLOAT32_DIGITS : FLOAT64_DIGITS, n);
  let among = parts;
  while (!isFound(search)) {
    // Counting all parts into one histogram merges them.
    const histogram = emptyHistogram(search);
    for (const part of among) count(part, search.prefix, histogram);
    search = narrow(search, histogram);
    // Later counts need only these keys. If they are few, copying them is faster than reading all keys again.
    if (among === parts && search.equal < total / 2) among = [gather(parts, search)];
  }
  return { threshold: magnitudeOf(search.prefix), larger: search.larger, equal: search.equal };
}

/** The magnitudes whose keys begin with the digits found. */
function gather(parts: readonly Magnitudes[], { prefix, equal }: RankSearch): Magnitudes {
  const gathered = parts[0] instanceof Float32Array ? new Float32Array(equal) : new Float64Array(equal);
  const out = new Uint32Array(gathered.buffer);
  let end = 0;
  for (const part of parts) {
    const { words, width, top, upper, upperMask, lower, lowerMask } = beginning(part, prefix);
    const { length } = words;
    for (let i = top; i < length; i += width) {
      if ((words[i] & upperMask) !== upper) continue;
      if ((words[i - top] & lowerMask) !== lower) continue;
      for (let word = i - top; word <= i; word++) out[end++] = words[word];
    }
  }
  return gathered;
}

function bySorting(parts: readonly Magnitudes[], total: number, n: number): Rank {
  const sorted = new Float64Array(total);
  let end = 0;
  for (const part of parts) for (let i = 0; i < part.length; i++) sorted[end++] = Math.abs(part[i]);
  sorted.sort();
  const threshold = sorted[total - n];
  let [first, last] = [total - n, total - n];
  while (sorted[first - 1] === threshold) first--;
  while (sorted[last + 1] === threshold) last++;
  return { threshold, larger: total - 1 - last, equal: last + 1 - first };
}
