import { IncompleteInstallation } from 'ght-images/node';

/** zarrita, in a file of its own: its types need those of a browser, which a user of this package need not have. */
export function loadZarrita() {
  return import('zarrita').catch((reason: unknown) => {
    throw new IncompleteInstallation('zarrita, which compresses the chunks of a Zarr', reason);
  });
}
