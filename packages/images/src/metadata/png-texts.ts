/** The texts of a PNG that hold metadata. */
import { latin1 } from '../bytes.js';

/** The key of XMP. */
export const XMP_KEY = 'XML:com.adobe.xmp';
/** PNG has no chunk for IPTC data: all programs that keep them do so in this text, as hexadecimal numbers. */
export const IPTC_KEY = 'Raw profile type iptc';

/** The key of a text, which ends with a zero. */
export function keyOf(content: Uint8Array): string {
  return latin1(content.subarray(0, Math.max(0, content.indexOf(0))));
}
