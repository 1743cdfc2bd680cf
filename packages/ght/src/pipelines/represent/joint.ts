/** Represents a set of images under one budget: the plan, with every image as one of its pictures. */

import type { EngineInfo } from '../../engines/engine.js';
import { InputError } from '../../errors.js';
import { isColour } from '../../image/colour.js';
import { checkShape, type Image } from '../../image/image.js';
import type { PatchGrid } from '../../image/patches.js';
import { allOf, cut, type Rectangle } from '../../image/rectangle.js';
import { atomsPerPatch, type Codes } from '../../sparse/codes/codes.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import { drive } from '../../work.js';
import type { Scratch } from '../plan.js';
import { runHere } from '../run.js';
import type { RepresentContext, WholeRepresentation } from './context.js';
import { type RepresentOptions, resolveRepresentOptions } from './options.js';
import { rebuiltPlanes } from './picture.js';
import { type RepresentResult, representPlan, type Share, scan } from './plan.js';
import { imageProblem } from './problem.js';
import { codesOf } from './runs.js';
import { sumOverPlanes } from './whole.js';

/** Images that are loaded when they are needed, one at a time: a set that is larger than memory. */
export interface ImageSet {
  /** The number of images. */
  readonly length: number;
  /** Loads image k, counted from 0. It is asked for several times, and must be the same each time. */
  image(k: number): Image | Promise<Image>;
}

/** One image of a set, and what it got of the budget. */
export interface JointImage extends Share {
  /** The image that the codes represent, in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** Its codes, plane after plane. */
  readonly codes: Codes;
  /** Where the patches of each plane lie. */
  readonly grid: PatchGrid;
  /** The dictionary D of the codes, the same for all images. */
  readonly dictionary: Dictionary;
  /** Atoms used at each position of the grid, summed over all planes. */
  readonly atomsPerPatch: Int32Array;
}

/** The representation of a set of images under one budget: what the whole set and each image got, and the images as a stream. */
export interface JointRepresentation extends RepresentResult {
  /** The dictionary D of the codes. */
  readonly dictionary: Dictionary;
  /** The engine that computed the codes, and why it was chosen; absent for images that were loaded one at a time. */
  readonly engine?: EngineInfo;
  /** The represented images, one after the other, each made when it is asked for. May be called again. */
  results(): AsyncGenerator<JointImage>;
}

/** The side of a square with as many pixels as a run of patches is worked on at once. */
const SIDE = 2048;

/** Represents images that are in memory, or are loaded one at a time. */
export async function representSet(
  given: readonly Image[] | ImageSet,
  options: RepresentOptions,
  side = SIDE,
): Promise<JointRepresentation> {
  const { signal, onProgress } = resolveRepresentOptions(options);
  const set = 'image' in given ? keepingLatest(given) : { length: given.length, image: (k: number) => given[k] };
  if (!(Number.isInteger(set.length) && set.length > 0)) {
    throw new InputError('images', 'must be at least one image', set.length, 'give a list of images');
  }
  const whole: WholeRepresentation | undefined = 'image' in given ? undefined : { axes: [] };
  const images: RepresentContext['images'][number][] = [];
  let [peak, most] = [0, 0];
  for (let k = 0; k < set.length; k++) {
    signal?.throwIfAborted();
    const image = await set.image(k);
    peak ||= image?.peak;
    checkMember(image, k, peak);
    const { width, height, planes } = image;
    const colour = isColour(planes.length, options.channels);
    // What is in memory is scanned by the plan, which keeps its axes.
    if (!whole)
      most = Math.max(
        most,
        (await drive(scan(planes, allOf(image), { isWhole: true, colour, name: `images[${k}]` }), { signal })).most,
      );
    const read = async (at: Rectangle) => (await set.image(k)).planes.map((plane) => cut(plane, allOf(image), at));
    const output = { write: async () => {}, finish: async () => {} };
    images.push({ image: { width, height, read }, planes: planes.length, output });
  }
  const context: RepresentContext = {
    ...{ images, options, whole, scratch: keptScratch(), peakOf: () => peak },
    ...(whole ? {} : { range: Float64Array.of(peak, most), parts: { side } }),
  };
  const { images: shares, ...result } = await runHere(representPlan, context, {
    signal,
    // The solver reports on what is in memory, as for one image.
    onProgress: whole ? undefined : onProgress && (({ fraction }) => onProgress({ fraction })),
  });
  const { solution } = whole ?? {};
  whole?.axes.splice(0);
  const problem = whole?.problem ?? imageProblem(images, options, peak, most);
  const { dictionary } = problem;
  const read = codesOf(context, problem, { part: 0, argument: { range: Float64Array.of(peak, most) }, signal });
  async function* results() {
    for (const [k, patches] of problem.images.entries()) {
      const { grid, planes, first } = patches;
      const codes = await read(first, grid.count * planes);
      const image = {
        ...(await set.image(k)),
        planes: await drive(rebuiltPlanes(dictionary, codes, patches), { signal }),
      };
      const own = { image, codes, grid, dictionary };
      yield { ...shares[k], ...own, atomsPerPatch: sumOverPlanes(atomsPerPatch(codes), grid.count) };
    }
  }
  return { ...result, engine: solution?.engine, images: shares, dictionary, results };
}

/** Refuses an image that cannot share a budget with the others. */
function checkMember(image: Image, k: number, peak: number): void {
  const name = `images[${k}]`;
  checkShape(image, name);
  if (image.peak === peak) return;
  const remedy = 'bring all images to one full scale, or represent them one by one';
  throw new InputError(`${name}.peak`, `must be that of the images before it, ${peak}`, image.peak, remedy);
}

/** A set that keeps the image that was loaded last: every pass goes through the images in order, often in several steps. */
function keepingLatest(set: ImageSet): ImageSet {
  let latest: { readonly k: number; readonly image: Promise<Image> } | undefined;
  return {
    length: set.length,
    image: (k) => {
      if (latest?.k !== k) latest = { k, image: (async () => set.image(k))() };
      return latest.image;
    },
  };
}

/** What runs of patches have followed, and their codes, in memory. The codes stay there for the results. */
function keptScratch(): Scratch {
  const values = new Map<string, unknown>();
  return {
    get: async (key) => values.get(key),
    put: async (key, value) => {
      values.set(key, value);
    },
    clear: async () => {},
  };
}
