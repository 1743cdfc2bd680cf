// The cases of bench/diagnosis.js. Each makes a damaged picture from a clean one, the same for every run.
import { randomSource, readJpegInfo, recorrelate } from 'ght';
import { cameras, photographed } from './camera.js';
import { asBytes, asJpeg, withBanding, withBlurred, withSaltAndPepper, withWhite } from './defects.js';
import { planesOf } from './images.js';
import { cells, page } from './made-pictures.js';
import { restorationCases } from './restoration-cases.js';
import { trueSpectrum } from './true-noise.js';

/**
 * A picture to denoise: the damaged picture, the clean one, and the options or the noise model that tell the truth about the noise.
 * `mask` is 1 for the pixels that are measured; the others have no noise and should come back unchanged.
 * @typedef {{ noisy: object, clean: object, jpeg?: object, given?: object, model?: object, mask?: Uint8Array }} Sample
 */

/**
 * A case: its name, which pictures it needs, how a sample is made from a picture and a seed, and what is promised of it. `gap` is the
 * most that the mean may be below that with the truth given, `gain` the least above the file, `least` the lowest PSNR of a picture.
 * `pictures`: clean ones, those with the most texture, pairs of a noisy and a clean photograph, or none.
 */
export const cases = [
  ...[5, 15, 25, 50].map((sigma) => ({
    name: `white-${sigma}`,
    pictures: 'clean',
    make: (clean, seed) => ({ noisy: withWhite(clean, sigma, seed), clean, given: { sigma } }),
  })),
  ...['frame', 'letterbox', 'panel', 'cutout'].map((kind) => ({
    name: `framed-${kind}`,
    pictures: 'clean',
    bar: { gap: 0.3 },
    make: (clean, seed) => framed(kind, clean, asBytes(withWhite(clean, 15, seed))),
  })),
  ...Object.entries(cameras).flatMap(([strength, camera]) =>
    ['clean', 'textured'].map((pictures) => ({
      name: `${pictures === 'clean' ? 'camera' : 'texture'}-${strength}`,
      pictures,
      make(picture, seed) {
        // Half of the cameras demosaic along edges.
        const { noisy, clean } = photographed(inColour(picture), camera, seed % 2 === 0, seed);
        return { noisy, clean, model: trueSpectrum(noisy, clean) };
      },
    })),
  ),
  {
    name: 'texture-clean',
    pictures: 'textured',
    make: (clean) => ({ noisy: asBytes(clean), clean }),
  },
  ...[1, 4].flatMap((gain) =>
    ['grey', 'colour'].map((kind) => ({
      name: `poisson-${gain}-${kind}`,
      pictures: 'clean',
      bar: { gap: 0.5 },
      make(picture, seed) {
        const clean = kind === 'grey' ? { ...picture, planes: picture.planes.slice(0, 1) } : inColour(picture);
        return counted(clean, { gain, sigma: 2, offset: 0 }, seed);
      },
    })),
  ),
  ...[
    ['12-bit', 1, { gain: 4, sigma: 8, offset: 100 }, 4095, Uint16Array],
    ['16-bit', 1, { gain: 40, sigma: 60, offset: 500 }, 65535, Float32Array],
    ['colour', 3, { gain: 4, sigma: 8, offset: 100 }, 4095, Float32Array],
  ].map(([name, channels, noise, peak, Samples]) => ({
    name: `microscopy-${name}`,
    pictures: 'none',
    bar: { gap: 0.5 },
    make(side, seed) {
      const dark = cells(side, channels, seed);
      // The brightest of the cells have a few hundred photons.
      const scale = 300 * noise.gain;
      const planes = dark.planes.map((plane) => plane.map((value) => noise.offset + scale * value));
      return counted({ ...dark, planes, peak }, noise, seed, Samples);
    },
  })),
  ...[false, true].map((twoTone) => ({
    name: twoTone ? 'text-black-white' : 'text-png',
    pictures: 'none',
    bar: { least: 45 },
    async make(side, seed) {
      const clean = await page(side, seed, twoTone);
      return { noisy: clean, clean };
    },
  })),
  ...[75, 90].map((quality) => ({
    name: `text-jpeg-${quality}`,
    pictures: 'none',
    bar: { gain: 0 },
    make: async (side, seed) => throughJpeg(await page(side, seed), quality),
  })),
  {
    name: 'scan-png',
    pictures: 'none',
    async make(side, seed) {
      const clean = await page(side, seed);
      return { noisy: asBytes(withWhite(paper(clean), 6, seed)), clean: paper(clean), given: { sigma: 6 } };
    },
  },
  {
    name: 'scan-jpeg-85',
    pictures: 'none',
    async make(side, seed) {
      const clean = paper(await page(side, seed));
      return { ...(await throughJpeg(withWhite(clean, 6, seed), 85)), clean, given: { sigma: 6 } };
    },
  },
  {
    name: 'banding',
    pictures: 'clean',
    make: (clean, seed) => ({ noisy: asBytes(withBanding(clean, 10, seed)), clean }),
  },
  {
    name: 'salt-and-pepper',
    pictures: 'clean',
    make: (clean, seed) => ({ noisy: asBytes(withSaltAndPepper(clean, 0.05, seed)), clean }),
  },
  ...[70, 90].map((quality) => ({
    name: `noisy-jpeg-${quality}`,
    pictures: 'clean',
    async make(clean, seed) {
      return { ...(await throughJpeg(withWhite(clean, 15, seed), quality)), clean, given: { sigma: 15 } };
    },
  })),
  ...[60, 75, 90].map((quality) => ({
    name: `clean-jpeg-${quality}`,
    pictures: 'clean',
    bar: { gain: 0 },
    make: (clean) => throughJpeg(clean, quality),
  })),
  {
    name: 'clean-png',
    pictures: 'clean',
    make: (clean) => ({ noisy: asBytes(clean), clean }),
  },
  {
    name: 'phone-jpeg-85',
    pictures: 'clean',
    async make(picture, seed) {
      const clean = inColour(picture);
      const { noisy, jpeg } = await throughJpeg(withPhoneNoise(clean, seed), 85);
      return { noisy, jpeg, clean, model: trueSpectrum(noisy, clean) };
    },
  },
  ...['even', 'odd'].map((half) => ({
    name: `polyu-${half}`,
    pictures: half,
    make: ({ noisy, clean, jpeg }) => ({ noisy, clean, jpeg, model: trueSpectrum(noisy, clean) }),
  })),
  ...restorationCases,
];

