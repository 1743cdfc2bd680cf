/** One array of a file of several: an `.npz` or a MAT-file. */
import { namesInZip, unzip, writeNpy } from 'ght/npy';
import { isMat } from '../image-file.js';
import type { Refuse } from '../refuse.js';
import { arraysOfMat } from './matrices/read-mat.js';

/** An array by its name, or the only one, as a `.npy`; other files as they are. */
export async function arrayIn(bytes: Buffer, wanted: string | undefined, refuse: Refuse): Promise<Buffer> {
  if (isMat(bytes)) {
    const arrays = arraysOfMat(bytes, refuse);
    const images = arrays.filter(({ isImage }) => isImage);
    // What is no image is refused by its reader, with the reason.
    const candidates = wanted === undefined && images.length > 0 ? images : arrays;
    const name = chosen(
      candidates.map((each) => each.name),
      wanted,
      refuse,
    );
    const array = await candidates.find((each) => each.name === name)?.read();
    return Buffer.from(array ? writeNpy(array) : new Uint8Array(0));
  }
  if (bytes.subarray(0, 4).toString('latin1') !== 'PK\x03\x04') return bytes;
  const names = namesInZip(bytes);
  const arrays = names.filter((name) => name.endsWith('.npy')).map((name) => name.slice(0, -4));
  // An archive of other things too is no archive of arrays, unless one of them is meant.
  const isOther = arrays.length < names.length && wanted === undefined;
  const name = `${isOther ? severalIn(names, refuse) : chosen(arrays, wanted, refuse)}.npy`;
  return Buffer.from((await unzip(bytes, 'archive', [name])).get(name) ?? new Uint8Array(0));
}

function chosen(names: readonly string[], wanted: string | undefined, refuse: Refuse): string {
  if (wanted === undefined) return names.length === 1 ? names[0] : severalIn(names, refuse);
  if (names.includes(wanted)) return wanted;
  throw refuse(`must have the array ${wanted}, and it has ${listOf(names)}`, 'give a name that is in the file');
}

function severalIn(names: readonly string[], refuse: Refuse): never {
  const remedy = 'give the name of one (--array); codes become an image with ght decode';
  throw refuse(`must hold one array, not ${listOf(names)}`, remedy);
}

function listOf(names: readonly string[]): string {
  const some = names.slice(0, 5).map((name) => name.replace(/[^ -~]/g, '?'));
  return some.join(', ') || 'nothing';
}
