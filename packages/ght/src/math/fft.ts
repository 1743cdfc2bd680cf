/**
 * The discrete Fourier transform of real planes, for sizes whose prime factors are 2, 3 and 5.
 *
 *     X(k) = Σ_n x(n) e^(−2πi kn/N)
 *
 * One dimension is Stockham's form of the fast transform: one pass per radix p, from one array into another, which needs no
 * reordering. Two real rows are transformed as the real and imaginary part of one complex row. The spectrum of a real row
 * is its own mirrored conjugate, so only its first half is kept.
 */
import type { Work } from '../work.js';

/** The smallest size of at least n whose prime factors are 2, 3 and 5. */
export function smoothSize(n: number): number {
  for (let size = Math.max(1, n); ; size++) if (radicesOf(size) !== undefined) return size;
}

/** The radices of a size, whose product it is; undefined if it has another prime factor. */
function radicesOf(n: number): number[] | undefined {
  const radices: number[] = [];
  let rest = n;
  for (const p of [4, 2, 3, 5]) {
    for (; rest % p === 0; rest /= p) radices.push(p);
  }
  return rest === 1 ? radices : undefined;
}

/** A spectrum: the columns k = 0 … width/2, one after the other, each with `height` frequencies. */
export interface Spectrum {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** The transform of one size, and its inverse. */
export interface PlaneTransform {
  readonly width: number;
  readonly height: number;
  /** The spectrum of a real plane. */
  forward(plane: Float64Array): Work<Spectrum>;
  /** The real plane of a spectrum, which is overwritten. */
  inverse(spectrum: Spectrum): Work<Float64Array>;
}

/** The transform of planes of this size; both sides must be smooth. */
export function planeTransform(width: number, height: number): PlaneTransform {
  const [rows, columns] = [lineTransform(width), lineTransform(height)];
  const half = Math.floor(width / 2) + 1;
  return {
    width,
    height,
    *forward(plane) {
      const spectrum = { re: new Float64Array(half * height), im: new Float64Array(half * height) };
      const { re, im } = rows;
      for (let y = 0; y < height; y += 2) {
        const pair = y + 1 < height;
        re.set(plane.subarray(y * width, (y + 1) * width));
        if (pair) im.set(plane.subarray((y + 1) * width, (y + 2) * width));
        else im.fill(0);
        rows.run();
        // Z = A + iB: A = (Z + Z̄ reversed)/2, B = (Z − Z̄ reversed)/2i.
        for (let k = 0; k < half; k++) {
          const l = k === 0 ? 0 : width - k;
          const at = k * height + y;
          spectrum.re[at] = (re[k] + re[l]) / 2;
          spectrum.im[at] = (im[k] - im[l]) / 2;
          if (!pair) continue;
          spectrum.re[at + 1] = (im[k] + im[l]) / 2;
          spectrum.im[at + 1] = (re[l] - re[k]) / 2;
        }
        yield (0.5 * y) / height;
      }
      for (let k = 0; k < half; k++) {
        along(k, spectrum.re, spectrum.im);
        yield 0.5 + (0.5 * k) / half;
      }
      return spectrum;
    },
    *inverse(spectrum) {
      const plane = new Float64Array(width * height);
      // The inverse is the transform with real and imaginary parts exchanged.
      for (let k = 0; k < half; k++) {
        along(k, spectrum.im, spectrum.re);
        yield (0.5 * k) / half;
      }
      const { re, im } = rows;
      const scale = 1 / (width * height);
      for (let y = 0; y < height; y += 2) {
        const pair = y + 1 < height;
        for (let k = 0; k < half; k++) {
          const at = k * height + y;
          const l = k === 0 ? 0 : width - k;
          const [a, b] = [spectrum.re[at], spectrum.im[at]];
          const [c, d] = pair ? [spectrum.re[at + 1], spectrum.im[at + 1]] : [0, 0];
          // Exchanged parts: `im` holds the real part.
          im[l] = a + d;
          re[l] = c - b;
          im[k] = a - d;
          re[k] = b + c;
        }
        rows.run();
        for (let x = 0; x < width; x++) plane[y * width + x] = scale * im[x];
        if (pair) for (let x = 0; x < width; x++) plane[(y + 1) * width + x] = scale * re[x];
        yield 0.5 + (0.5 * y) / height;
      }
      return plane;
    },
  };

  /** Transforms column k of a spectrum. */
  function along(k: number, re: Float64Array, im: Float64Array): void {
    columns.re.set(re.subarray(k * height, (k + 1) * height));
    columns.im.set(im.subarray(k * height, (k + 1) * height));
    columns.run();
    re.set(columns.re, k * height);
    im.set(columns.im, k * height);
  }
}

/** The real or the imaginary parts of a complex line. */
type Line = Float64Array;

/** A transform of complex lines: `run` replaces what is in `re` and `im`. */
interface LineTransform {
  readonly re: Float64Array;
  readonly im: Float64Array;
  run(): void;
}

function lineTransform(n: number): LineTransform {
  const radices = radicesOf(n);
  if (!radices) throw new RangeError(`a transform needs a size with the factors 2, 3 and 5, not ${n}`);
  const cos = Float64Array.from({ length: n }, (_, k) => Math.cos((2 * Math.PI * k) / n));
  const sin = Float64Array.from({ length: n }, (_, k) => -Math.sin((2 * Math.PI * k) / n));
  const [re, im, re2, im2] = Array.from({ length: 4 }, () => new Float64Array(n));
  return {
    re,
    im,
    run() {
      let [xr, xi, yr, yi] = [re, im, re2, im2];
      let length = n;
      let stride = 1;
      for (const p of radices) {
        if (p === 4) passOf4(length / p, stride, xr, xi, yr, yi);
        else pass(p, length / p, stride, xr, xi, yr, yi);
        [xr, xi, yr, yi] = [yr, yi, xr, xi];
        length /= p;
        stride *= p;
      }
      if (xr === re) return;
      re.set(xr);
      im.set(xi);
    },
  };

  /**
   * One pass: stride transforms of length p·m become p times as many of length m.
   *
   *     y(q, p·j + r) = e^(−2πi jr/(pm)) Σ_t x(q, j + m·t) e^(−2πi tr/p)
   */
  function pass(p: number, m: number, stride: number, xr: Line, xi: Line, yr: Line, yi: Line): void {
    for (let j = 0; j < m; j++) {
      for (let r = 0; r < p; r++) {
        // e^(−2πi jr/(pm)), with pm · stride = n.
        const [wr, wi] = [cos[j * r * stride], sin[j * r * stride]];
        const to = stride * (p * j + r);
        for (let q = 0; q < stride; q++) {
          let sr = xr[q + stride * j];
          let si = xi[q + stride * j];
          for (let t = 1; t < p; t++) {
            const at = q + stride * (j + m * t);
            const turn = ((t * r) % p) * (n / p);
            sr += xr[at] * cos[turn] - xi[at] * sin[turn];
            si += xr[at] * sin[turn] + xi[at] * cos[turn];
          }
          yr[to + q] = sr * wr - si * wi;
          yi[to + q] = sr * wi + si * wr;
        }
      }
    }
  }

  /** The same for p = 4, whose inner turns are ±1 and ±i. */
  function passOf4(m: number, stride: number, xr: Line, xi: Line, yr: Line, yi: Line): void {
    for (let j = 0; j < m; j++) {
      const [ar, ai] = [cos[j * stride], sin[j * stride]];
      const [br, bi] = [cos[2 * j * stride], sin[2 * j * stride]];
      const [cr, ci] = [cos[3 * j * stride], sin[3 * j * stride]];
      for (let q = 0; q < stride; q++) {
        const [s, t, u, v] = [q + stride * j, q + stride * (j + m), q + stride * (j + 2 * m), q + stride * (j + 3 * m)];
        const to = q + 4 * stride * j;
        const [evenR, evenI, oddR, oddI] = [xr[s] + xr[u], xi[s] + xi[u], xr[t] + xr[v], xi[t] + xi[v]];
        const [lessR, lessI, turnR, turnI] = [xr[s] - xr[u], xi[s] - xi[u], xi[t] - xi[v], xr[v] - xr[t]];
        yr[to] = evenR + oddR;
        yi[to] = evenI + oddI;
        yr[to + stride] = (lessR + turnR) * ar - (lessI + turnI) * ai;
        yi[to + stride] = (lessR + turnR) * ai + (lessI + turnI) * ar;
        yr[to + 2 * stride] = (evenR - oddR) * br - (evenI - oddI) * bi;
        yi[to + 2 * stride] = (evenR - oddR) * bi + (evenI - oddI) * br;
        yr[to + 3 * stride] = (lessR - turnR) * cr - (lessI - turnI) * ci;
        yi[to + 3 * stride] = (lessR - turnR) * ci + (lessI - turnI) * cr;
      }
    }
  }
}
