import { type Image, type Representation, ssim } from 'ght';
import type { Readings } from './protocol.js';

/** The numbers of a run, as the page shows them. */
export function readingsOf(result: Representation, seconds: number): Readings {
  const { solver, rmse, rmsePixel, psnr, nonzeros, patches, stopReason, engine, history } = result;
  const mostAtoms = result.atomsPerPatch.reduce((a, b) => Math.max(a, b), 0);
  return {
    solver,
    rmse,
    rmsePixel,
    psnr,
    ssim: null,
    nonzeros,
    patches,
    mostAtoms,
    seconds,
    stopReason,
    engine,
    history,
  };
}

/** The structural similarity of two images: the mean over their planes. A breath is taken before each, for a cancel. */
export async function ssimOf(a: Image, b: Image, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for (let c = 0; c < a.planes.length; c++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    sum += ssim(a.planes[c], b.planes[c], a.width, a.height, a.peak);
  }
  return sum / a.planes.length;
}