/** A picture with constant surroundings that have no noise. */
function framed(kind, clean, noisy) {
  const { width, height } = clean;
  if (kind === 'cutout') {
    const alpha = Uint8Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [(i % width) / width - 0.5, Math.floor(i / width) / height - 0.5];
      return Math.hypot(x, y) < 0.45 ? 255 : 0;
    });
    const cut = ({ planes }) => planes.map((plane) => plane.map((value, i) => (alpha[i] ? value : 255)));
    return {
      ...{ noisy: { ...noisy, planes: cut(noisy), alpha }, clean: { ...clean, planes: cut(clean) } },
      ...{ given: { sigma: 15 }, mask: alpha },
    };
  }
  // Left, top, right and bottom margins in pixels, and their colour.
  const [margins, colour] = {
    frame: [
      [30, 30, 30, 30],
      [250, 243, 224],
    ],
    letterbox: [
      [0, 40, 0, 40],
      [0, 0, 0],
    ],
    panel: [
      [0, 0, Math.round(width / 2), 0],
      [128, 128, 128],
    ],
  }[kind];
  const [left, top, right, bottom] = margins;
  const size = { width: width + left + right, height: height + top + bottom };
  const placed = (plane, value) => {
    const large = new plane.constructor(size.width * size.height).fill(value);
    for (let y = 0; y < height; y++) {
      large.set(plane.subarray(y * width, (y + 1) * width), (top + y) * size.width + left);
    }
    return large;
  };
  const around = ({ planes }) => ({ ...size, planes: planes.map((plane, c) => placed(plane, colour[c])), peak: 255 });
  const mask = placed(new Uint8Array(width * height).fill(1), 0);
  return { noisy: around(noisy), clean: around(clean), given: { sigma: 15 }, mask };
}

/** Photons counted and read: y = offset + gain · Poisson((x − offset)/gain) + N(0, σ²). */
function counted(clean, { gain, sigma, offset }, seed, Samples = Float32Array) {
  const { poisson, normal } = randomSource(seed);
  const planes = clean.planes.map((plane) =>
    Samples.from(plane, (x) => {
      const value = offset + gain * poisson((x - offset) / gain) + sigma * normal();
      return Samples === Uint16Array ? Math.min(clean.peak, Math.max(0, Math.round(value))) : value;
    }),
  );
  return { noisy: { ...clean, planes }, clean, given: { noise: { gain, sigma, offset } } };
}

/** A JPEG file, decoded, with its tables as the command reads them. */
async function throughJpeg(clean, quality) {
  const file = await asJpeg(clean, quality);
  const noisy = await planesOf(file);
  // A grey picture that sharp writes in colour comes back with equal channels, which planesOf has merged.
  return { noisy, clean, jpeg: readJpegInfo(file) };
}

/** A page as a scanner sees it: neither white nor black is clipped. */
function paper(image) {
  return { ...image, planes: image.planes.map((plane) => plane.map((value) => 30 + Math.round(0.8 * value))) };
}

/** Luma noise that is blurred slightly, and stronger chroma noise that is blurred widely. */
function withPhoneNoise(image, seed) {
  const { width, height } = image;
  const empty = { width, height, planes: [new Float64Array(width * height)] };
  const noise = recorrelate([
    withBlurred(empty, 14, 3 * seed, 0.7).planes[0],
    ...[1, 2].map((c) => withBlurred(empty, 16, 3 * seed + c, 2).planes[0]),
  ]);
  return {
    ...image,
    planes: image.planes.map((plane, c) => Float64Array.from(plane, (value, i) => value + noise[c][i])),
  };
}

function inColour(image) {
  return image.planes.length === 3 ? image : { ...image, planes: [0, 1, 2].map(() => image.planes[0]) };
}
