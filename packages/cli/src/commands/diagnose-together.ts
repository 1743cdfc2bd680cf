/** The noise that several images of one camera have in common, as a model. */
import { diagnose, InputError, isGhtError, OptionError } from 'ght';
import type { Camera } from 'ght-images';
import { readHeader } from 'ght-images/node';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { readChosen } from '../input-flags.js';
import { type Found, skippedMessage } from '../io/batch.js';
import type { ImageFile } from '../io/index.js';
import { oneLine, say } from '../output/line.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { facts } from '../output/table.js';
import { checkWritten, type DiagnoseFlags, factsOf, isEmpty, noiseSummary, soughtBy } from './diagnosed.js';
import { unitsOf, writeNoiseModel } from './noise-model.js';
import { type Failure, sayFailed } from './several.js';
import { cameraName, LEAST_SIDE } from './shared-noise.js';

/** What is known about the images that were measured. */
interface Measured {
  images: number;
  /** The full scale and the number of planes of the first image, which all must have. */
  units?: { readonly peak: number; readonly planes: number };
  readonly cameras: Map<string, Camera>;
  readonly failed: Failure[];
}

/** Measures the noise of all images together, and writes it as a model. Images that cannot be read or are too small are reported. */
export async function diagnoseTogether(
  { files, skipped }: Found,
  output: string,
  flags: DiagnoseFlags,
  context: Context,
): Promise<void> {
  if (flags.plot !== undefined) {
    const rule = 'must be left out with -o for several images';
    throw new OptionError('--plot', rule, flags.plot, 'draw the noise of one image');
  }
  const inputs = files.map(({ input }) => input);
  await checkWritten(inputs, { output });
  const measured: Measured = { images: 0, cameras: new Map(), failed: [] };
  const display = progressDisplay('diagnose', silent(flags));
  const options = { ...soughtBy(flags), signal: context.signal };
  const read = imagesOf(inputs, flags, context, display.onProgress, measured);
  const diagnosis = await diagnose(read, options).finally(display.stop);
  const { images, cameras, failed } = measured;
  const peak = measured.units?.peak ?? 1;
  const [first] = cameras.values();
  const camera = cameras.size > 1 || isEmpty(first) ? undefined : first;
  await writeNoiseModel(output, diagnosis, { peak, images, camera });
  if (failed.length > 0) process.exitCode = 1;
  if (flags.json) {
    const found = { images, camera: camera ?? null, ...noiseSummary(peak, diagnosis) };
    context.print(JSON.stringify({ task: 'diagnose', ...found, output, failed, skipped }));
    return;
  }
  const rows: readonly [string, string][] = [...factsOf(peak, diagnosis), ['wrote', output]];
  context.print(`${images} images${camera ? ` of ${cameraName(camera)}` : ''}\n${facts(rows)}`);
  if (cameras.size > 1) say('the images are of several cameras, or have several settings: their noise may differ');
  const left = skippedMessage(skipped);
  if (left !== undefined) context.print(oneLine(left));
  sayFailed(failed);
}

/** The images one after the other, with the JPEG that each was. */
async function* imagesOf(
  inputs: readonly string[],
  flags: DiagnoseFlags,
  { signal, explain }: Context,
  onProgress: ProgressDisplay['onProgress'],
  measured: Measured,
): AsyncGenerator<Pick<ImageFile, 'image' | 'jpeg'>> {
  for (const [i, input] of inputs.entries()) {
    signal.throwIfAborted();
    onProgress({ fraction: i / inputs.length, doing: input });
    let file: ImageFile;
    try {
      file = await readChosen(input, flags);
      checkSide(file);
    } catch (error) {
      if (!isGhtError(error)) throw error;
      measured.failed.push({ input, kind: error.kind, error: explain(error) });
      continue;
    }
    measured.units ??= unitsFor(file, input, flags);
    checkSame(file, input, measured.units);
    const { camera = {} } = (await readHeader(input)) ?? {};
    measured.cameras.set(JSON.stringify(camera), camera);
    measured.images++;
    yield { image: file.image, jpeg: file.jpeg };
  }
}

function checkSide({ image: { width, height } }: ImageFile): void {
  if (Math.min(width, height) >= LEAST_SIDE) return;
  const rule = `must have at least ${LEAST_SIDE}×${LEAST_SIDE} pixels to be one of several`;
  throw new InputError('IMAGE', rule, `${width}×${height}`, 'leave it out');
}

/** The full scale and the planes of the first image. That of floats is not known, and would differ from file to file. */
function unitsFor(file: ImageFile, input: string, flags: DiagnoseFlags): NonNullable<Measured['units']> {
  const { peak } = unitsOf(file, flags.peak);
  if (peak !== undefined) return { peak, planes: file.image.planes.length };
  const rule = 'must have a known white level to be one of several';
  throw new InputError('IMAGE', rule, input, 'give the white level with --peak');
}

function checkSame({ image: { peak, planes } }: ImageFile, input: string, first: NonNullable<Measured['units']>): void {
  if (planes.length === first.planes && peak === first.peak) return;
  const rule = `must have ${first.planes} planes with white at ${first.peak}, as the first image`;
  const value = `${planes.length} with ${peak} in ${input}`;
  throw new InputError('IMAGE', rule, value, 'give grey and colour images, and those of 8 and 16 bits, separately');
}
