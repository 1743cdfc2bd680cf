/** The file of the shipped model in Node: from the package. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Where the file lies. */
export const place = () => new URL('../../../weights/grey.npz', import.meta.url);

/** The bytes of the file at an address: a path, or a URL of any kind. */
export async function readWeights(address: string | URL): Promise<Uint8Array> {
  const text = String(address);
  if (!/^(https?|data|blob):/.test(text)) return readFile(text.startsWith('file:') ? new URL(text) : text);
  const response = await fetch(text);
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Those of the model for colour pictures; undefined if its package is not installed. */
export async function readColour(): Promise<Uint8Array | undefined> {
  let file: string;
  try {
    file = createRequire(import.meta.url).resolve('ght-colour/colour.npz');
  } catch {
    return undefined;
  }
  return readFile(file);
}
