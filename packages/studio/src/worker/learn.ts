/** The computations of the Learn tab: the library on a small grey copy of the open image. */
import {
  aggregate,
  type Codes,
  codesFromDense,
  type Dictionary,
  denseFromCodes,
  extract,
  type Image,
  learnedDictionary,
  overcompleteDct,
  type PatchGrid,
  patchGrid,
  psnr,
  type Representation,
  randomSource,
  reconstruct,
  represent,
  selectLargest,
  solve,
} from 'ght';
import { drawAtoms } from 'ght/draw';
import type { Layer } from './layer.js';
import { atomTile, errorOf, pictureOf } from './layers.js';
import {
  type Cleaned,
  type Cut,
  ITERATIONS,
  type Iteration,
  type LearnPicture,
  type LearnRequests,
  MOST_ATOMS,
  PATCH,
  type PatchAt,
  type PatchStep,
  type PatchSteps,
  type Share,
  type Shares,
  type SortedCoefficients,
  type Versus,
} from './learn-protocol.js';
import { reduced } from './reduce.js';
import type { Call, Session } from './session.js';

/** The longer side of the small copy: every answer then takes well under a tenth of a second. */
const SIDE = 256;
const PEAK = 255;
/** Points of a sorted curve. */
const POINTS = 240;
/** The side of the part that the story begins with, in patches. */
const STARVED = 8;
/** Pixels from one atom to the next in a picture of a dictionary, and between two atoms. */
const ATOM_GAP = 2;
const ATOM_CELL = PATCH + ATOM_GAP;
/** Atoms per side of the cosine dictionary that has as many atoms as the learned one. */
const AS_MANY = 16;

/** The story of one image. */
class Lesson {
  readonly image: Image;
  readonly grid: PatchGrid;
  readonly D: Dictionary = overcompleteDct(PATCH, 10);
  readonly cosines = overcompleteDct(PATCH, AS_MANY);
  readonly learned = learnedDictionary();
  readonly #Y: Float64Array;
  /** The iterates of GHT-QPM so far, for the last budget that was asked for. */
  #iterates: { readonly s: number; readonly done: Iterate[] } = { s: 0, done: [] };

  constructor(source: Image, floor: number) {
    this.image = smallGrey(source, floor);
    this.grid = patchGrid(this.image.width, this.image.height, PATCH);
    this.#Y = extract(this.grid, this.image.planes[0]);
  }

