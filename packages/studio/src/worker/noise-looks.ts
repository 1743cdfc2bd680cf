import type { ColouredNoise, Denoised } from 'ght';

/** Levels whose ratio is below this look alike. */
const ALIKE = 1.3;

/** What `noiseLooks` needs to know about noise. */
export type NoiseFound = Pick<Denoised, 'noise' | 'levels' | 'jpeg'>;

/** What the noise looks like, for people who do not know its model. The library's `describe` gives the numbers. */
export function noiseLooks({ noise, levels, jpeg }: NoiseFound): string[] {
  if (noise.kind === 'signal-dependent') return ['The noise grows with brightness.'];
  if (noise.kind === 'coloured') return [...grainLooks(levels), ...brightnessLooks(noise), ...jpegLooks(jpeg)];
  return noise.sigma.some((sigma) => sigma > 0) ? ['Fine grain, equally strong everywhere.'] : [];
}

/** The levels of the first plane are of the noise alone; the spectrum of the model also contains the steps of a JPEG. */
function grainLooks(levels: NoiseFound['levels']): string[] {
  if (!levels) return [];
  const [{ middle, finest }] = levels;
  if (middle === 0 && finest === 0) return [];
  return middle > ALIKE * finest
    ? ['Coarse grain: neighbouring pixels share their noise.']
    : ['Fine grain, pixel by pixel.'];
}

function brightnessLooks({ deviations: [luma] }: ColouredNoise): string[] {
  const level = (row: Float64Array) => Math.sqrt(row.reduce((sum, each) => sum + each ** 2, 0));
  const [dark, bright] = [level(luma[0]), level(luma[luma.length - 1])];
  if (bright > ALIKE * dark) return ['It grows with brightness.'];
  return dark > ALIKE * bright ? ['It is strongest in the dark parts.'] : [];
}

function jpegLooks(jpeg: NoiseFound['jpeg']): string[] {
  return jpeg ? ['Traces of JPEG compression are removed too.'] : [];
}
