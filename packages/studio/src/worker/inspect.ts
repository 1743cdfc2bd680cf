import {
  type Codes,
  type Dictionary,
  decorrelate,
  type Image,
  type Representation,
  reconstruct,
  recorrelate,
  represent,
  solverCatalogue,
} from 'ght';
import { atomTile, pictureOf } from './layers.js';
import { PATCH } from './options.js';
import type { Inspection, PatchView, Slot } from './protocol.js';
import type { Call, Session } from './session.js';

/** Enough iterations of a joint solver to inspect one patch. */
const ITERATIONS = 20;

/** Inspects the patch at a pixel: by the shown solver, and by the other kind under the same budget. */
export async function runInspect(
  session: Session,
  x: number,
  y: number,
  slot: Slot,
  { signal }: Call,
): Promise<Inspection> {
  const { image } = session.opened;
  const shown = session.result(slot);
  const { grid, dictionary } = shown;
  const column = nearest(x, grid.stride, grid.columns);
  const row = nearest(y, grid.stride, grid.rows);
  const p = row * grid.columns + column;
  const patch = patchImage(image, column * grid.stride, row * grid.stride);
  // One patch alone: the nearest whole number that is not empty.
  const s = Math.max(1, Math.round(shown.nonzeros / shown.patches));
  const here = (result: Representation) => viewOf(session, patch, result.dictionary, result.solver, codesAt(result, p));
  const joint = solverCatalogue[shown.solver].joint ? shown : await jointCounterpart(session, shown, signal);
  const alone = solverCatalogue[shown.solver].joint
    ? await represent(patch, { patch: PATCH, dictionary, solver: 'omp', budget: { perPatch: s }, signal })
    : undefined;
  const counts = joint.atomsPerPatch;
  const histogram = new Array<number>(counts.reduce((a, b) => Math.max(a, b), 0) + 1).fill(0);
  for (const count of counts) histogram[count]++;
  const fewer = counts.reduce((sum, count) => sum + (count < counts[p] ? 1 : 0), 0) / counts.length;
  return {
    x: column * grid.stride,
    y: row * grid.stride,
    patch: PATCH,
    planes: image.planes.length,
    original: pictureOf(patch, session.floor),
    joint: here(joint),
    patchwise: alone ? viewOf(session, patch, dictionary, 'omp', alone.codes) : here(shown),
    share: joint.nonzeros === 0 ? 0 : counts[p] / joint.nonzeros,
    fewer,
    mean: joint.nonzeros / joint.patches,
    histogram,
  };
}

/** For a patch-wise result, ADMM over the same patches and atoms with the same budget, computed once. */
async function jointCounterpart(session: Session, shown: Representation, signal: AbortSignal): Promise<Representation> {
  const { grid, dictionary } = shown;
  const fits = (kept: Representation | undefined): kept is Representation =>
    kept?.grid.stride === grid.stride &&
    kept.dictionary === dictionary &&
    Math.abs(kept.budget - shown.nonzeros) <= 0.02 * kept.budget;
  const known = [session.results.get('admm'), session.counterpart].find(fits);
  if (known) return known;
  session.counterpart = await represent(session.opened.image, {
    ...{ solver: 'admm', patch: PATCH, stride: grid.stride, dictionary },
    ...{ budget: { total: shown.nonzeros }, maxIterations: ITERATIONS, signal },
  });
  return session.counterpart;
}

/** The patch whose centre is nearest. */
function nearest(at: number, stride: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.round((at + 0.5 - PATCH / 2) / stride)));
}

/** The pixels of a patch as an image of its own, mirrored beyond the edge as in the library. */
function patchImage({ width, height, planes, peak }: Image, left: number, top: number): Image {
  const mirrored = (i: number, n: number) => {
    const j = i % (2 * n);
    return j < n ? j : 2 * n - 1 - j;
  };
  const cut = planes.map((plane) =>
    Float32Array.from({ length: PATCH ** 2 }, (_, i) => {
      const x = mirrored(left + (i % PATCH), width);
      return plane[mirrored(top + Math.floor(i / PATCH), height) * width + x];
    }),
  );
  return { width: PATCH, height: PATCH, planes: cut, peak };
}

/** The codes of one grid position, one column per plane. */
function codesAt({ codes, grid }: Representation, p: number): Codes {
  const columns = Array.from({ length: codes.P / grid.count }, (_, c) => c * grid.count + p);
  const parts = columns.map((column) => [codes.indptr[column], codes.indptr[column + 1]] as const);
  const indptr = Int32Array.from([0, ...parts.map(([from, to]) => to - from)]);
  for (let i = 1; i < indptr.length; i++) indptr[i] += indptr[i - 1];
  const gather = (values: ArrayLike<number>) =>
    parts.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => values[from + i]));
  return {
    L: codes.L,
    P: columns.length,
    indptr,
    indices: Int32Array.from(gather(codes.indices)),
    values: Float64Array.from(gather(codes.values)),
  };
}

function viewOf(session: Session, patch: Image, D: Dictionary, solver: PatchView['solver'], codes: Codes): PatchView {
  const flat = reconstruct(D, codes);
  const rebuilt = Array.from({ length: codes.P }, (_, c) => flat.subarray(c * D.N, (c + 1) * D.N));
  const wanted = decorrelate(patch.planes);
  let square = 0;
  rebuilt.forEach((plane, c) => {
    for (let n = 0; n < D.N; n++) square += (plane[n] - wanted[c][n]) ** 2;
  });
  const terms = rebuilt.flatMap((_, plane) =>
    Array.from({ length: codes.indptr[plane + 1] - codes.indptr[plane] }, (_, i) => {
      const atom = codes.indices[codes.indptr[plane] + i];
      const value = codes.values[codes.indptr[plane] + i];
      return { plane, atom, value, tile: atomTile(D.atoms.data.subarray(atom * D.N, (atom + 1) * D.N), PATCH) };
    }),
  );
  terms.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const picture = pictureOf({ ...patch, planes: recorrelate(rebuilt) }, session.floor);
  return { solver, picture, rmse: Math.sqrt(square / codes.P), terms };
}
