/** Noise models as files: `ght diagnose -o` writes them, `ght denoise --noise-model` reads them. */
import { readFile, stat } from 'node:fs/promises';
import { type DenoiseOptions, type Diagnosis, InputError, type NoiseModel } from 'ght';
import { type CameraSettings, type NoiseModelFile, saveNoiseModel } from 'ght/npy';
import { type ImageFile, writeFileAtomically } from '../io/index.js';

/** The extensions of noise models. */
export const modelExtensions = ['.json'] as const;

/** The most bytes of a file: more than any model has. */
const MOST_BYTES = 2 ** 26;

/** Reads a noise model. Its fields are checked where it is used. */
export async function readNoiseModel(path: string, parameter = '--noise-model'): Promise<NoiseModelFile> {
  const place = await stat(path).catch((cause: unknown) => {
    throw new InputError(parameter, 'must be an existing file', path, 'check the path', { cause });
  });
  const remedy = 'make one with ght diagnose -o camera.json';
  if (!place.isFile() || place.size > MOST_BYTES) {
    throw new InputError(parameter, `must be a file of at most ${MOST_BYTES / 2 ** 20} MiB`, path, remedy);
  }
  const text = await readFile(path, 'utf8');
  try {
    const model = JSON.parse(text);
    if (typeof model === 'object' && model !== null && 'format' in model) return model;
  } catch (cause) {
    throw new InputError(parameter, 'must be JSON', path, remedy, { cause });
  }
  throw new InputError(parameter, 'must be a noise model with a format and a version', path, remedy);
}

/** Writes the noise of images with these units as a model. */
export async function writeNoiseModel(path: string, diagnosis: Diagnosis, about: Units & ModelFacts): Promise<void> {
  const { peak, images, camera } = about;
  const text = saveNoiseModel(diagnosis, { peak, images, camera });
  await writeFileAtomically(path, new TextEncoder().encode(text), '-o');
}

/** The images that a model was measured on. */
interface ModelFacts {
  readonly images: number;
  readonly camera?: CameraSettings;
}

/** The full scale of samples; undefined for samples whose range alone is known. */
interface Units {
  readonly peak: number | undefined;
}

/** The full scale of a file, as the depth of its samples or `--peak` says; undefined for floats and other samples of any range. */
export function unitsOf(file: ImageFile, peak: number | undefined): Units {
  return { peak: hasWhiteLevel(file, peak) ? file.image.peak : undefined };
}

function hasWhiteLevel({ sample, depth }: Pick<ImageFile, 'sample' | 'depth'>, peak: number | undefined): boolean {
  return peak !== undefined || (sample === 'uint' && depth <= 16);
}

/** Refuses an image with other planes than those of the model, or with units that cannot be compared with its units. */
export function checkModelFits(
  { noise }: Pick<DenoiseOptions, 'noise'>,
  planes: number,
  samples: Pick<ImageFile, 'sample' | 'depth'>,
  peak: number | undefined,
): void {
  if (typeof noise !== 'object' || !('format' in noise)) return;
  if (planes !== noise.planes) {
    const rule = `must have ${noise.planes} ${noise.planes === 1 ? 'plane' : 'planes'}, as the images of --noise-model`;
    throw new InputError('IMAGE', rule, planes, 'measure the noise of grey and of colour images separately');
  }
  if (hasWhiteLevel(samples, peak) === (noise.peak !== undefined)) return;
  const rule =
    noise.peak === undefined
      ? 'must have floats, as the images of --noise-model'
      : `must have a known white level to be compared with that of --noise-model, ${noise.peak}`;
  const remedy = 'give the white level with --peak, here and to ght diagnose';
  throw new InputError('IMAGE', rule, `${samples.depth}-bit ${samples.sample}`, remedy);
}

/** A noise model for JSON: lists instead of typed arrays. */
export function plainNoise(noise: NoiseModel): object {
  if (noise.kind !== 'coloured') return noise;
  return { ...noise, deviations: noise.deviations.map((rows) => rows.map((row) => [...row])) };
}
