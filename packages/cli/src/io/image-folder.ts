import { readdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { checkImage, type Image, InputError, OptionError } from 'ght';
import { readExtensions } from 'ght-images';
import { destinationOf, readImage } from 'ght-images/node';
import type { NamedImage } from 'ght-lab';

/** Pixels per side that an image must have for the experiments. */
const LEAST_SIDE = 64;

/**
 * The images of the folder that `--images` names, in the order of their names, and a sentence about what was left out: small ones,
 * subfolders and other files. Each image is made grey as soon as it is read, so that only one is held in colour. Refuses a folder without any, and one into which the report at
 * `output` would write its figures.
 */
export async function readImageFolder(
  folder: string,
  output: string,
  asGrey: (image: Image) => Image,
): Promise<{ readonly images: readonly NamedImage[]; readonly skipped: string | undefined }> {
  const all = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    const remedy = cause.code === 'ENOTDIR' ? 'this is a file; name the folder it is in' : 'check the path';
    throw new InputError('--images', 'must be an existing folder', folder, remedy, { cause });
  });
  const names = all.filter((name) => !name.startsWith('.'));
  const chosen = names.filter((name) => readExtensions.includes(extname(name).toLowerCase())).sort();
  const images: NamedImage[] = [];
  const figures = await destinationOf(join(output, 'figures'));
  for (const name of chosen) {
    if (dirname(await destinationOf(join(folder, name))) === figures) {
      const rule = 'must not hold the images of --images among its figures';
      throw new OptionError('-o', rule, output, 'choose another folder for the report');
    }
    const { image, format } = await readImage(join(folder, name), { parameter: '--images' });
    checkImage(image);
    if (image.width < LEAST_SIDE || image.height < LEAST_SIDE) continue;
    const blocks =
      format === 'jpeg' ? '; its own 8×8 blocks may coincide with the patches and flatter every result' : '';
    images.push({ name, image: asGrey(image), source: `an image of yours${blocks}` });
  }
  if (images.length > 0) {
    const others = names.length - chosen.length;
    const small = chosen.length - images.length;
    const parts = [
      ...(others > 0 ? [`${others} not an image`] : []),
      ...(small > 0 ? [`${small} smaller than ${LEAST_SIDE}×${LEAST_SIDE} pixels`] : []),
    ];
    const skipped = `skipped ${others + small} of ${names.length} in ${folder}: ${parts.join(', ')}`;
    return { images, skipped: parts.length > 0 ? skipped : undefined };
  }
  const rule = `must hold an image of at least ${LEAST_SIDE}×${LEAST_SIDE} pixels`;
  throw new InputError('--images', rule, folder, `put images there (${readExtensions.join(', ')})`);
}
