import type { ColouredNoise, Denoised } from 'ght';

/** Levels whose ratio is below this look alike. */
const ALIKE = 1.3;
/** Levels of which one hides the other. */
const MOSTLY = 1.6;
/** Below these deviations, on a scale of 255, noise is faint, or moderate. */
const [FAINT, MODERATE] = [3, 9];
/** The sum of the steps of a JPEG of quality 50, for luma. */
const USUAL_STEPS = 3688;

/** What `noiseLooks` needs to know about noise. */
export type NoiseFound = Pick<Denoised, 'noise' | 'levels' | 'jpeg'>;

/** What the noise looks like, for people who do not know its model. The library's `describe` gives the numbers. */
export function noiseLooks(found: NoiseFound, peak: number): string[] {
  const { noise, jpeg } = found;
  const brightness = noise.kind === 'signal-dependent' ? ['It grows with brightness.'] : [];
  return [
    ...grainLooks(found, 255 / peak),
    ...(noise.kind === 'coloured' ? brightnessLooks(noise) : brightness),
    ...(jpeg ? [`JPEG of quality ${jpegQuality(jpeg.luma)}.`] : []),
  ];
}

/** How strong the noise is, how large its grains are, and where it is strongest. */
function grainLooks({ noise, levels }: NoiseFound, scale: number): string[] {
  // The levels are of the noise alone; the spectrum of a model also contains the steps of a JPEG.
  const planes =
    noise.kind === 'coloured'
      ? levels?.map(({ middle }) => middle)
      : noise.kind === 'white'
        ? noise.sigma
        : noise.planes.map(({ gain, sigma, offset }) =>
            Math.sqrt(sigma ** 2 + gain * Math.max(0, 128 / scale - offset)),
          );
  if (!planes) return [];
  const size = Math.max(...planes) * scale;
  if (!(size > 0)) return [];
  const strength = size < FAINT ? 'Faint' : size < MODERATE ? 'Moderate' : 'Strong';
  const coarse =
    levels && levels[0].middle > ALIKE * levels[0].finest ? ' coarse' : noise.kind === 'coloured' ? ' fine' : '';
  return [`${strength}${coarse} grain${noise.kind === 'coloured' ? colourLooks(planes) : ''}.`];
}

/** The planes of RGB are luma and two chromas. */
function colourLooks(planes: readonly number[]): string {
  if (planes.length !== 3) return '';
  const [luma, ...chromas] = planes;
  const chroma = Math.max(...chromas);
  if (luma > MOSTLY * chroma) return ', mostly in brightness';
  return chroma > MOSTLY * luma ? ', mostly in colour' : ', in brightness and colour';
}

function brightnessLooks({ deviations: [luma] }: ColouredNoise): string[] {
  const level = (row: Float64Array) => Math.sqrt(row.reduce((sum, each) => sum + each ** 2, 0));
  const [dark, bright] = [level(luma[0]), level(luma[luma.length - 1])];
  if (bright > ALIKE * dark) return ['It grows with brightness.'];
  return dark > ALIKE * bright ? ['It is strongest in the dark parts.'] : [];
}

/** The quality, from 1 to 100, whose standard steps are as large as these on average. */
function jpegQuality(luma: ArrayLike<number>): number {
  const scale = (100 * Array.from(luma).reduce((a, b) => a + b, 0)) / USUAL_STEPS;
  const quality = scale <= 100 ? (200 - scale) / 2 : 5000 / scale;
  return Math.round(Math.min(100, Math.max(1, quality)));
}
