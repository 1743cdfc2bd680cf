import { writeFile } from 'node:fs/promises';
import type { Samples } from 'ght';
import { openSource } from 'ght-tiles';
import type { MatrixReader } from '../../../images/test/tiff/matrix.js';

const step = { width: 7, height: 5 };
const MOST_PIXELS = 2 ** 20;

/** Reads an image window by window, none of which is a tile or a strip. `folder` is for what the source puts aside. */
export async function readWindows(image: string, folder: string): Promise<readonly ArrayLike<number>[]> {
  const source = await openSource(image, { memory: 0, folder });
  try {
    const { width, height, channels, alpha } = source.picture;
    // A changed bit may announce any size: not the samples of a small file in any case.
    if (width * height > MOST_PIXELS) return [[0]];
    const planes = Array.from({ length: channels + (alpha ? 1 : 0) }, () => new Float64Array(width * height));
    for (let top = 0; top < height; top += step.height) {
      for (let left = 0; left < width; left += step.width) {
        const window = {
          left,
          top,
          width: Math.min(step.width, width - left),
          height: Math.min(step.height, height - top),
        };
        const parts = await source.read(window);
        for (const [channel, part] of parts.entries()) place(part, window, planes[channel], width);
      }
    }
    return planes;
  } finally {
    await source.close();
  }
}

/** The same for the bytes of a TIFF file. `path` names files in a folder of its own. */
export const windowReader =
  (path: (name: string) => string): MatrixReader =>
  async (bytes) => {
    await writeFile(path('file.tif'), bytes);
    return readWindows(path('file.tif'), path('.'));
  };

function place(part: Samples, at: { left: number; top: number; width: number }, plane: Float64Array, width: number) {
  for (let y = 0; y * at.width < part.length; y++) {
    plane.set(part.subarray(y * at.width, (y + 1) * at.width), (at.top + y) * width + at.left);
  }
}
