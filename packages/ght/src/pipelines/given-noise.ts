/**
 * Refuses given noise that no picture can have: far above the samples and the peak, it is a mistake in the units, and would leave
 * nothing of the picture.
 */
import { OptionError } from '../errors.js';
import { inUnits } from '../noise/given-model.js';
import type { NoiseModel } from '../noise/model.js';
import type { ImageRange } from './denoise/findings.js';
import type { DenoiseSettings } from './denoise/options.js';

/** Given noise may be this many times as large as the larger of the peak and the largest sample. */
const MOST_TIMES = 1e9;

/** Checks one level of noise against the largest of the peak and all samples. */
export function checkLevel(parameter: string, level: number, largest: number): void {
  if (Math.abs(level) / MOST_TIMES <= largest) return;
  const rule = `must be at most ${MOST_TIMES} times the peak and the largest sample (${largest})`;
  throw new OptionError(parameter, rule, level, 'give it in the units of the image');
}

/** Checks the noise that is given for an image with these samples and this peak. */
export function checkGivenNoise(
  { given, estimate }: Pick<DenoiseSettings, 'given' | 'estimate'>,
  { least, most }: Pick<ImageRange, 'least' | 'most'>,
  peak: number,
): void {
  const largest = Math.max(Math.abs(least), Math.abs(most), peak);
  for (const [parameter, level] of given ? levelsOf(inUnits(given, peak).model) : [])
    checkLevel(parameter, level, largest);
  if (estimate.offset !== undefined) checkLevel('noise.offset', estimate.offset, largest);
}

function levelsOf(noise: NoiseModel): (readonly [string, number])[] {
  switch (noise.kind) {
    case 'white':
      return noise.sigma.map((sigma) => ['sigma', sigma]);
    case 'signal-dependent':
      return noise.planes.flatMap(({ gain, sigma, offset }) => [
        ['noise.gain', gain],
        ['noise.sigma', sigma],
        ['noise.offset', offset],
      ]);
    default:
      return noise.deviations.flatMap((rows) =>
        rows.flatMap((row) => Array.from(row, (each) => ['noise.spectrum', each] as const)),
      );
  }
}
