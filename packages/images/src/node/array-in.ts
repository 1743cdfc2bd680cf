/** One array of a file of several: an `.npz` or a MAT-file. */
import { writeNpy } from 'ght/npy';
import { chosen, fromArchive } from '../arrays.js';
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
  return Buffer.from(await fromArchive(bytes, wanted, refuse));
}
