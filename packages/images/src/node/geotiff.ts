import { IncompleteInstallation } from './packages.js';

/** geotiff, in a file of its own: its types need those of a browser, which a user of this package need not have. */
export function loadGeotiff() {
  return import('geotiff').catch((reason: unknown) => {
    throw new IncompleteInstallation('geotiff, which reads TIFF files', reason);
  });
}
