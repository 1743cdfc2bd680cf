import { positive, wholeNumber } from '../errors.js';
import {
  type CameraSettings,
  MODEL_FORMAT,
  MODEL_VERSION,
  type NoiseModelFile,
  planesOf,
} from '../noise/given-model.js';
import type { Diagnosis } from '../pipelines/denoise/findings.js';

/**
 * A diagnosis as the JSON of a file, with a version and the units of its numbers. `denoise` takes the parsed JSON as the option `noise`, for
 * images with the same noise, and scales it if their peak is another one. Numbers keep all their digits.
 *
 * @param about `peak`: the full scale of the images, left out if the noise is not to be scaled for images with another one; `images`: how many there were, 1 by default; `camera`: what took them, if known
 *
 * @example
 * ```js
 * import { denoise, diagnose } from 'ght';
 * import { saveNoiseModel } from 'ght/npy';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const text = saveNoiseModel(await diagnose(image), image);
 * const result = await denoise(image, { noise: JSON.parse(text) });
 * ```
 */
export function saveNoiseModel(
  diagnosis: Diagnosis,
  about: { readonly peak?: number; readonly images?: number; readonly camera?: CameraSettings },
): string {
  const { peak, images = 1, camera } = about;
  const file: NoiseModelFile = {
    ...{ format: MODEL_FORMAT, version: MODEL_VERSION, units: 'samples' },
    ...(peak !== undefined && { peak: positive('peak', peak, 'give the full scale of the images, such as 255') }),
    planes: planesOf(diagnosis.model),
    images: wholeNumber('images', images, 1, Number.POSITIVE_INFINITY, 'give how many images were measured'),
    ...(camera && { camera }),
    ...diagnosis,
  };
  // A line per field, so that the file can be read and compared.
  const lines = Object.entries(file).flatMap(([name, value]) => {
    const text = JSON.stringify(value, (_, part) => (isTypedArray(part) ? Array.from(part) : part));
    return text === undefined ? [] : [`  ${JSON.stringify(name)}: ${text}`];
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function isTypedArray(value: unknown): value is ArrayLike<number> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}
