/** HEIF, the container of AVIF and HEIC. */
import { latin1, viewOf } from './bytes.js';

/** The coding of an image in a HEIF file by the brands that it states: AV1 in AVIF, or HEVC in HEIC. */
export function heifOf(bytes: Uint8Array): 'avif' | 'heic' | undefined {
  if (bytes.length < 16 || latin1(bytes.subarray(4, 8)) !== 'ftyp') return undefined;
  const end = Math.min(viewOf(bytes).getUint32(0), bytes.length, 256);
  const brands: string[] = [latin1(bytes.subarray(8, 12))];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(latin1(bytes.subarray(at, at + 4)));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return 'avif';
  return brands.some((brand) => /^(hei[cxms]|hev[cxms]|mif1)$/.test(brand)) ? 'heic' : undefined;
}
