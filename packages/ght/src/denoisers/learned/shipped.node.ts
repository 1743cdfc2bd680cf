/** The file of the shipped model in Node: from the package. */
import { readFile } from 'node:fs/promises';

/** Where the file lies. */
export const place = new URL('../../../weights/grey.npz', import.meta.url);

/** Its bytes. */
export async function readShipped(): Promise<Uint8Array> {
  return readFile(place);
}
