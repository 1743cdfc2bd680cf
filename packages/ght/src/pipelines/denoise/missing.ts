/**
 * Missing samples in a noisy image: those that are NaN. The noise around them is to be found and removed as without them, so while the image
 * is denoised each has a known sample in its place, mirrored at the nearest end k of known samples in its row or column,
 *
 *     y(k + d) = y(k − d + 1),   d = 1, 2, …
 *
 * within the run of known samples that ends at k, back and forth if that is shorter. It has the noise of the image and continues its edges, where
 * a smooth interpolation would look like an area without noise. Samples that have no known one in their row and column come after those that do.
 * In the result they are missing again, or filled with the least bent surface through the denoised samples around them.
 */
import { InputError } from '../../errors.js';
import { copyOf, type Image, type Samples } from '../../image/image.js';
import { biharmonic } from '../../operators/biharmonic.js';
import type { Size } from '../../operators/operator.js';
import { wideHoles } from '../../operators/wide-holes.js';
import { stretches, type Work } from '../../work.js';

/** What becomes of missing samples. */
export type MissingSamples = 'keep' | 'fill';

/** An image with known samples in place of those that are missing, and where they are in each plane. */
export function* withoutMissing(image: Image): Work<{ readonly image: Image; readonly holes: readonly Holes[] }> {
  const planes: Samples[] = [];
  const holes: Holes[] = [];
  for (const plane of image.planes) {
    const missing = yield* missingIn(plane, image.alpha);
    holes.push(missing);
    planes.push(missing ? yield* mirrored(plane, image, missing) : plane);
  }
  return { image: { ...image, planes }, holes };
}

/** What {@link missingIn} finds. */
export type Holes = Uint8Array | undefined;

/** 1 for each missing sample of a plane, and then also where its opacity is 0; undefined if none is missing. */
export function* missingIn(plane: Samples, alpha?: Samples): Work<Uint8Array | undefined> {
  if (!(plane instanceof Float32Array || plane instanceof Float64Array)) return undefined;
  let missing: Uint8Array | undefined;
  let known = false;
  for (const [from, to] of stretches(plane.length)) {
    for (let i = from; i < to; i++) {
      if (alpha?.[i] === 0) continue;
      if (!Number.isNaN(plane[i])) known = true;
      else {
        missing ??= new Uint8Array(plane.length);
        missing[i] = 1;
      }
    }
    yield to / plane.length;
  }
  if (!missing) return undefined;
  if (!known)
    throw new InputError(
      'image',
      'must have a sample that is not NaN in every plane',
      'only NaN',
      'give another image',
    );
  for (let i = 0; i < plane.length; i++) if (alpha?.[i] === 0) missing[i] = 1;
  return missing;
}

/** The plane with mirrored known samples in place of those that are missing. */
export function* mirrored(plane: Samples, { width, height }: Size, missing: Uint8Array): Work<Samples> {
  const filled = copyOf(plane);
  const gone = missing.slice();
  let left = gone.reduce((sum, each) => sum + each, 0);
  while (left > 0) {
    const source = yield* mirroredAt({ width, height }, gone);
    for (let i = 0; i < gone.length; i++) {
      if (source[i] < 0) continue;
      filled[i] = filled[source[i]];
      gone[i] = 0;
      left--;
    }
  }
  return filled;
}

/** Where the known sample is that each missing one mirrors, if it is at most `reach` away; −1 for all others. */
export function* mirroredAt({ width, height }: Size, gone: Uint8Array, reach = 2 ** 31): Work<Int32Array> {
  const distance = new Uint32Array(gone.length).fill(reach + 1);
  const source = new Int32Array(gone.length).fill(-1);
  /** Goes along a line of samples, `step` apart, and notes for each missing one the known one that it mirrors. */
  const along = (start: number, step: number, count: number) => {
    let [run, last] = [0, 0];
    for (let n = 0, i = start; n < count; n++, i += step) {
      if (!gone[i]) {
        run = last === n - 1 ? run + 1 : 1;
        last = n;
        continue;
      }
      const d = n - last;
      if (run === 0 || d >= distance[i]) continue;
      const turn = (d - 1) % (2 * run);
      distance[i] = d;
      source[i] = start + step * (last - (turn < run ? turn : 2 * run - 1 - turn));
    }
  };
  for (let y = 0; y < height; y++) {
    along(y * width, 1, width);
    along(y * width + width - 1, -1, width);
    yield y / height;
  }
  for (let x = 0; x < width; x++) {
    along(x, width, height);
    along((height - 1) * width + x, -width, height);
    yield x / width;
  }
  return source;
}

/** A denoised plane with its missing samples as they are wanted. */
export function* restored(plane: Samples, size: Size, missing: Uint8Array, wanted: MissingSamples): Work<Samples> {
  const result = copyOf(plane);
  if (wanted === 'keep') {
    for (let i = 0; i < result.length; i++) if (missing[i]) result[i] = Number.NaN;
    return result;
  }
  const known = Float64Array.from(plane, (value, i) => (missing[i] ? 0 : value));
  const surface = yield* biharmonic(known, size, missing, yield* wideHoles(size, missing));
  for (let i = 0; i < result.length; i++) if (missing[i]) result[i] = surface[i];
  return result;
}
