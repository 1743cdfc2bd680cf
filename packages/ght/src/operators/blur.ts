/**
 * A blur with a known kernel k, of a picture whose surroundings are unknown: y = C(k ∗ x), where x is larger than y by a rim
 * on every side and C cuts the rim off. Nothing is assumed about the rim: what lies outside the frame has blurred into it,
 * so the rim belongs to the unknowns.
 *
 * A circular convolution is a product in the Fourier domain, K∘X. If the data were known on the rim too, the data step would
 * be (K̄Y + ρV)/(|K|² + ρ). They are not, so the normal equations of the data step,
 *
 *     (K̄ CᵀC K + ρ)(x − v) = K̄ Cᵀ(y − CKv)
 *
 * are solved by conjugate gradients in the Fourier domain, with that inverse, 1/(|K|² + ρ), as the preconditioner. About
 * seven steps are enough, as only the rim makes a difference, and more for data with little noise. (One step is not: rings
 * spread from the frame into the picture.)
 */

import { mirror } from '../image/mirror.js';
import { planeTransform, type Spectrum, smoothSize } from '../math/fft.js';
import { finish, stretches, type Work } from '../work.js';
import type { BlurKernel } from './kernel.js';
import type { Operator, Plane, Size } from './operator.js';

/** The most steps of conjugate gradients. */
const MOST_STEPS = 40;
/** They stop when the squared residual, relative to that of v, is this part of ρ: the smaller ρ, the more a residual is amplified. */
const SETTLED = 0.01;

/** A blur, with the ways into and out of its larger picture. */
export interface BlurOperator extends Operator {
  /** The data with a rim: the start of the restoration, mirrored at the edges. */
  mirrored(y: Plane): Work<Plane>;
  /** A picture without its rim. */
  framed(x: Plane): Plane;
}

/** The blur with a kernel whose weights have the sum 1, of pictures that are seen in a frame of this size. */
export function blurOperator(frame: Size, kernel: BlurKernel): BlurOperator {
  // Twice the reach of the kernel; the rest of a smooth size goes to the right and to the bottom.
  const [left, top] = [2 * Math.floor(kernel.width / 2), 2 * Math.floor(kernel.height / 2)];
  const picture = { width: smoothSize(frame.width + 2 * left), height: smoothSize(frame.height + 2 * top) };
  const { forward, inverse } = planeTransform(picture.width, picture.height);
  const K = finish(forward(centred(kernel, picture)));

  /** Data in their frame, with 0 on the rim. */
  const placed = (y: Plane) => {
    const x = new Float64Array(picture.width * picture.height);
    for (let row = 0; row < frame.height; row++) {
      x.set(y.subarray(row * frame.width, (row + 1) * frame.width), (row + top) * picture.width + left);
    }
    return x;
  };
  const framed = (x: Plane) => {
    const y = new Float64Array(frame.width * frame.height);
    for (let row = 0; row < frame.height; row++) {
      const from = (row + top) * picture.width + left;
      y.set(x.subarray(from, from + frame.width), row * frame.width);
    }
    return y;
  };
  return {
    picture,
    observed: frame,
    framed,
    *mirrored(y) {
      const columns = Int32Array.from({ length: picture.width }, (_, x) => mirror(x - left, frame.width));
      const x = new Float64Array(picture.width * picture.height);
      for (let row = 0, i = 0; row < picture.height; row++) {
        const from = mirror(row - top, frame.height) * frame.width;
        for (let column = 0; column < picture.width; column++, i++) x[i] = y[from + columns[column]];
        yield row / picture.height;
      }
      return x;
    },
    *apply(x) {
      return framed(yield* inverse(yield* product(K, yield* forward(x), 1)));
    },
    *adjoint(r) {
      return yield* inverse(yield* product(K, yield* forward(placed(r)), -1));
    },
    *data(y, v, rho) {
      const X = yield* forward(v);
      /** K̄∘F of what is in the frame of F⁻¹(K∘P), or of y minus it. */
      const seen = function* (P: Spectrum, data?: Plane): Work<Spectrum> {
        const inFrame = framed(yield* inverse(yield* product(K, P, 1)));
        if (data) for (let i = 0; i < data.length; i++) inFrame[i] = data[i] - inFrame[i];
        return yield* product(K, yield* forward(placed(inFrame)), -1);
      };
      const R = yield* seen(X, y);
      let Z = preconditioned(R, rho);
      const P = { re: Z.re.slice(), im: Z.im.slice() };
      let rz = inner(R, Z);
      const settled = SETTLED * Math.min(rho, 0.01) * rz;
      for (let k = 0; k < MOST_STEPS && rz > settled; k++) {
        const Q = yield* seen(P);
        combine(Q, 1, Q, rho, P);
        const alpha = rz / inner(P, Q);
        combine(X, 1, X, alpha, P);
        combine(R, 1, R, -alpha, Q);
        Z = preconditioned(R, rho);
        const before = rz;
        rz = inner(R, Z);
        combine(P, 1, Z, rz / before, P);
        yield k / MOST_STEPS;
      }
      return yield* inverse(X);
    },
  };

  /** R / (|K|² + ρ). */
  function preconditioned(R: Spectrum, rho: number): Spectrum {
    const scale = K.re.map((re, i) => 1 / (re * re + K.im[i] * K.im[i] + rho));
    return { re: scale.map((each, i) => each * R.re[i]), im: scale.map((each, i) => each * R.im[i]) };
  }

  /** The inner product of the planes of two spectra, but for a factor: columns that stand for two count twice. */
  function inner(A: Spectrum, B: Spectrum): number {
    const { width, height } = picture;
    let sum = 0;
    for (let i = 0; i < A.re.length; i++) {
      const k = Math.floor(i / height);
      sum += (k === 0 || 2 * k === width ? 1 : 2) * (A.re[i] * B.re[i] + A.im[i] * B.im[i]);
    }
    return sum;
  }
}

/** into ← a·A + b·B. */
function combine(into: Spectrum, a: number, A: Spectrum, b: number, B: Spectrum): void {
  for (let i = 0; i < into.re.length; i++) {
    into.re[i] = a * A.re[i] + b * B.re[i];
    into.im[i] = a * A.im[i] + b * B.im[i];
  }
}

/** The kernel on a picture, its centre at the first pixel. */
function centred({ width, height, data }: BlurKernel, picture: Size): Plane {
  const plane = new Float64Array(picture.width * picture.height);
  for (let y = 0; y < height; y++) {
    const row = (y - Math.floor(height / 2) + picture.height) % picture.height;
    for (let x = 0; x < width; x++) {
      const column = (x - Math.floor(width / 2) + picture.width) % picture.width;
      plane[row * picture.width + column] += data[y * width + x];
    }
  }
  return plane;
}

/** K∘X, or K̄∘X for the sign −1, in a new spectrum. */
function* product(K: Spectrum, X: Spectrum, sign: 1 | -1): Work<Spectrum> {
  const [re, im] = [new Float64Array(X.re.length), new Float64Array(X.re.length)];
  for (const [from, to] of stretches(re.length)) {
    for (let i = from; i < to; i++) {
      re[i] = K.re[i] * X.re[i] - sign * K.im[i] * X.im[i];
      im[i] = K.re[i] * X.im[i] + sign * K.im[i] * X.re[i];
    }
    yield to / re.length;
  }
  return { re, im };
}
