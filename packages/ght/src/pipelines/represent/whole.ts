import { checkShape, type Image, type Samples } from '../../image/image.js';
import type { PatchGrid } from '../../image/patches.js';
import { allOf, cut, type Rectangle } from '../../image/rectangle.js';
import { atomsPerPatch } from '../../sparse/codes/codes.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import { runHere } from '../run.js';
import type { Solution } from '../solve/solve.js';
import type { WholeRepresentation } from './context.js';
import { type RepresentOptions, resolveRepresentOptions } from './options.js';
import { representPlan } from './plan.js';

/** The representation of an image under one global budget. */
export interface Representation extends Solution {
  /** The image that the codes represent, in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** The dictionary D of the codes. */
  readonly dictionary: Dictionary;
  /** Where the patches of each plane lie; the codes hold plane after plane. */
  readonly grid: PatchGrid;
  /** The number of patches in all planes: the columns of the codes. */
  readonly patches: number;
  /** Atoms used at each position of the grid, summed over all planes. */
  readonly atomsPerPatch: Int32Array;
  /** Root mean square error per sample of the image. */
  readonly rmsePixel: number;
  /** Peak signal-to-noise ratio in dB, from `rmsePixel` and the image's peak. */
  readonly psnr: number;
}

/**
 * Represents an image that is in memory: the plan, in one part. Overlapping patches are averaged with the weights that `weigh` computes from their numbers of
 * atoms.
 */
export async function representWhole(
  image: Image,
  options: RepresentOptions,
  weigh?: WholeRepresentation['weigh'],
): Promise<Representation> {
  const { signal } = resolveRepresentOptions(options);
  checkShape(image);
  const { width, height, planes, peak } = image;
  const all = allOf(image);
  const whole: WholeRepresentation = { axes: [], weigh };
  let rebuilt: readonly Samples[] = [];
  const represented = {
    planes: planes.length,
    image: { width, height, read: async (at: Rectangle) => planes.map((plane) => cut(plane, all, at)) },
    output: {
      write: async (_: Rectangle, picture: readonly Samples[]) => {
        rebuilt = picture;
      },
      finish: async () => {},
    },
  };
  const context = {
    ...{ images: [represented], options, whole, peakOf: () => peak },
    scratch: { get: async () => undefined, put: async () => {}, clear: async () => {} },
  };
  const { patches, rmsePixel, psnr } = await runHere(representPlan, context, { signal });
  const { solution, problem } = whole;
  if (!solution || !problem) throw new Error('the plan has solved nothing');
  const { dictionary, images } = problem;
  const [{ grid }] = images;
  return {
    ...solution,
    image: { ...image, planes: rebuilt },
    ...{ dictionary, grid, patches, rmsePixel, psnr },
    atomsPerPatch: sumOverPlanes(atomsPerPatch(solution.codes), grid.count),
  };
}

/** The numbers of atoms at each position of the grid, summed over all planes. */
export function sumOverPlanes(counts: Int32Array, perPlane: number): Int32Array {
  const sum = new Int32Array(perPlane);
  for (let i = 0; i < counts.length; i++) sum[i % perPlane] += counts[i];
  return sum;
}
