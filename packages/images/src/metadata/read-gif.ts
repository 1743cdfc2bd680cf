/** Reads the metadata of a GIF: extensions, each of which is a chain of blocks of up to 255 bytes, between its frames. */
import { joined, latin1 } from '../bytes.js';
import type { ImageMetadata } from '../image-file.js';

const [EXTENSION, FRAME] = [0x21, 0x2c];
const [COMMENT, APPLICATION] = [0xfe, 0xff];
/** XMP is not divided into blocks. Bytes behind it lead readers that do not know that to its end: 1, 255, 254, … 0, 0. */
const XMP_TRAILER = 258;

/** The profile and XMP. A damaged file ends where it is damaged: its pixels tell. */
export function readGifMetadata(bytes: Uint8Array): ImageMetadata {
  let [icc, xmp]: (Uint8Array | undefined)[] = [];
  const notRead = new Set<string>();
  // After the signature come the size of the screen and its palette.
  let at = 13 + paletteBytes(bytes[10]);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === FRAME) {
      // A frame has its place, its palette, and the least bits of its codes before its blocks.
      at = blocksAt(bytes, at + 11 + paletteBytes(bytes[at + 9])).end;
      continue;
    }
    if (kind !== EXTENSION) break;
    const label = bytes[at + 1];
    const { blocks, end } = blocksAt(bytes, at + 2);
    if (label === COMMENT) notRead.add('comment');
    const name = label === APPLICATION ? latin1(blocks[0] ?? new Uint8Array(0)) : '';
    if (name === 'ICCRGBG1012') icc = joined(blocks.slice(1));
    if (name === 'XMP DataXMP') {
      const from = at + 3 + name.length;
      if (bytes[end - XMP_TRAILER] === 1) xmp = bytes.slice(from, end - XMP_TRAILER);
      else notRead.add('XMP');
    }
    at = end;
  }
  return {
    ...(icc && icc.length > 0 && { icc }),
    ...(xmp && xmp.length > 0 && { xmp }),
    ...(notRead.size > 0 && { notRead: [...notRead] }),
  };
}

/** The bytes of a palette, of which a byte before it says whether it is there and how long. */
function paletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The blocks from a place on, and where the next part of the file begins. */
function blocksAt(bytes: Uint8Array, from: number): { readonly blocks: readonly Uint8Array[]; readonly end: number } {
  const blocks: Uint8Array[] = [];
  let at = from;
  for (; bytes[at] > 0; at += 1 + bytes[at]) blocks.push(bytes.subarray(at + 1, at + 1 + bytes[at]));
  return { blocks, end: at + 1 };
}
