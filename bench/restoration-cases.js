// The cases of bench/diagnosis.js for upscaling and deblurring.
import { deblur, gaussianKernel, readJpegInfo, upscale } from 'ght';
import { reductionOperator, resampled } from '../packages/ght/dist/operators/reduction.js';
import { cubicResampling } from '../packages/ght/dist/operators/resampling.js';
import { finish } from '../packages/ght/dist/work.js';
import { asBytes, asJpeg, blurred } from './defects.js';
import { cropped, planesOf } from './images.js';

/** These tasks are slow, so that their pictures are small: 120 is a multiple of 2 and 3. */
const SIDE = 120;
const BLUR = 1.6;
/** Pixels along the edges of a blurred picture whose surroundings are not known. */
const MARGIN = 8;

/** The reductions by a factor. Gaussians have deviations in pixels of the large picture. */
const reductions = {
  area: () => 'area',
  bicubic: () => 'bicubic',
  gaussian: (factor) => ({ gaussian: 0.5 * factor }),
  'wide-gaussian': (factor) => ({ gaussian: 0.8 * factor }),
};
const JPEG_QUALITY = 80;

/**
 * Here a sample has the picture that the result is compared with as `file` (enlarged by cubic interpolation, or blurred), and
 * `restore`, which is called without options, and with `given`.
 */
export const restorationCases = [
  ...[2, 3].flatMap((factor) =>
    Object.entries(reductions).map(([name, blurBy]) => ({
      name: `reduced-${factor}-${name}`,
      pictures: 'clean',
      bar: name === 'area' ? { gain: 0.8 } : { gain: 0 },
      make(picture) {
        const clean = asBytes(middle(grey(picture), SIDE));
        const blur = blurBy(factor);
        return enlarging(clean, reduced(clean, factor, blur), factor, { blur, sigma: 0 });
      },
    })),
  ),
  ...[2, 3].map((factor) => ({
    name: `reduced-${factor}-jpeg`,
    pictures: 'clean',
    bar: { gain: 0 },
    async make(picture) {
      const clean = asBytes(middle(grey(picture), SIDE));
      const small = reduced(clean, factor, 'area');
      const bytes = await asJpeg(small, JPEG_QUALITY);
      const data = await planesOf(bytes);
      // The command reads the tables of a file.
      const jpeg = readJpegInfo(bytes);
      return enlarging(clean, data, factor, { blur: 'area', sigma: deviation(data, small) }, { jpeg });
    },
  })),
  {
    name: 'blurred-jpeg',
    pictures: 'clean',
    async make(picture) {
      const large = grey(picture);
      const plane = blurred(large.planes[0], large.width, large.height, BLUR);
      const [clean, soft] = [asBytes(middle(large, SIDE)), middle({ ...large, planes: [plane] }, SIDE)];
      const file = await planesOf(await asJpeg(soft, 90));
      const restore = (options) => deblur(file, gaussianKernel(BLUR), options);
      return { file, clean, restore, given: { sigma: deviation(file, soft) }, mask: inside(SIDE, MARGIN) };
    },
  },
];

function reduced(clean, factor, blur) {
  const size = { width: SIDE / factor, height: SIDE / factor };
  const small = finish(reductionOperator(clean, size, blur).apply(Float64Array.from(clean.planes[0])));
  return asBytes({ ...size, planes: [small], peak: 255 });
}

/** A sample whose small picture is enlarged; it is compared with cubic interpolation. */
function enlarging(clean, data, factor, given, known = {}) {
  const rows = cubicResampling(data.height, SIDE);
  const file = { ...clean, planes: [finish(resampled(Float64Array.from(data.planes[0]), rows, rows))] };
  const restore = (options) => upscale(data, factor, { ...known, ...options });
  return { file, clean, restore, given, mask: inside(SIDE, factor) };
}

/** The root mean square difference of two grey pictures. */
function deviation(a, b) {
  const sum = a.planes[0].reduce((all, value, i) => all + (value - b.planes[0][i]) ** 2, 0);
  return Math.sqrt(sum / a.planes[0].length);
}

function grey({ width, height, planes, peak }) {
  const [r, g, b] = planes.length === 3 ? planes : [planes[0], planes[0], planes[0]];
  return { width, height, planes: [Float64Array.from(r, (_, i) => 0.299 * r[i] + 0.587 * g[i] + 0.114 * b[i])], peak };
}

function middle(image, side) {
  return cropped(image, {
    left: (image.width - side) >> 1,
    top: (image.height - side) >> 1,
    width: side,
    height: side,
  });
}

/** A mask of a square without its border. */
function inside(side, border) {
  const isInside = (at) => at >= border && at < side - border;
  return Uint8Array.from({ length: side * side }, (_, i) =>
    Number(isInside(i % side) && isInside(Math.floor(i / side))),
  );
}
