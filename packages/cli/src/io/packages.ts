/** The packages that are loaded only when needed: sharp alone takes half of the time that a command needs to start. */

/** An installation that lacks a package: no fault of any file, and the same for all files of a run. */
export class IncompleteInstallation extends Error {
  override readonly name = 'IncompleteInstallation';

  constructor(missing: string, reason: unknown) {
    const [line] = (reason instanceof Error ? reason.message : String(reason)).trim().split(/[\n\r]/, 1);
    super(`the installation must have ${missing}, but got "${line}": run npm install`);
  }
}

/** sharp. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp').catch((reason: unknown) => {
    throw new IncompleteInstallation('sharp, which reads and writes images', reason);
  });
  return sharp;
}

/** geotiff. */
export function loadGeotiff() {
  return import('geotiff').catch((reason: unknown) => {
    throw new IncompleteInstallation('geotiff, which reads TIFF files', reason);
  });
}