  picture(): LearnPicture {
    const { columns, rows } = this.grid;
    const contrasts = Array.from({ length: columns * rows }, (_, p) => deviation(this.#patch(p)));
    const at = (p: number) => ({ x: (p % columns) * PATCH, y: Math.floor(p / columns) * PATCH });
    return {
      picture: pictureOf(this.image),
      columns,
      rows,
      coefficients: this.D.L * this.grid.count,
      busiest: at(contrasts.indexOf(Math.max(...contrasts))),
      calmest: at(contrasts.indexOf(Math.min(...contrasts))),
      atoms: atomsOf(this.D),
      cosines: atomsOf(this.cosines),
      learned: atomsOf(this.learned),
    };
  }

  /** The patch at a pixel, with 0, 1, 2, … atoms by OMP. */
  async patch({ x, y }: PatchAt, { signal }: Call): Promise<PatchSteps> {
    const { columns, rows } = this.grid;
    const column = Math.min(columns - 1, Math.max(0, Math.floor(x / PATCH)));
    const row = Math.min(rows - 1, Math.max(0, Math.floor(y / PATCH)));
    const wanted = this.#patch(row * columns + column);
    const codes: Codes[] = [];
    for (let n = 1; n <= MOST_ATOMS; n++) {
      codes.push((await solve(this.D, wanted, { solver: 'omp', budget: { total: n }, peak: PEAK, signal })).codes);
    }
    const steps = this.#stepsOf(wanted, codes);
    return { x: column * PATCH, y: row * PATCH, original: pictureOf(square(wanted)), steps };
  }

  #stepsOf(wanted: Float64Array, codes: readonly Codes[]): PatchStep[] {
    const { D } = this;
    const sums = [new Float64Array(D.N), ...codes.map((each) => reconstruct(D, each))];
    // The colours of what is missing are those of the contrast: without any atom everything is missing.
    const range = Math.max(1, ...wanted.map((value, n) => Math.abs(value - sums[1][n])));
    const order: number[] = [];
    return sums.map((sum, n) => {
      const value = new Map<number, number>();
      codes[n - 1]?.indices.forEach((atom, i) => void value.set(atom, codes[n - 1].values[i]));
      // Each support contains the one before.
      for (const atom of value.keys()) if (!order.includes(atom)) order.push(atom);
      return {
        picture: pictureOf(square(sum)),
        rmse: rootMeanSquare(wanted, sum, 0, D.N),
        error: errorOf(square(wanted), square(sum), range),
        terms: order
          .filter((atom) => value.has(atom))
          .map((atom) => ({
            plane: 0,
            atom,
            value: value.get(atom) ?? 0,
            tile: atomTile(D.atoms.data.subarray(atom * D.N, (atom + 1) * D.N), PATCH),
          })),
      };
    });
  }

  /** OMP with the same number for every patch, and joint OMP with the same total: only the budget differs. */
  async shares(s: number, { signal }: Call): Promise<Shares> {
    const options = { dictionary: this.D, patch: PATCH, signal };
    const equal = await represent(this.image, { ...options, solver: 'omp', budget: { perPatch: s } });
    const budget = { total: equal.nonzeros };
    const joint = await represent(this.image, { ...options, solver: 'joint-omp', budget });
    // The brightest colour: three deviations of the larger error.
    const range = Math.max(1, Math.ceil(3 * Math.max(equal.rmsePixel, joint.rmsePixel)));
    const [even, shared] = [this.#share(equal, range), this.#share(joint, range)];
    return { equal: even, joint: shared, range, starved: this.#starved(even, shared) };
  }

  /** The middle of the square of patches whose error falls most under one budget. */
  #starved(equal: Share, joint: Share): PatchAt {
    const { columns, rows } = this.grid;
    const gains = Array.from(equal.errors, (error, p) => error ** 2 - joint.errors[p] ** 2);
    const [across, down] = [Math.min(STARVED, columns), Math.min(STARVED, rows)];
    let [most, at] = [-1, { x: 0, y: 0 }];
    for (let y = 0; y + down <= rows; y++) {
      for (let x = 0; x + across <= columns; x++) {
        let gain = 0;
        for (let v = 0; v < down; v++) for (let u = 0; u < across; u++) gain += gains[(y + v) * columns + x + u];
        if (gain <= most) continue;
        most = gain;
        at = { x: PATCH * (x + across / 2), y: PATCH * (y + down / 2) };
      }
    }
    return at;
  }

  #share(result: Representation, range: number): Share {
    const { N } = this.D;
    const rebuilt = reconstruct(this.D, result.codes);
    const errors = Float32Array.from({ length: this.grid.count }, (_, p) =>
      rootMeanSquare(rebuilt, this.#Y, p * N, (p + 1) * N),
    );
    const error = errorOf(result.image, this.image, range);
    const picture = pictureOf(result.image);
    return { atoms: result.nonzeros, psnr: result.psnr, counts: result.atomsPerPatch, errors, picture, error };
  }

  /** Iteration k of GHT-QPM, from zero, with s atoms per patch. */
  async iteration(s: number, k: number, call: Call): Promise<Iteration> {
    if (this.#iterates.s !== s) this.#iterates = { s, done: [] };
    const { done } = this.#iterates;
    const S = Math.round(s * this.grid.count);
    while (done.length < k) done.push(await this.#iterate(S, done.at(-1)?.Z, call));
    const { X, Z, threshold } = done[k - 1];
    const patches = new Int32Array(Z.values.length);
    for (let p = 0; p < Z.P; p++) patches.fill(p, Z.indptr[p], Z.indptr[p + 1]);
    const places = Array.from(patches.keys()).sort((a, b) => Math.abs(Z.values[b]) - Math.abs(Z.values[a]));
    return { ...this.#cut(X, Z, threshold), order: Int32Array.from(places, (place) => patches[place]) };
  }

  /** X of the next iteration, and its S largest entries. */
  async #iterate(S: number, Z: Codes | undefined, call: Call): Promise<Iterate> {
    const X = await this.#beforeCut(Z, call);
    const dense = denseFromCodes(X);
    const selection = selectLargest(dense, S);
    const cut = codesFromDense(dense, X.L, X.P, selection);
    return { X: curveOf(X.values), Z: cut, threshold: selection.threshold };
  }

  /** X of the iteration that follows Z: with a budget of all coefficients nothing is cut. */
  async #beforeCut(Z: Codes | undefined, { signal }: Call): Promise<Codes> {
    const all = {
      solver: 'qpm',
      growth: false,
      budget: { total: this.D.L * this.grid.count },
      maxIterations: 1,
    } as const;
    return (await solve(this.D, this.#Y, { ...all, ...(Z ? { initial: Z } : {}), peak: PEAK, signal })).codes;
  }

  /** GHT-QPM with this budget for the whole picture. */
  async cut(total: number, refit: boolean, call: Call): Promise<Cut> {
    const options = {
      solver: 'qpm',
      growth: false,
      budget: { total },
      maxIterations: ITERATIONS,
      peak: PEAK,
      refit,
    } as const;
    const { codes } = await solve(this.D, this.#Y, { ...options, signal: call.signal });
    const X = await this.#beforeCut(codes, call);
    const { threshold } = selectLargest(X.values, total);
    return this.#cut(curveOf(X.values), codes, threshold);
  }

  #cut(curve: SortedCoefficients, Z: Codes, threshold: number): Cut {
    const plane = aggregate(this.grid, reconstruct(this.D, Z));
    const image = { ...this.image, planes: [plane] };
    return { curve, threshold, kept: Z.values.length, picture: pictureOf(image), psnr: psnr(image, this.image) };
  }

  /** The picture with noise of deviation σ, the same every time, and GHT-QPM of it. */
  async noise({ sigma, stride, s }: LearnRequests['learnNoise']['ask'], { signal }: Call): Promise<Cleaned> {
    const random = randomSource(1);
    const plane = Float32Array.from(this.image.planes[0], (value) => value + sigma * random.normal());
    const noisy = { ...this.image, planes: [plane] };
    const { image, history } = await represent(noisy, {
      ...{ dictionary: this.D, patch: PATCH, stride, signal },
      ...{ solver: 'qpm', growth: false, budget: { perPatch: s }, maxIterations: ITERATIONS },
    });
    return {
      noisy: pictureOf(noisy),
      noisyPsnr: psnr(noisy, this.image),
      picture: pictureOf(image),
      psnr: psnr(image, this.image),
      threshold: history.at(-1)?.threshold ?? 0,
    };
  }

  /** Joint OMP with cosines and with learned atoms. */
  async versus(s: number, { signal }: Call): Promise<Versus> {
    const by = async (dictionary: Dictionary) => {
      const options = { solver: 'joint-omp', dictionary, patch: PATCH, budget: { perPatch: s }, signal } as const;
      const { image, psnr } = await represent(this.image, options);
      return { picture: pictureOf(image), psnr };
    };
    return { cosines: await by(this.cosines), learned: await by(this.learned) };
  }

  #patch(p: number): Float64Array {
    return this.#Y.slice(p * PATCH ** 2, (p + 1) * PATCH ** 2);
  }
}

/** The outcome of an iteration: the curve of X, and Z = H_S(X). */
interface Iterate {
  readonly X: SortedCoefficients;
  readonly Z: Codes;
  readonly threshold: number;
}

/** The lesson of the open image; it is forgotten together with the image. */
const lessons = new WeakMap<Image, Lesson>();

export function lessonOf(session: Session): Lesson {
  const { image } = session.opened;
  const lesson = lessons.get(image) ?? new Lesson(image, session.floor);
  lessons.set(image, lesson);
  return lesson;
}

/** The image in grey, its longer side at most {@link SIDE}, from 0 to 255. */
function smallGrey(source: Image, floor: number): Image {
  const { width, height, planes } = reduced(source, Math.ceil(Math.max(source.width, source.height) / SIDE));
  const colours = planes.length >= 3 ? planes.slice(0, 3) : planes.slice(0, 1);
  const grey = (i: number) => colours.reduce((sum, plane) => sum + plane[i], 0) / colours.length;
  const plane = Float32Array.from({ length: width * height }, (_, i) => ((grey(i) - floor) * PEAK) / source.peak);
  return { width, height, planes: [plane], peak: PEAK };
}

/** The samples of a patch as an image. */
function square(samples: Float64Array): Image {
  return { width: PATCH, height: PATCH, planes: [samples], peak: PEAK };
}

/** The atoms in grey, the gaps between them transparent, so that they suit a light and a dark page. */
function atomsOf(dictionary: Dictionary): Layer {
  const { width, height, planes } = drawAtoms(dictionary, undefined, 1);
  const [across, down] = [width - 2 * ATOM_GAP, height - 2 * ATOM_GAP];
  const pixels = new Uint8ClampedArray(4 * across * down);
  for (let y = 0, i = 0; y < down; y++) {
    for (let x = 0; x < across; x++, i += 4) {
      if (x % ATOM_CELL >= PATCH || y % ATOM_CELL >= PATCH) continue;
      pixels.fill(planes[0][(y + ATOM_GAP) * width + x + ATOM_GAP], i, i + 3);
      pixels[i + 3] = 255;
    }
  }
  return { width: across, height: down, pixels };
}

/** Magnitudes by rank, at ranks that are evenly spaced on a logarithmic axis. */
function curveOf(values: Float64Array): SortedCoefficients {
  const sorted = Float32Array.from(values, Math.abs).sort().reverse();
  const spaced = Array.from({ length: POINTS }, (_, i) => Math.round(sorted.length ** (i / (POINTS - 1))));
  const ranks = [...new Set(spaced)].filter((rank) => rank >= 1 && rank <= sorted.length);
  return { ranks, magnitudes: ranks.map((rank) => sorted[rank - 1]) };
}

function rootMeanSquare(a: Float64Array, b: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum / (to - from));
}

function deviation(samples: Float64Array): number {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  return rootMeanSquare(samples, new Float64Array(samples.length).fill(mean), 0, samples.length);
}
