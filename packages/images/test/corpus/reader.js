/**
 * Reads files in a process of its own, so that a crash, a hang and the memory of a decoder are seen from outside: one
 * file a message, one answer each. It does what the commands do with a file, down to writing it in the same format.
 */
import { rm } from 'node:fs/promises';
import { checkImage, isGhtError } from 'ght';
import { loadCodes } from 'ght/npy';
import { checkFormat, readArray, readBytes, readImage, writeImage } from '../../dist/node/index.js';

const extensions = { png: '.png', jpeg: '.jpg', webp: '.webp', tiff: '.tif', bmp: '.bmp', npy: '.npy' };

const readers = {
  async image(path) {
    const file = await readImage(path);
    const { image } = file;
    checkImage(image);
    // What travels with the samples, a profile or EXIF, may be damaged too: it must not keep the result from its file.
    for (const extension of new Set([extensions[file.format], '.png'])) {
      const copy = `${path}.copy${extension}`;
      if (!holds(copy, file)) continue;
      await writeImage(copy, image, file);
      await readImage(copy);
      await rm(copy);
    }
    const planes = image.alpha ? [...image.planes, image.alpha] : image.planes;
    return planes[0].length > 1e5 ? [] : Array.from(planes[0]).flatMap((_, i) => planes.map((plane) => plane[i]));
  },
  async array(path) {
    return Array.from((await readArray(path)).data);
  },
  async codes(path) {
    const { L, P, indptr, indices, values } = await loadCodes(await readBytes(path, 'codes'));
    return [L, P, ...indptr, ...indices, ...values];
  },
};

function holds(path, file) {
  try {
    return checkFormat(path, file.image, file) !== undefined;
  } catch {
    return false;
  }
}

process.on('message', async ({ kind, path }) => {
  const answer = await readers[kind](path).then(
    (samples) => ({ outcome: 'read', samples }),
    (error) =>
      isGhtError(error) && !/[\n\r]/.test(error.message)
        ? { outcome: 'refused', message: error.message }
        : { outcome: 'defect', message: String(error?.stack ?? error) },
  );
  process.send({ ...answer, megabytes: process.resourceUsage().maxRSS / 1024 });
});
