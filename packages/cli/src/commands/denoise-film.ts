/**
 * Denoises Y4M films, frame by frame through files and pipes. Each plane is a series of grey pages of its own size, so that nothing is
 * converted or resampled: the noise of a plane is as it was recorded, and what is not noise comes out as it came in.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type DenoisedPage, type DenoiseOptions, describe, type Image, OptionError, type SeriesOptions } from 'ght';
import { frameBytes, readY4m, writeY4mFrame, type Y4mFrame, type Y4mHeader } from 'ght-images';
import { writeFileBy } from 'ght-images/node';
import type { Context } from '../context.js';
import { silent } from '../flags.js';
import { checkOutput, isStream, refuseOverwritingFiles } from '../io/index.js';
import { writeStandardOutput } from '../io/standard-output.js';
import { progressDisplay } from '../output/progress.js';
import { engineText, pictureLine } from '../output/summary.js';
import { count, facts } from '../output/table.js';
import type { DenoiseFlags } from './denoise-flags.js';
import { denoiseSummary } from './denoise-groups.js';
import { denoisePlanes, optionsOfPlane } from './planes-apart.js';
import { refuseWithStacks } from './stack-output.js';

/** The extension of films. */
const FILM = '.y4m';

/** Denoises a film and writes the result. */
export async function denoiseFilm(
  path: string,
  flags: DenoiseFlags,
  options: DenoiseOptions,
  given: Context,
): Promise<void> {
  refuseWithFilms(flags);
  const { output } = flags;
  const context = isStream(output) ? { ...given, print: given.note } : given;
  if (!isStream(output)) await checkOutput(output, [FILM], '-o');
  await refuseOverwritingFiles([{ path, parameter: 'IMAGE' }], [{ path: output, parameter: '-o' }]);
  const display = progressDisplay('denoise', silent(flags));
  const start = performance.now();
  const bytes = isStream(path) ? process.stdin : createReadStream(path);
  const stop = () => bytes.destroy();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const { header, frames } = await readY4m(bytes, isStream(path) ? 'standard input' : path, 'IMAGE');
    const film = new Film(header, frames, flags, options, context.signal);
    const total = isStream(path) ? Number.NaN : (await stat(path)).size / frameBytes(header);
    const onFrame = (done: number) =>
      display.onProgress({ fraction: Math.min(1, done / total), doing: `frame ${count(done)}` });
    if (isStream(output)) {
      await film.denoise(writeStandardOutput, onFrame, () => !process.stdout.writable);
    } else {
      await writeFileBy(output, (file) => film.denoise(async (piece) => file.appendFile(piece), onFrame), '-o');
    }
    display.stop();
    const seconds = (performance.now() - start) / 1000;
    context.print(flags.json ? JSON.stringify({ ...film.summary(), seconds }) : film.text(path, output, seconds));
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  } finally {
    context.signal.removeEventListener('abort', stop);
    bytes.destroy();
    display.stop();
  }
}

/** Flags that films do not have are refused, not ignored. */
function refuseWithFilms(flags: DenoiseFlags): void {
  refuseWithStacks(flags, 'film');
  const { pages, axes, peak, reference, format, float, seriesAxis, jpegQuality, noiseModel, json, output } = flags;
  const others = {
    ...{
      '--pages': pages,
      '--axes': axes,
      '--peak': peak,
      '--reference': reference,
      '--format': format,
      '--float': float,
    },
    ...{ '--series-axis': seriesAxis, '--jpeg-quality': jpegQuality, '--noise-model': noiseModel },
  };
  for (const [flag, value] of Object.entries(others)) {
    if (value !== undefined) throw new OptionError(flag, 'must be left out for a film', value, 'remove it');
  }
  if (json && isStream(output)) {
    throw new OptionError('--json', 'must be left out with -o -', true, 'both are standard output; write to a file');
  }
}

const planeNames = ['luma', 'blue difference', 'red difference'];

/** A film that is being denoised: a series for each plane, all at the same frame. */
class Film {
  readonly #header: Y4mHeader;
  readonly #frames: AsyncIterable<Y4mFrame>;
  readonly #flags: DenoiseFlags;
  readonly #options: DenoiseOptions;
  readonly #signal: AbortSignal;
  /** The results of the last frame, without the planes. */
  #found: Omit<DenoisedPage, 'image'>[] = [];
  #written = 0;

  constructor(
    header: Y4mHeader,
    frames: AsyncIterable<Y4mFrame>,
    flags: DenoiseFlags,
    options: DenoiseOptions,
    signal: AbortSignal,
  ) {
    this.#header = header;
    this.#frames = frames;
    this.#flags = flags;
    this.#options = options;
    this.#signal = signal;
  }

  /** Denoises all frames, and writes each as soon as it is done, until `isClosed`. */
  async denoise(
    write: (bytes: Uint8Array) => Promise<void>,
    onFrame: (done: number) => void,
    isClosed = () => false,
  ): Promise<void> {
    const header = this.#header;
    const count = header.planes.length - Number(header.alpha);
    /** The frames that have been read and not yet written. */
    const frames: Y4mFrame[] = [];
    const pages = this.#pages(frames);
    await write(Buffer.from(`${header.line}\n`, 'latin1'));
    for await (const results of denoisePlanes(pages, count, (plane) => this.#optionsOf(plane))) {
      const [frame] = frames.splice(0, 1);
      const planes = [...results.map(({ image }) => image.planes[0]), ...frame.planes.slice(count)];
      await write(writeY4mFrame({ line: frame.line, planes }, header));
      this.#found = results.map(({ image: _, ...result }) => result);
      this.#written++;
      onFrame(this.#written);
      if (isClosed()) return;
    }
  }

  /** The planes of each frame as pages. */
  async *#pages(read: Y4mFrame[]): AsyncGenerator<readonly Image[], void> {
    const { planes, depth } = this.#header;
    for await (const frame of this.#frames) {
      read.push(frame);
      yield frame.planes.map((plane, i) => ({ ...planes[i], planes: [plane], peak: 2 ** depth - 1 }));
    }
  }

  /** The planes of colours have a strength of their own. */
  #optionsOf(plane: number): SeriesOptions {
    const { strength = 1, strengthChroma = 1, ...others } = optionsOfPlane(this.#options, plane);
    const own = plane === 0 ? strength : strength * strengthChroma;
    return { ...others, strength: own, series: this.#flags.series, signal: this.#signal };
  }

  summary(): object {
    const { width, height, depth, sampling, rate } = this.#header;
    const planes = this.#found.map((result) => ({ ...denoiseSummary(result), series: result.series ?? null }));
    const film = { width, height, depth, sampling, rate: rate ?? null, frames: this.#written };
    return { task: 'denoise', method: 'groups', engine: this.#found[0]?.engine ?? null, film, planes };
  }

  text(path: string, output: string, seconds: number): string {
    const { width, height, depth, sampling, planes } = this.#header;
    const [luma] = this.#found;
    return `${pictureLine(path, { width, height, channels: planes.length, depth: depth as 8, sample: 'uint' })}\n${facts(
      [
        ['film', `${count(this.#written)} frames, ${sampling}`],
        ...this.#found.map((result, plane) => [planeNames[plane], describe(result).join('; ')] as const),
        ['time', `${seconds.toFixed(2)} s${luma ? ` on ${engineText(luma.engine)}` : ''}`],
        ['wrote', output],
      ],
    )}`;
  }
}
