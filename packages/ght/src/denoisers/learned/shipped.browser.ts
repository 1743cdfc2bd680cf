/** The file of the shipped model in browsers: an asset that is fetched when it is needed, and that the browser caches. */

/** Where the file lies. Bundlers recognise this form, and ship the file with the code. */
export const place = () => new URL('../../../weights/grey.npz', import.meta.url);

/** The bytes of the file at an address. */
export async function readWeights(address: string | URL): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Those of the model for colour pictures, which pages give as the option `colourWeights`: bundlers would require its package of everybody. */
export async function readColour(): Promise<Uint8Array | undefined> {
  return undefined;
}
