/** The pages of a TIFF, found by its chain of directories; a damaged chain may run in a circle. */

/** The most pages that are looked for. */
const MOST_PAGES = 100_000;

/** How many directories a TIFF or BigTIFF has; Infinity where their chain does not end. */
export function countDirectories(bytes: Buffer): number {
  const little = bytes[0] === 0x49;
  const big = bytes[little ? 2 : 3] === 43;
  const uint16 = (at: number) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const uint32 = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const uint64 = (at: number) => Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  const [entryBytes, countBytes, pointerBytes] = big ? [20, 8, 8] : [12, 2, 4];
  const pointer = big ? uint64 : uint32;
  const seen = new Set<number>();
  if (bytes.length < (big ? 16 : 8)) return 0;
  for (let at = pointer(big ? 8 : 4); at !== 0 && at + countBytes <= bytes.length; ) {
    if (seen.has(at) || seen.size >= MOST_PAGES) return Number.POSITIVE_INFINITY;
    seen.add(at);
    const next = at + countBytes + entryBytes * (big ? uint64(at) : uint16(at));
    if (next + pointerBytes > bytes.length) break;
    at = pointer(next);
  }
  return seen.size;
}
