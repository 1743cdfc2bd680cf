import { type Image, type Representation, type Samples, ssim } from 'ght';
import type { Readings } from './protocol.js';

/** The measurements of a run, as the page shows them. */
export function readingsOf(result: Representation, seconds: number): Readings {
  const { solver, rmse, rmsePixel, psnr, nonzeros, patches, stopReason, engine, history } = result;
  const most = result.atomsPerPatch.reduce((a, b) => Math.max(a, b), 0);
  const mostAtoms = (most * result.grid.count) / patches;
  return {
    solver,
    rmse,
    rmsePixel,
    psnr,
    nonzeros,
    patches,
    mostAtoms,
    seconds,
    stopReason,
    engine,
    history,
  };
}

/** Rows per band: a few tens of milliseconds, so that a moving slider does not have to wait. */
const BAND = 48;
/** The rows that a window of SSIM extends beyond its middle. */
const REACH = 5;

/**
 * The structural similarity of two images: the mean over their planes. Only pixels whose whole window lies inside count. So
 * bands that overlap by the extent of a window count every pixel once, and other work can run between two bands.
 */
export async function ssimOf(a: Image, b: Image, signal: AbortSignal): Promise<number> {
  const { width, height, peak } = a;
  const whole = width <= 2 * REACH || height <= 2 * REACH;
  const rows = whole ? height : BAND + 2 * REACH;
  let [sum, weights] = [0, 0];
  for (const [c, plane] of a.planes.entries()) {
    for (let top = 0; top < (whole ? 1 : height - 2 * REACH); top += BAND) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
      const tall = Math.min(rows, height - top);
      const band = (samples: Samples) => samples.subarray(top * width, (top + tall) * width);
      const weight = whole ? 1 : tall - 2 * REACH;
      sum += weight * ssim(band(plane), band(b.planes[c]), width, tall, peak);
      weights += weight;
    }
  }
  return sum / weights;
}
