/** What the passes of a restoration work on. */
import type { Image, Samples } from '../../image/image.js';
import { allOf, cut, type Rectangle, type Size } from '../../image/rectangle.js';
import { drive, type Watch } from '../../work.js';
import type { DenoiserCache, TileDivision } from '../denoise/context.js';
import type { Findings } from './findings.js';
import type { RestoreSettings } from './options.js';
import { findingsOf, type OpenProblem, type RestorationProblem } from './problem.js';

/** An image that is restored, where its planes are kept between passes, and where the result goes. */
export interface RestoreContext {
  readonly problem: RestorationProblem;
  /** Reads the image, and finds out what is not given. */
  find(watch: Watch): Promise<Findings>;
  /** The problem that the image poses, with what was found. It is kept for the next part. */
  open(found: Findings, signal?: AbortSignal): Promise<OpenProblem>;
  /** Frees image and problem, before a pass that needs the memory for tiles. Absent for an image that is in memory. */
  close?(): void;
  readonly settings: RestoreSettings;
  /** How the prior divides the picture. Undefined for one part, whose tiles are those that fit in memory. */
  readonly tiles?: TileDivision;
  readonly planes: PlaneStore;
  readonly denoisers: DenoiserCache;
  /** Called at the beginning of each step with its number, from 1. */
  readonly onStep?: (k: number) => void;
  /** Writes the restored image. */
  write(image: Image, signal?: AbortSignal): Promise<void>;
}

/** Keeps planes of the picture that the loop works on between passes, by name. They are written as a whole or in whole chunks. */
export interface PlaneStore {
  write(name: string, at: Rectangle, plane: Samples): Promise<void>;
  /** The samples of a rectangle. */
  read(name: string, at: Rectangle, picture: Size): Promise<Samples>;
  /** The samples of the whole plane, which no later pass needs. */
  take(name: string, picture: Size): Promise<Samples>;
  /** Frees what planes take, once the pass that took them has answered. */
  release(names: readonly string[], picture: Size): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** Planes in memory, passed by reference. */
export function memoryPlanes(): PlaneStore {
  const planes = new Map<string, Samples>();
  const planeOf = (name: string) => {
    const plane = planes.get(name);
    if (!plane) throw new Error(`there is no plane ${name}`);
    return plane;
  };
  return {
    async write(name, _, plane) {
      planes.set(name, plane);
    },
    async read(name, at, picture) {
      return cut(planeOf(name), allOf(picture), at);
    },
    async take(name) {
      const plane = planeOf(name);
      planes.delete(name);
      return plane;
    },
    async release(names) {
      for (const name of names) planes.delete(name);
    },
    async clear() {
      planes.clear();
    },
  };
}

/** Opens a problem for an image in memory, once. */
export function openOnce(
  problem: RestorationProblem,
  given: Image,
  settings: RestoreSettings,
  planes: PlaneStore,
): Pick<RestoreContext, 'find' | 'open'> {
  let opened: OpenProblem | undefined;
  return {
    find: (watch) => findAndKeep(problem, given, settings, planes, watch),
    async open(found, signal) {
      opened ??= await drive(problem.open(await withoutNoise(given, found, planes), found), { signal });
      return opened;
    },
  };
}

/** The name of a plane of the image without the noise that was removed first. */
const denoisedName = (c: number) => `denoised-${c}`;

/** Finds out what is not given. Planes without the noise that was removed are kept for the passes that follow. */
export async function findAndKeep(
  problem: RestorationProblem,
  image: Image,
  settings: RestoreSettings,
  store: PlaneStore,
  watch: Watch,
): Promise<Findings> {
  const { found, denoised = [] } = await findingsOf(problem, image, settings, watch);
  for (const [c, plane] of denoised.entries()) {
    await store.write(denoisedName(c), allOf(image), Float64Array.from(plane));
  }
  return found;
}

/** An image without the noise that was removed first, as {@link findAndKeep} has kept it. */
export async function withoutNoise(image: Image, { noise }: Findings, store: PlaneStore): Promise<Image> {
  if (!noise) return image;
  const planes: Samples[] = [];
  for (const c of image.planes.keys()) planes.push(await store.read(denoisedName(c), allOf(image), image));
  return { ...image, planes };
}
