/** The file of the shipped model in browsers: an asset that is fetched when it is needed, and that the browser caches. */

/** Where the file lies. Bundlers recognise this form, and ship the file with the code. */
export const place = new URL('../../../weights/grey.npz', import.meta.url);

/** Its bytes. */
export async function readShipped(): Promise<Uint8Array> {
  const response = await fetch(place);
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
