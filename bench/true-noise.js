// The noise that a picture has, known because the clean picture is: what an estimate is compared with.
import { decorrelate } from 'ght';
import { dctEntry } from '../packages/ght/dist/math/dct.js';

const SIDE = 8;
/** Low-pass noise does not average out over overlapping patches; on camera pictures this factor is best if the spectrum is known. */
const CORRELATED = 1.3;

/** The spectrum of the difference of two images as coloured noise, the same at every brightness. */
export function trueSpectrum(noisy, clean) {
  const { width, height } = clean;
  const difference = noisy.planes.map((plane, c) => Float64Array.from(plane, (value, i) => value - clean.planes[c][i]));
  const planes = difference.length === 3 ? decorrelate(difference) : difference;
  const deviations = planes.map((plane) => [spectrum(plane, width, height).map((value) => CORRELATED * value)]);
  return { kind: 'coloured', brightness: [0], deviations };
}

/** The root mean square of each coefficient of the DCT of 8×8 blocks. */
function spectrum(plane, width, height) {
  const C = Array.from({ length: SIDE }, (_, k) => Array.from({ length: SIDE }, (_entry, i) => dctEntry(SIDE, k, i)));
  const squares = new Float64Array(SIDE * SIDE);
  let blocks = 0;
  for (let top = 0; top + SIDE <= height; top += SIDE) {
    for (let left = 0; left + SIDE <= width; left += SIDE, blocks++) {
      const rows = C.map((_, y) => {
        const start = (top + y) * width + left;
        return C.map((wave) => wave.reduce((sum, weight, x) => sum + weight * plane[start + x], 0));
      });
      for (let f = 0; f < squares.length; f++) {
        squares[f] += C[f >> 3].reduce((sum, weight, y) => sum + weight * rows[y][f & 7], 0) ** 2;
      }
    }
  }
  return squares.map((sum) => Math.sqrt(sum / blocks));
}
