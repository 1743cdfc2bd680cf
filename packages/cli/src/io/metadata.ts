const exifPrefix = 'Exif\0\0';
const orientationTag = 0x0112;

/**
 * An EXIF block from its TIFF header on, with the orientation set to 1: once the pixels are upright, the old value
 * would make every viewer turn them a second time.
 */
export function uprightExif(exif: Uint8Array): Uint8Array {
  const copy = Buffer.from(exif);
  const block = copy.toString('latin1', 0, exifPrefix.length) === exifPrefix ? copy.subarray(exifPrefix.length) : copy;
  if (block.length < 8) return block;
  const little = block[0] === 0x49;
  const short = (at: number) => (little ? block.readUInt16LE(at) : block.readUInt16BE(at));
  const directory = little ? block.readUInt32LE(4) : block.readUInt32BE(4);
  const count = directory + 2 <= block.length ? short(directory) : 0;
  for (let at = directory + 2; at < directory + 2 + 12 * count && at + 12 <= block.length; at += 12) {
    if (short(at) !== orientationTag) continue;
    if (little) block.writeUInt16LE(1, at + 8);
    else block.writeUInt16BE(1, at + 8);
  }
  return block;
}

/**
 * Whether a profile describes this many colour channels. A grey profile on colour, or the reverse, is invalid, and
 * arises when a result has other channels than its input.
 */
export function profileFits(icc: Uint8Array, colours: number): boolean {
  const space = Buffer.from(icc.subarray(16, 20)).toString('latin1');
  return (space === 'GRAY' && colours === 1) || (space === 'RGB ' && colours === 3);
}
