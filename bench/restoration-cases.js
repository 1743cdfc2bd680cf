// The cases of bench/diagnosis.js for upscaling and deblurring.
import { deblur, diskKernel, gaussianKernel, motionKernel, readJpegInfo, upscale } from 'ght';
import { blurOperator } from '../packages/ght/dist/operators/blur.js';
import { checkedKernel } from '../packages/ght/dist/operators/kernel.js';
import { reductionOperator, resampled } from '../packages/ght/dist/operators/reduction.js';
import { cubicResampling } from '../packages/ght/dist/operators/resampling.js';
import { finish } from '../packages/ght/dist/work.js';
import { asBytes, asJpeg, withWhite } from './defects.js';
import { cropped, planesOf } from './images.js';

/** These tasks are slow, so that their pictures are small: 120 is a multiple of 2 and 3. */
const SIDE = 120;
/** Pixels along the edges of a blurred picture whose surroundings are not known. */
const MARGIN = 8;
/** The noise of blurred pictures that are not JPEGs. */
const NOISE = 2;

/** Blurs: the kernel is found, and given for comparison. */
const blurs = { gaussian: gaussianKernel(1.6), disk: diskKernel(3), motion: motionKernel(11, 30) };

/** The reductions by a factor. Gaussians have deviations in pixels of the large picture. */
const reductions = {
  area: () => 'area',
  bicubic: () => 'bicubic',
  gaussian: (factor) => ({ gaussian: 0.5 * factor }),
  'wide-gaussian': (factor) => ({ gaussian: 0.8 * factor }),
};
/** JPEGs that are enlarged, by their quality. */
const jpegs = { jpeg: 80, 'jpeg-50': 50, 'jpeg-90': 90 };

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
  ...Object.entries(blurs).map(([name, kernel]) => ({
    name: `blurred-${name}`,
    pictures: 'clean',
    bar: { gain: 0 },
    make(picture) {
      const { clean, soft } = softened(picture, kernel);
      const file = asBytes(withWhite(soft, NOISE, 1));
      // Given: the true kernel and the true noise.
      const restore = ({ kernel: known = 'auto', ...options } = {}) => deblur(file, known, options);
      return { file, clean, restore, given: { kernel, sigma: NOISE }, mask: inside(SIDE, MARGIN) };
    },
  })),
  ...[2, 3].map((factor) => ({
    name: `reduced-${factor}-points`,
    pictures: 'clean',
    // There is no bar: aliasing looks like detail in many pictures.
    make(picture) {
      const clean = asBytes(middle(grey(picture), SIDE));
      return enlarging(clean, points(clean, factor), factor, { blur: 'area', sigma: 0 });
    },
  })),
  ...[2, 3].flatMap((factor) =>
    Object.entries(jpegs).map(([name, quality]) => ({
      name: `reduced-${factor}-${name}`,
      pictures: 'clean',
      bar: { gain: 0 },
      async make(picture) {
        const clean = asBytes(middle(grey(picture), SIDE));
        const small = reduced(clean, factor, 'area');
        const bytes = await asJpeg(small, quality);
        const data = await planesOf(bytes);
        // The command reads the tables of a file.
        const jpeg = readJpegInfo(bytes);
        return enlarging(clean, data, factor, { blur: 'area', sigma: deviation(data, small) }, { jpeg });
      },
    })),
  ),
  {
    name: 'blurred-jpeg',
    pictures: 'clean',
    bar: { gain: 0 },
    async make(picture) {
      const { clean, soft } = softened(picture, blurs.gaussian);
      const file = await planesOf(await asJpeg(soft, 90));
      const restore = (options) => deblur(file, blurs.gaussian, options);
      return { file, clean, restore, given: { sigma: deviation(file, soft) }, mask: inside(SIDE, MARGIN) };
    },
  },
  ...Object.entries({ 'blurred-jpeg-auto': 90, 'blurred-jpeg-50-auto': 50 }).map(([name, quality]) => ({
    name,
    pictures: 'clean',
    bar: { gain: 0 },
    async make(picture) {
      const { clean, soft } = softened(picture, blurs.disk);
      const file = await planesOf(await asJpeg(soft, quality));
      const restore = ({ kernel: known = 'auto', ...options } = {}) => deblur(file, known, options);
      const given = { kernel: blurs.disk, sigma: deviation(file, soft) };
      return { file, clean, restore, given, mask: inside(SIDE, MARGIN) };
    },
  })),
];

/** The middle of a picture, and of the same blurred: its surroundings have blurred into it. */
function softened(picture, kernel) {
  const large = grey(picture);
  const operator = blurOperator(large, checkedKernel(kernel, large.width, large.height));
  const plane = finish(operator.apply(finish(operator.mirrored(Float64Array.from(large.planes[0])))));
  return { clean: asBytes(middle(large, SIDE)), soft: middle({ ...large, planes: [plane] }, SIDE) };
}

function reduced(clean, factor, blur) {
  const size = { width: SIDE / factor, height: SIDE / factor };
  const small = finish(reductionOperator(clean, size, blur).apply(Float64Array.from(clean.planes[0])));
  return asBytes({ ...size, planes: [small], peak: 255 });
}

/** Single samples of a picture, from the middle of each square. */
function points({ planes: [plane], ...rest }, factor) {
  const side = SIDE / factor;
  const at = (i) => Math.floor((i + 0.5) * factor);
  const samples = Uint8Array.from(
    { length: side ** 2 },
    (_, i) => plane[at(Math.floor(i / side)) * SIDE + at(i % side)],
  );
  return { ...rest, width: side, height: side, planes: [samples] };
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
