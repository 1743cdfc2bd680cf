/** Missing pixels: the operator is a mask, and the start is the least bent picture through the known pixels, or harmonic in wide holes. */
import type { Image, Samples } from '../../image/image.js';
import { allOf, cut, grown, type Rectangle } from '../../image/rectangle.js';
import { biharmonic } from '../../operators/biharmonic.js';
import { maskOperator } from '../../operators/mask.js';
import type { Plane } from '../../operators/operator.js';
import { boundByRim, wideHoles } from '../../operators/wide-holes.js';
import type { Work } from '../../work.js';
import { looksInverted, missingExtent, missingPixels, opaque, withoutMissing } from './missing.js';
import { checkSigma } from './options.js';
import { imagePlanes, loopPlanes, type RestorationProblem, unitFor } from './problem.js';

/** The deviations of the first and the last step. A high start finds texture again. */
const [FIRST, LAST] = [50, 0.5];
/** How far from a missing pixel the picture is used, in pixels; about as far as one pass of the prior reaches. */
const MARGIN = 64;

/** The problem of filling the pixels that a mask marks, or those that are transparent or NaN. */
export function inpainting(mask: Samples | 'auto', sigma = 0): RestorationProblem {
  checkSigma(sigma);
  return {
    ...{ task: 'inpaint', sigma, first: FIRST, last: LAST },
    *find(image) {
      const missing = yield* missingPixels(image, mask);
      const extent = yield* missingExtent(image, missing);
      const inverted = mask !== 'auto' && (yield* looksInverted(image, missing, extent));
      return {
        ...{ sigma, estimated: false, missing: extent },
        warnings: inverted ? [{ reason: 'mask-inverted', share: extent.share }] : [],
      };
    },
    *open(image) {
      const missing = yield* missingPixels(image, mask);
      const known = yield* withoutMissing(image, missing);
      const unit = yield* unitFor(known, image.peak, sigma);
      const all = allOf(image);
      // Without noise only the missing pixels change, so only their surroundings are needed.
      const box = sigma > 0 ? all : grown(boxAround(missing, image), MARGIN, image);
      const holes = cut(missing, all, box);
      const wide = yield* wideHoles(box, holes);
      const parts = known.map((plane) => cut(plane, all, box));
      return {
        unit,
        operator: maskOperator(box, holes),
        planes: yield* loopPlanes(parts, unit),
        start: (plane) => biharmonic(plane, box, holes, wide),
        *result(planes) {
          const restored = yield* imagePlanes(planes, unit);
          restored.forEach((plane, c) => {
            for (const hole of wide) boundByRim(plane, hole, parts[c]);
          });
          const filled = yield* pasted(known, image.width, restored, box, sigma > 0 ? undefined : holes);
          const alpha = image.alpha && (yield* opaque(image.alpha, missing));
          return { ...image, planes: filled, ...(alpha && { alpha }) };
        },
      };
    },
  };
}

/** The rectangle of the missing pixels. */
function boxAround(missing: Uint8Array, { width, height }: Image): Rectangle {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let i = 0; i < missing.length; i++) {
    if (missing[i] === 0) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, width: right + 1 - left, height: bottom + 1 - top };
}

/** Writes restored planes into a box of an image: only where `holes` is not 0, if it is given. */
function* pasted(
  planes: readonly Plane[],
  width: number,
  restored: readonly Plane[],
  box: Rectangle,
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
