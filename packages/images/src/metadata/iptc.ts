/** IPTC data lie in a list of the resources of Photoshop: in the segments of a JPEG, and as text in a PNG. */
import { bytesOf, joined, latin1, viewOf } from '../bytes.js';

/** How a resource begins, and the number of that which holds IPTC data. */
const SIGNATURE = '8BIM';
const IPTC = 0x0404;

/** What a list of resources holds. */
export interface Resources {
  /** The IPTC data. */
  readonly iptc?: Uint8Array;
  /** How many others there are. */
  readonly others: number;
}

/** The IPTC data in a list of resources. A damaged list ends where it is damaged. */
export function resourcesIn(list: Uint8Array): Resources {
  const view = viewOf(list);
  let iptc: Uint8Array | undefined;
  let others = 0;
  for (let at = 0; at + 12 <= list.length && latin1(list.subarray(at, at + 4)) === SIGNATURE; ) {
    const number = view.getUint16(at + 4);
    // A name with its length before it, then four bytes for the length of the content; both end at even places.
    const from = at + 6 + even(1 + list[at + 6]) + 4;
    if (from > list.length) break;
    const end = from + view.getUint32(from - 4);
    if (end > list.length) break;
    if (number === IPTC) iptc ??= list.slice(from, end);
    else others++;
    at = from + even(end - from);
  }
  return { ...(iptc && iptc.length > 0 && { iptc }), others };
}

/** A list of resources with IPTC data only. */
export function asResources(iptc: Uint8Array): Uint8Array {
  const head = new Uint8Array(8);
  const view = viewOf(head);
  view.setUint16(0, IPTC);
  view.setUint32(4, iptc.length);
  return joined([bytesOf(SIGNATURE), head, iptc, new Uint8Array(iptc.length % 2)]);
}

const even = (length: number) => length + (length % 2);
