// A camera in short: Poisson and read noise in linear raw data under a Bayer mosaic, demosaicking, white balance and gamma.
import { randomSource } from 'ght';

const GAMMA = 2.2;
/** What the sensor sees less of in red and blue, and white balance multiplies again. */
const BALANCE = [2, 1, 1.6];

/** Photons at full scale and deviation of the read noise as a share of it: about ISO 400, 1600 and 6400 of a small camera. */
export const cameras = {
  weak: { photons: 2000, read: 0.002 },
  medium: { photons: 500, read: 0.005 },
  strong: { photons: 150, read: 0.012 },
};

/**
 * A photograph of a picture, and the same without noise, both as 8-bit files. `edges` demosaics along edges, otherwise by bilinear
 * interpolation.
 */
export function photographed(picture, { photons, read }, edges, seed) {
  const { width, planes } = picture;
  const { poisson, normal } = randomSource(seed);
  const mosaic = planes[0].map((_, i) => {
    const c = channelAt(i % width, Math.floor(i / width));
    return (planes[c][i] / 255) ** GAMMA / BALANCE[c];
  });
  const noisy = mosaic.map((value) => poisson(photons * value) / photons + read * normal());
  const [file, clean] = [noisy, mosaic].map((raw) => developed({ ...picture, planes: [raw] }, edges));
  return { noisy: file, clean };
}

/** The channel of a pixel of the mosaic: red at even columns of even rows, blue at odd columns of odd rows. */
function channelAt(x, y) {
  return (x & 1) + (y & 1);
}

function developed({ width, height, planes: [raw] }, edges) {
  const at = (plane, x, y) => plane[mirrored(y, height) * width + mirrored(x, width)];
  const everywhere = (f) => Float64Array.from(raw, (_, i) => f(i % width, Math.floor(i / width)));
  const green = everywhere((x, y) => {
    if (channelAt(x, y) === 1) return at(raw, x, y);
    const [left, right, up, down] = [at(raw, x - 1, y), at(raw, x + 1, y), at(raw, x, y - 1), at(raw, x, y + 1)];
    const [across, along] = [Math.abs(left - right), Math.abs(up - down)];
    if (!edges || across === along) return (left + right + up + down) / 4;
    return across < along ? (left + right) / 2 : (up + down) / 2;
  });
  // Along edges, red and blue are interpolated as differences to green, which vary less.
  const reference = edges ? green : new Float64Array(green.length);
  const difference = raw.map((value, i) => value - reference[i]);
  const planes = [0, 1, 2].map((c) => {
    const linear = c === 1 ? green : everywhere((x, y) => at(reference, x, y) + neighbours(difference, x, y, c));
    return Uint8Array.from(linear, (value) => {
      return Math.round(255 * Math.min(1, Math.max(0, BALANCE[c] * value)) ** (1 / GAMMA));
    });
  });
  return { width, height, planes, peak: 255 };

  /** The mean of the nearest samples of one channel; red and blue have one in each 2×2 pixels. */
  function neighbours(plane, x, y, c) {
    const columns = (x & 1) === c >> 1 ? [x] : [x - 1, x + 1];
    const rows = (y & 1) === c >> 1 ? [y] : [y - 1, y + 1];
    const sum = rows.reduce((all, row) => all + columns.reduce((part, column) => part + at(plane, column, row), 0), 0);
    return sum / (rows.length * columns.length);
  }
}

/** Mirrored without repeating the edge, which keeps the pattern of the mosaic. */
function mirrored(i, length) {
  return i < 0 ? -i : i >= length ? 2 * (length - 1) - i : i;
}
