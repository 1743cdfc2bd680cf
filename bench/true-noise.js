// The noise that a picture has, known because the clean picture is: what an estimate is compared with.
import { decorrelate } from 'ght';
import { dctEntry } from '../packages/ght/dist/math/dct.js';

const SIDE = 8;
/** The number of brightnesses at which the noise is measured, each with the same number of blocks. */
const BINS = 4;

/** The spectrum of the difference of two images as coloured noise, by brightness. */
export function trueSpectrum(noisy, clean) {
  const { width, height } = clean;
  const inPlanes = (planes) => (planes.length === 3 ? decorrelate(planes) : planes);
  const difference = noisy.planes.map((plane, c) => Float64Array.from(plane, (value, i) => value - clean.planes[c][i]));
  const [noise, picture] = [inPlanes(difference), inPlanes(clean.planes)];
  const blocks = [];
  for (let top = 0; top + SIDE <= height; top += SIDE) {
    for (let left = 0; left + SIDE <= width; left += SIDE) {
      const start = top * width + left;
      const [mean] = coefficients(picture[0], start, width);
      blocks.push({ brightness: mean / SIDE, squares: noise.map((plane) => coefficients(plane, start, width, 2)) });
    }
  }
  blocks.sort((a, b) => a.brightness - b.brightness);
  const bins = Array.from({ length: BINS }, (_, b) => {
    return blocks.slice((b * blocks.length) / BINS, ((b + 1) * blocks.length) / BINS);
  });
  return {
    kind: 'coloured',
    brightness: bins.map((bin) => bin.reduce((sum, { brightness }) => sum + brightness, 0) / bin.length),
    deviations: noise.map((_, c) =>
      bins.map((bin) =>
        Float64Array.from({ length: SIDE * SIDE }, (_value, f) => {
          const sum = bin.reduce((total, { squares }) => total + squares[c][f], 0);
          return Math.sqrt(sum / bin.length);
        }),
      ),
    ),
  };
}

const waves = Array.from({ length: SIDE }, (_, k) => Array.from({ length: SIDE }, (_value, i) => dctEntry(SIDE, k, i)));

/** The orthonormal DCT of an 8×8 block, each coefficient to this power. */
function coefficients(plane, start, width, power = 1) {
  const rows = waves.map((_, y) =>
    waves.map((wave) => wave.reduce((sum, weight, x) => sum + weight * plane[start + y * width + x], 0)),
  );
  return Float64Array.from({ length: SIDE * SIDE }, (_, f) => {
    return waves[f >> 3].reduce((sum, weight, y) => sum + weight * rows[y][f & 7], 0) ** power;
  });
}
