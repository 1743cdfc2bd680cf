/** Describes the noise of an image in one or two sentences, with numbers in the units of the image. */
import type { NoiseModel } from './model.js';
import type { PlaneSpectrum } from './spectrum.js';

/** A level below this share of the largest is a rounding error, and is written as 0. */
const NEGLIGIBLE = 1e-6;

type Level = Pick<PlaneSpectrum, 'middle' | 'finest' | 'trust'>;

/** Describes noise that was given, or noise of a kind that has few parameters. */
export function toldInWords(noise: NoiseModel): string {
  if (noise.kind === 'white') return `noise: white, σ = ${distinct(noise.sigma.map(inDigits)).join(', ')}`;
  if (noise.kind === 'coloured') return 'noise: coloured, with the given spectrum';
  const planes = noise.planes.map(({ gain, sigma, offset }) => {
    return `gain ${inDigits(gain)}, σ = ${inDigits(sigma)} without signal, offset ${inDigits(offset)}`;
  });
  return `noise: grows with the signal; ${distinct(planes).join('; ')}`;
}

/** Describes coloured noise by its levels at middle and finest frequencies, and a JPEG by its quality, if that is known. */
export function colouredInWords(planes: readonly Level[], jpeg?: { readonly quality?: number }): string {
  const parts = [levels(planes)];
  if (jpeg) {
    const quality = jpeg.quality === undefined ? '' : ` of quality about ${Math.round(jpeg.quality)}`;
    parts.push(`JPEG steps${quality} counted in`);
  }
  const words = `noise: coloured; ${parts.join('; ')}`;
  return planes[0].trust < 1 ? `${words}. No flat area found: the estimate is uncertain and kept low` : words;
}

function levels(planes: readonly Level[]): string {
  const largest = Math.max(...planes.flatMap(({ middle, finest }) => [middle, finest]));
  const shown = (level: number) => (level < NEGLIGIBLE * largest ? 0 : level);
  const at = (list: readonly Level[]) => {
    const middle = range(list.map(({ middle }) => shown(middle)));
    const finest = range(list.map(({ finest }) => shown(finest)));
    return `${middle} at middle and ${finest} at finest frequencies`;
  };
  if (planes.length !== 3) return at(planes);
  const [luma, ...chromas] = planes;
  const chroma = Math.sqrt(chromas.reduce((sum, { middle }) => sum + middle ** 2, 0) / chromas.length);
  return `luma ${at([luma])}, chroma ${inDigits(shown(chroma))}`;
}

/** The smallest to the largest value, or one number if both have the same digits. */
function range(values: readonly number[]): string {
  return distinct([Math.min(...values), Math.max(...values)].map(inDigits)).join(' to ');
}

function distinct(words: readonly string[]): readonly string[] {
  return words.every((word) => word === words[0]) ? words.slice(0, 1) : words;
}

/** Two or three significant digits, without an exponent from 0.000001 to 10²¹. */
function inDigits(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return String(Math.round(value));
  return value.toPrecision(value >= 9.95 ? 3 : 2);
}
