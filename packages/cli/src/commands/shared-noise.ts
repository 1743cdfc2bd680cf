/**
 * The noise that files share: those of one camera at one ISO, with the same size and processing. It is measured on all of them, since flat areas of one show
 * the noise of all. Files are read one after the other, and only windows of them are kept.
 */
import { type DenoiseOptions, type Diagnosis, diagnose, estimateMemory, isGhtError } from 'ght';
import type { Camera } from 'ght-images';
import { type ImageHeader, readHeader } from 'ght-images/node';
import { readChosen } from '../input-flags.js';
import type { ImageFile } from '../io/index.js';
import { fitsInMemory } from '../memory-limit.js';
import type { DenoiseFlags } from './denoise-flags.js';

/** Noise that was measured on several files. */
export interface SharedNoise {
  readonly diagnosis: Diagnosis;
  /** How many files. */
  readonly files: number;
  readonly camera: Camera;
}

/** A group of files with the same noise. */
interface Group {
  readonly camera: Camera;
  readonly paths: string[];
  noise?: Promise<SharedNoise | undefined>;
}

/** Says how many of how many files have been read. */
type OnRead = (done: number, files: number) => void;
type Measure = (group: Group, onRead: OnRead) => Promise<SharedNoise | undefined>;

/** The shortest side of an image that is one of several: `diagnose` takes windows of this side. */
export const LEAST_SIDE = 128;

/** The flags that decide which files share their noise. */
type GroupFlags = Pick<DenoiseFlags, 'sameCamera' | 'peak' | 'quality'>;

/**
 * What files must agree in to share their noise, as text: camera, sensitivity, software, format, tables of a JPEG, depth, planes and
 * size, whichever way the camera was held. Undefined for a file that is denoised by itself.
 */
function groupKey(header: ImageHeader, { sameCamera, peak, quality }: GroupFlags): string | undefined {
  const { camera, format, sample, depth, planes, width, height, jpeg } = header;
  const { make = '', model = '', iso, software = '' } = camera;
  const known = make + model !== '' && iso !== undefined;
  if (!known && !sameCamera) return undefined;
  if (Math.min(width, height) < LEAST_SIDE) return undefined;
  // The full scale of floats is their range, which differs from file to file.
  if ((sample !== 'uint' || depth > 16) && peak === undefined) return undefined;
  if (!fitsInMemory(estimateMemory('denoise', { width, height, channels: planes }, { quality }))) return undefined;
  const sides = [width, height].toSorted((a, b) => a - b);
  const tables = jpeg && [Array.from(jpeg.luma), Array.from(jpeg.chroma ?? []), jpeg.subsampling];
  return JSON.stringify([make, model, iso, software, format, sample, depth, planes, sides, tables]);
}

/** The noise of files by camera. */
export class NoiseByCamera {
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #measure: Measure;

  private constructor(groups: ReadonlyMap<string, Group>, measure: Measure) {
    this.#groups = groups;
    this.#measure = measure;
  }

  /** Finds the groups from the headers of the files. */
  static async of(
    paths: readonly string[],
    flags: DenoiseFlags,
    options: DenoiseOptions,
    signal: AbortSignal,
  ): Promise<NoiseByCamera> {
    const [groups, byKey] = [new Map<string, Group>(), new Map<string, Group>()];
    for (const path of isMeasured(flags, options) ? paths : []) {
      signal.throwIfAborted();
      const header = await readHeader(path);
      const key = header && groupKey(header, flags);
      if (!header || key === undefined) continue;
      const group = byKey.get(key) ?? { camera: header.camera, paths: [] };
      group.paths.push(path);
      byKey.set(key, group);
      groups.set(path, group);
    }
    return new NoiseByCamera(groups, (group, onRead) => measured(group, flags, options, signal, onRead));
  }

  /**
   * The noise that a file shares with others; undefined if it is the only one of its camera. It is measured when it is first needed;
   * `onRead` is called before each of the files is read for that.
   */
  async sharedBy(path: string, onRead: OnRead): Promise<SharedNoise | undefined> {
    const group = this.#groups.get(path);
    if (!group || group.paths.length < 2) return undefined;
    group.noise ??= this.#measure(group, onRead);
    return group.noise;
  }
}

/** Whether the noise is measured and not given, and on one page of each file. */
function isMeasured({ separate, pages }: DenoiseFlags, { noise = 'auto', sigma = 'auto' }: DenoiseOptions): boolean {
  const isEstimated = sigma === 'auto' && (typeof noise === 'string' || isOffset(noise));
  return isEstimated && !separate && pages === undefined;
}

/** Whether only the offset of noise that grows with the signal is given. */
function isOffset(noise: Exclude<DenoiseOptions['noise'], string | undefined>): noise is { readonly offset: number } {
  return 'offset' in noise && !('gain' in noise && noise.gain !== undefined);
}

const kinds = { auto: 'auto', white: 'white', 'poisson-gaussian': 'signal-dependent' } as const;

/** Measures the noise of a group. A file that cannot be read is left out here, and has its error when it is denoised. */
async function measured(
  { camera, paths }: Group,
  flags: DenoiseFlags,
  { noise = 'auto', impulses, banding, missing }: DenoiseOptions,
  signal: AbortSignal,
  onRead: OnRead,
): Promise<SharedNoise | undefined> {
  let files = 0;
  const images = async function* () {
    for (const [i, path] of paths.entries()) {
      onRead(i, paths.length);
      const file = await readOrLeaveOut(path, flags);
      if (!file) continue;
      files++;
      yield { image: file.image, jpeg: file.jpeg };
    }
  };
  const sought =
    typeof noise === 'string'
      ? { kind: kinds[noise] }
      : { kind: 'signal-dependent' as const, offset: 'offset' in noise ? noise.offset : undefined };
  try {
    const diagnosis = await diagnose(images(), { ...sought, impulses, banding, missing, signal });
    return files < 2 ? undefined : { diagnosis, files, camera };
  } catch (error) {
    // What cannot be measured together is denoised file by file.
    if (isGhtError(error)) return undefined;
    throw error;
  }
}

async function readOrLeaveOut(path: string, flags: DenoiseFlags): Promise<ImageFile | undefined> {
  try {
    return await readChosen(path, flags);
  } catch (error) {
    if (isGhtError(error)) return undefined;
    throw error;
  }
}

/** `NIKON D750, ISO 3200`. */
export function cameraName({ make = '', model = '', iso }: Camera): string {
  const [first] = make.split(' ');
  const name = model.toLowerCase().startsWith(first.toLowerCase()) ? model : `${make} ${model}`.trim();
  const parts = [name || 'one camera', ...(iso === undefined ? [] : [`ISO ${iso}`])];
  return parts.join(', ');
}

/** Where the noise of a file is from: `measured on 12 files of NIKON D750, ISO 3200`. */
export function sharedText({ files, camera }: SharedNoise): string {
  return `measured on ${files} files of ${cameraName(camera)}`;
}
