import { readImage } from '../../src/node/index.js';
import type { MatrixReader } from './matrix.js';

/** Reads a whole file, as most commands do. */
export const readWhole: MatrixReader = async (bytes) => {
  const { image } = await readImage(bytes);
  return image.alpha ? [...image.planes, image.alpha] : image.planes;
};
