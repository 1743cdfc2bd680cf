import type { Image } from '../../image/image.js';
import { rising } from '../../work.js';
import { DenoiserCache } from '../denoise/context.js';
import { runHere } from '../run.js';
import { memoryPlanes, openOnce } from './context.js';
import { type Restored, type RestoreSettings, restorationRecipe } from './options.js';
import { restorePlan } from './plan.js';
import type { RestorationProblem } from './problem.js';

/** Restores an image that is in memory: the plan, in one part. */
export async function restoreWhole(
  image: Image,
  problem: RestorationProblem,
  settings: RestoreSettings,
): Promise<Restored> {
  const { signal, onProgress } = settings;
  let restored = image;
  const { steps } = restorationRecipe(problem.task, settings.quality);
  let step = 0;
  const planes = memoryPlanes();
  const context = {
    ...{ problem, settings, planes, ...openOnce(problem, image, settings, planes) },
    denoisers: new DenoiserCache(),
    onStep: (k: number) => {
      step = k;
    },
    write: async (result: Image) => {
      restored = result;
    },
  };
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction, step, steps })));
  const result = await runHere(restorePlan, context, { signal, onProgress: ({ fraction }) => onFraction?.(fraction) });
  return { image: restored, ...result };
}
