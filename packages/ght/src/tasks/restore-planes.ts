/** How the loop of restoration is fed: planes on the scale where 255 is full scale, and a recipe as the prior. */
import type { Denoiser } from '../denoisers/denoiser.js';
import { priors } from '../denoisers/groups/recipes.js';
import type { EngineInfo } from '../engines/engine.js';
import { decorrelation, recorrelation } from '../image/colour.js';
import type { Image, Samples } from '../image/image.js';
import { mapped } from '../image/image.js';
import { largestOf } from '../image/scale.js';
import type { Prior, RestorationEntry, Schedule } from '../operators/loop.js';
import { restoration } from '../operators/loop.js';
import type { Operator, Plane } from '../operators/operator.js';
import { denoiseBy, recipeFor } from '../pipelines/denoise/planes.js';
import { drive, part, rising, type Work } from '../work.js';
import { type RestorationTask, type RestoreSettings, restorationRecipes } from './restore-options.js';

/** The full scale on which deviations are given in the recipes. */
const FULL_SCALE = 255;
/** Samples up to this many units enter the loop, whatever the peak, so that their squares do not overflow. */
const MOST_UNITS = 2 ** 20;
const LEAST_UNIT = 1e-300;

/** The unit of the loop, in the units of the image: its full scale is 255 of them. */
export function* unitOf({ planes, peak }: Pick<Image, 'planes' | 'peak'>): Work<number> {
  let unit = Math.max(peak / FULL_SCALE, LEAST_UNIT);
  for (const plane of planes) unit = Math.max(unit, (yield* largestOf(plane)) / MOST_UNITS);
  return unit;
}

/** The planes of an image in units of the loop; RGB becomes luma and two chromas. */
export function* loopPlanes(planes: readonly Samples[], unit: number): Work<Plane[]> {
  const scaled: Plane[] = [];
  for (const plane of planes) scaled.push(yield* mapped(plane, (value) => value / unit));
  return (yield* decorrelation(scaled)) as Plane[];
}

/** The inverse of {@link loopPlanes}; the planes are overwritten. */
export function* imagePlanes(planes: readonly Plane[], unit: number): Work<Plane[]> {
  const mixed = (yield* recorrelation(planes, planes)) as Plane[];
  for (const plane of mixed) for (let i = 0; i < plane.length; i++) plane[i] *= unit;
  return mixed;
}

/** What is restored: the data, how the loop starts, and the task whose recipe is followed. */
export interface Restorable {
  readonly task: RestorationTask;
  readonly operator: Operator;
  /** The data, in units of the loop. */
  readonly planes: readonly Plane[];
  /** The first estimate of a plane. */
  readonly start: (plane: Plane, c: number) => Work<Plane>;
  /** The deviation of the noise of the data, in units of the image. */
  readonly sigma: number;
  /** The deviations of the first and the last step, in units of the loop; never below that of the noise. */
  readonly first: number;
  readonly last: number;
}

/** The engine of a restoration whose prior was given. */
const OWN: EngineInfo = { name: 'own', threads: 1 };

/** The share of the progress that the start takes. */
const START_SHARE = 0.05;

/** Restores planes. The history is in units of the loop times `unit`. */
export async function restorePlanes(
  { task, operator, planes, start, ...given }: Restorable,
  unit: number,
  { quality, prior: own, engine, threads, signal, onProgress }: RestoreSettings,
): Promise<{ readonly planes: Plane[]; readonly history: readonly RestorationEntry[]; readonly engine: EngineInfo }> {
  const { prior: name, steps } = restorationRecipes[task][quality];
  const size = { ...operator.picture, channels: planes.length };
  // Loaded once for all steps, so that its memory is made once.
  const loaded = own ? undefined : await recipeFor(priors[name], size, { engine, threads });
  const denoiser = own ?? (loaded as Denoiser);
  let step = 0;
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction, step, steps })));
  const first: Plane[] = [];
  for (const [c, plane] of planes.entries()) {
    const [from, to] = [c, c + 1].map((done) => (START_SHARE * done) / planes.length);
    first.push(await drive(part(start(plane, c), from, to), { signal, onFraction }));
  }
  step = 1;
  const prior: Prior = async (noisy, sigma, watch) => {
    const { width, height } = operator.picture;
    const noise = { sigma: noisy.map(() => sigma) };
    const tell = watch?.onFraction;
    const outcome = await denoiseBy(denoiser, noisy, width, height, noise, {
      signal,
      onProgress: tell && (({ fraction }) => tell(fraction)),
    });
    return outcome.planes;
  };
  const within = onFraction && ((fraction: number) => onFraction(START_SHARE + (1 - START_SHARE) * fraction));
  const outcome = await restoration(operator, planes, first, prior, scheduleOf(given, unit, steps), {
    signal,
    onFraction: within,
    onStep: ({ k }) => {
      step = Math.min(k + 1, steps);
    },
  });
  const history = outcome.history.map((entry) => ({ ...entry, sigma: unit * entry.sigma, gap: unit * entry.gap }));
  onProgress?.({ fraction: 1, step: steps, steps });
  return { planes: outcome.planes, history, engine: loaded?.info ?? OWN };
}

function scheduleOf({ sigma, first, last }: Pick<Restorable, 'sigma' | 'first' | 'last'>, unit: number, steps: number) {
  const noise = Math.min(sigma / unit, MOST_UNITS);
  const end = Math.max(last, noise);
  return { sigma: noise, first: Math.max(first, end), last: end, steps } satisfies Schedule;
}
