import type { Image, Samples } from '../../image/image.js';
import { copyOf } from '../../image/image.js';
import { allOf, cut } from '../../image/rectangle.js';
import { runHere } from '../run.js';
import { DenoiserCache } from './context.js';
import type { DenoiseSettings } from './options.js';
import { WholeReader } from './parts.js';
import { type DenoiseResult, denoisePlan } from './plan.js';

/** A denoised image. */
export interface Denoised extends DenoiseResult {
  /** The denoised image in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
}

/** Denoises an image that is in memory: the plan, in one part. */
export async function denoiseWhole(noisy: Image, settings: DenoiseSettings): Promise<Denoised> {
  const { signal, onProgress } = settings.planes;
  const whole = allOf(noisy);
  const given = noisy.alpha ? [...noisy.planes, noisy.alpha] : noisy.planes;
  const image = {
    ...{ width: noisy.width, height: noisy.height, alpha: noisy.alpha !== undefined },
    read: async (at: typeof whole) => given.map((plane) => cut(plane, whole, at)),
  };
  let result: readonly Samples[] | undefined;
  const output = {
    has: async () => false,
    write: async (_: typeof whole, planes: readonly Samples[] | undefined) => {
      result = planes?.slice(0, noisy.planes.length);
    },
    finish: async () => {},
  };
  const context = {
    ...{ image, settings, output },
    reader: new WholeReader(image),
    peakOf: () => noisy.peak,
    denoisers: new DenoiserCache(),
  };
  let pass = 'estimate';
  let furthest = 0;
  const report = await runHere(denoisePlan, context, {
    signal,
    onProgress:
      onProgress &&
      (({ fraction, step }) => {
        pass = step ?? pass;
        if (fraction > furthest) onProgress({ fraction, pass });
        furthest = Math.max(furthest, fraction);
      }),
  });
  return { image: { ...noisy, planes: result ?? noisy.planes.map(copyOf) }, ...report };
}
