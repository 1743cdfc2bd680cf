import type { ColouredNoise, NoiseModel } from 'ght';

/** Levels whose ratio is below this look alike. */
const ALIKE = 1.3;

/** What the noise looks like in words for people who do not know its model; the numbers are in `words`, those of the library. */
export function noiseLooks(noise: NoiseModel, words: readonly string[]): string[] {
  if (noise.kind === 'signal-dependent') return ['The noise grows with brightness.'];
  if (noise.kind === 'coloured') return [...grainLooks(words), ...brightnessLooks(noise), ...jpegLooks(words)];
  return noise.sigma.some((sigma) => sigma > 0) ? ['Fine grain, equally strong everywhere.'] : [];
}

/** The words have the levels of the noise alone; the spectrum of the model also contains the steps of a JPEG. */
function grainLooks(words: readonly string[]): string[] {
  const levels = /([\d.]+)(?: to [\d.]+)? at middle and ([\d.]+)(?: to [\d.]+)? at finest/.exec(words.join(' '));
  if (!levels) return [];
  const [middle, finest] = [Number(levels[1]), Number(levels[2])];
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

function jpegLooks(words: readonly string[]): string[] {
  return words.some((sentence) => sentence.includes('JPEG')) ? ['Traces of JPEG compression are removed too.'] : [];
}
