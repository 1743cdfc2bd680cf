/** Maps a coordinate beyond an edge back into 0 … n − 1 by mirroring: …b a | a b c | c b…. */
export function mirror(i: number, n: number): number {
  if (i >= 0 && i < n) return i;
  const j = ((i % (2 * n)) + 2 * n) % (2 * n);
  return j < n ? j : 2 * n - 1 - j;
}
