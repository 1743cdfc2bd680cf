import { knownOptions, notNegative } from '../errors.js';
import { checkShape, type Image, type Samples } from '../image/image.js';
import { aggregation, extract, patchGrid } from '../image/patches.js';
import { signalsIn } from '../image/signals.js';
import { missingPixels, opaque, withoutMissing } from '../pipelines/restore/missing.js';
import { overcompleteDct } from '../sparse/dictionary/dct.js';
import { type MaskedCodes, maskedOmp } from '../sparse/solvers/masked-omp.js';
import { drive, part, rising, type Work } from '../work.js';

/** Options of `inpaintPaper`. All are optional. */
export interface InpaintPaperOptions {
  /** Atoms per patch on average, at least 0: S = budget · P for P patches. @default a fifth of the known pixels of a patch */
  readonly budget?: number;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called regularly with the fraction done, from 0 to 1 and never decreasing. */
  readonly onProgress?: (progress: { readonly fraction: number }) => void;
}

/** An image inpainted from codes. */
export interface InpaintedPaper {
  /** The image in the units of the input, neither rounded nor clipped; known pixels as they were. */
  readonly image: Image;
  /** S, the atoms that all patches together could have. */
  readonly budget: number;
  /** Nonzeros used. */
  readonly nonzeros: number;
  /** Number of patches. */
  readonly patches: number;
}

/** The side of a patch, the atoms per side and the stride. */
const [PATCH, ATOMS, STRIDE] = [8, 16, 2];
/** Atoms per known pixel, if no budget is given. */
const SHARE = 0.2;

/**
 * Inpainting from the paper's side: joint OMP of overlapping patches on the known pixels, under one global budget. The codes give the
 * missing pixels too. It is here for comparison: on pictures, `inpaint` is better by several dB, because patches that are coded by
 * themselves do not agree on what is missing. The mask is that of `inpaint`.
 */
export async function inpaintPaper(
  image: Image,
  mask: Samples | 'auto',
  options: InpaintPaperOptions = {},
): Promise<InpaintedPaper> {
  checkShape(image);
  knownOptions(options, ['budget', 'signal', 'onProgress']);
  const { budget, signal, onProgress } = options;
  if (budget !== undefined) notNegative('budget', budget, 'give the atoms per patch on average, such as 4');
  const missing = await drive(missingPixels(image, mask), { signal });
  const known = await drive(withoutMissing(image, missing), { signal });
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction })));
  const outcome = await drive(inpainted(image, known, missing, budget), { signal, onFraction });
  const alpha = image.alpha && (await drive(opaque(image.alpha, missing), { signal }));
  const { planes, ...rest } = outcome;
  onFraction?.(1);
  return { image: { ...image, planes, ...(alpha && { alpha }) }, ...rest };
}

/** All planes are coded under one budget. */
function* inpainted(
  { width, height }: Image,
  planes: readonly Float64Array[],
  missing: Uint8Array,
  budget: number | undefined,
): Work<Omit<InpaintedPaper, 'image'> & { readonly planes: Float64Array[] }> {
  const D = overcompleteDct(PATCH, ATOMS);
  const grid = patchGrid(width, height, PATCH, STRIDE);
  const [P, length] = [grid.count * planes.length, grid.count * D.N];
  const knownInPlane = Uint8Array.from(extract(grid, missing), (gone) => 1 - gone);
  const [Y, known] = [new Float64Array(P * D.N), new Uint8Array(P * D.N)];
  // Without their mean, patches of which little is known do not all need an atom for it.
  const means = planes.map(
    (plane) => plane.reduce((sum, value) => sum + value, 0) / missing.filter((m) => m === 0).length,
  );
  for (const [c, plane] of planes.entries()) {
    const centred = plane.map((value) => value - means[c]);
    extract(grid, centred, Y.subarray(c * length, (c + 1) * length));
    known.set(knownInPlane, c * length);
    yield 0;
  }
  const share = known.reduce((sum, value) => sum + value, 0) / P;
  const S = Math.round((budget ?? SHARE * share) * P);
  const codes = yield* part(maskedOmp(D, Y, known, S), 0, 0.95);
  for (const [c, plane] of planes.entries()) {
    const filled = yield* aggregation(
      grid,
      signalsIn(codes.patches.subarray(c * length, (c + 1) * length), D.N),
      weightsOf(codes, c * grid.count, grid.count),
    );
    for (let i = 0; i < plane.length; i++) if (missing[i]) plane[i] = means[c] + filled[i];
  }
  return { planes: [...planes], budget: S, nonzeros: codes.kept, patches: P };
}

/** A patch with fewer atoms has a larger weight, and one without any almost none: nothing is known of it. */
function weightsOf({ counts }: MaskedCodes, from: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, p) => (counts[from + p] === 0 ? 1e-3 : 1 / (1 + counts[from + p])));
}
