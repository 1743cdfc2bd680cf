import { basename } from 'node:path';
import { type Diagnosis, describe } from 'ght';
import { rangeOf } from 'ght-images';
import { type ImageFile, loadSharp } from '../io/index.js';
import { oneLine } from './line.js';

/** The extensions of the files to which a plot can be written. */
export const plotExtensions: readonly string[] = ['.svg', '.png'];

/** Pixels of a PNG per unit of the drawing, so that its text is sharp on a high-resolution screen. */
const PNG_SCALE = 2;

/** The noise of a file as a drawing, in the format of one of `plotExtensions`. */
export async function noisePlot(
  extension: string,
  path: string,
  { image, sample, depth }: ImageFile,
  diagnosis: Diagnosis,
): Promise<Uint8Array> {
  // Loaded only here: plots take longer to load than most commands to run.
  const { drawNoise } = await import('ght-lab/draw/noise');
  const range = sample !== 'uint' || depth > 16 ? drawnRange(image.planes) : ([0, image.peak] as const);
  const description = describe(diagnosis).join('; ');
  const svg = Buffer.from(drawNoise({ title: oneLine(basename(path)), description, noise: diagnosis.model, range }));
  if (extension === '.svg') return svg;
  const sharp = await loadSharp();
  return sharp(svg, { density: 72 * PNG_SCALE })
    .png()
    .toBuffer();
}

/** The smallest and the largest sample; a constant image gets a range of nonzero length. */
function drawnRange(planes: ImageFile['image']['planes']): readonly [number, number] {
  const [least, most] = rangeOf(planes);
  return least < most ? [least, most] : [least, least + 1];
}
