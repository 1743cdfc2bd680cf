import type { Image, Samples } from '../image/image.js';
import { checkShape } from '../image/image.js';
import { biharmonic } from '../operators/biharmonic.js';
import { maskOperator } from '../operators/mask.js';
import type { Plane } from '../operators/operator.js';
import { checkRestoredSigma } from '../pipelines/given-noise.js';
import { drive, type Work } from '../work.js';
import { missingPixels, opaque, withoutMissing } from './missing.js';
import type { RestorationOptions, Restored } from './restore-options.js';
import { checkSigma, resolveRestoreOptions } from './restore-options.js';
import { imagePlanes, loopPlanes, restorePlanes, unitOf } from './restore-planes.js';

/** Options of `inpaint`. All are optional. */
export interface InpaintOptions extends RestorationOptions {
  /**
   * The standard deviation of white noise on the known pixels, in the units of the image, at least 0. With 0 the known pixels are
   * returned as they are; otherwise they are denoised too.
   *
   * @default 0
   */
  readonly sigma?: number;
}

/** The deviations of the first and the last step. A high start finds texture again. */
const [FIRST, LAST] = [50, 0.5];
/** How far from a missing pixel the picture is used, in pixels; about as far as one pass of the prior reaches. */
const MARGIN = 64;

/**
 * Fills missing pixels from the pixels around them. The mask has one sample per pixel, and pixels where it is not 0 are missing. `auto`
 * takes transparent pixels (alpha 0) and samples that are NaN as missing, in all channels. The values of missing pixels are ignored.
 * Transparent pixels that were filled become opaque.
 *
 * Scratches, text, dead pixels and small holes are filled with the texture of their surroundings. Holes wider than about 16 pixels
 * stay blurred in the middle.
 *
 * @example
 * ```js
 * import { inpaint } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const mask = new Uint8Array(64 * 64).fill(1, 64 * 30, 64 * 32); // two rows are missing
 * const { image: filled } = await inpaint(image, mask);
 * console.log(filled.planes[0].length);
 * ```
 */
export async function inpaint(image: Image, mask: Samples | 'auto', options: InpaintOptions = {}): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions(options, ['sigma']);
  const { signal } = settings;
  const sigma = checkSigma(options.sigma === undefined ? 0 : options.sigma);
  const missing = await drive(missingPixels(image, mask), { signal });
  const known = await drive(withoutMissing(image, missing), { signal });

  await drive(checkRestoredSigma(sigma, known, image.peak), { signal });
  const unit = await drive(unitOf({ planes: known, peak: image.peak }), { signal });
  // Without noise only the missing pixels change, so only their surroundings are needed.
  const box = sigma > 0 ? { left: 0, top: 0, width: image.width, height: image.height } : boxAround(missing, image);
  const holes = cut(missing, image.width, box);
  const planes = await drive(
    loopPlanes(
      known.map((plane) => cut(plane, image.width, box)),
      unit,
    ),
    { signal },
  );
  const outcome = await restorePlanes(
    {
      ...{ task: 'inpaint', operator: maskOperator(box, holes), planes },
      start: (plane) => biharmonic(plane, box, holes),
      ...{ sigma, first: FIRST, last: LAST },
    },
    unit,
    settings,
  );
  const restored = await drive(imagePlanes(outcome.planes, unit), { signal });
  const filled = await drive(pasted(known, image.width, restored, box, sigma > 0 ? undefined : holes), { signal });
  const alpha = image.alpha && (await drive(opaque(image.alpha, missing), { signal }));
  const { history, engine } = outcome;
  return {
    image: { ...image, planes: filled, ...(alpha && { alpha }) },
    ...{ sigma, estimated: false, quality: settings.quality, history, engine },
  };
}

/** A rectangle of pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The missing pixels with a margin. */
function boxAround(missing: Uint8Array, { width, height }: Image): Box {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let i = 0; i < missing.length; i++) {
    if (missing[i] === 0) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  left = Math.max(0, left - MARGIN);
  top = Math.max(0, top - MARGIN);
  return {
    ...{ left, top },
    width: Math.min(width, right + 1 + MARGIN) - left,
    height: Math.min(height, bottom + 1 + MARGIN) - top,
  };
}

/** The part of a plane in a box. */
function cut<T extends Plane | Uint8Array>(plane: T, width: number, box: Box): T {
  const part = plane.slice(0, box.width * box.height) as T;
  for (let y = 0; y < box.height; y++) {
    const from = (box.top + y) * width + box.left;
    part.set(plane.subarray(from, from + box.width), y * box.width);
  }
  return part;
}

/** Writes restored planes into a box of an image: only where `holes` is not 0, if it is given. */
function* pasted(
  planes: readonly Plane[],
  width: number,
  restored: readonly Plane[],
  box: Box,
  holes: Uint8Array | undefined,
): Work<readonly Plane[]> {
  for (const [c, plane] of planes.entries()) {
    for (let i = 0; i < restored[c].length; i++) {
      if (holes && holes[i] === 0) continue;
      plane[(box.top + Math.floor(i / box.width)) * width + box.left + (i % box.width)] = restored[c][i];
    }
    yield c / planes.length;
  }
  return planes;
}
