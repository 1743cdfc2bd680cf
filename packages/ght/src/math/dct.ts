/** Entry (k, i) of the orthonormal DCT-II of `size` samples: cosine k at sample i. */
export function dctEntry(size: number, k: number, i: number): number {
  return Math.sqrt((k === 0 ? 1 : 2) / size) * Math.cos(((2 * i + 1) * k * Math.PI) / (2 * size));
}
