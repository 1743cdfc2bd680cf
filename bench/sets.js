// Several images under one budget, compared with a budget for each; and bands together, compared with each alone:
//
//     npm run build && node bench/sets.js
//
// The images are the middles of CC0 photographs, in grey; the bands are made of them. Prints the tables of docs/represent.md and docs/denoising.md.
import { denoise, learnedDictionary, psnr, randomSource, represent, representJoint } from 'ght';
import { cc0Photographs } from './images.js';

const SIDE = 192;
const imageOf = (...planes) => ({ width: SIDE, height: SIDE, planes, peak: 255 });
const found = (await cc0Photographs()).map(({ name, image: { width, height, planes } }) => {
  const [left, top] = [Math.floor((width - SIDE) / 2), Math.floor((height - SIDE) / 2)];
  const grey = Float64Array.from({ length: SIDE ** 2 }, (_, i) => {
    const at = (top + Math.floor(i / SIDE)) * width + left + (i % SIDE);
    return planes.reduce((sum, plane) => sum + plane[at], 0) / planes.length;
  });
  return { name, grey };
});
const photographs = found.map(({ grey }) => grey);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const range = (values) => `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;

console.log(`${found.length} images: ${found.map(({ name }) => name).join(', ')}\n`);
console.log(
  '| atoms per patch | PSNR of the set: one budget each | one budget for all | atoms per patch of an image | PSNR of an image: one budget each | one for all |',
);
console.log('|---|---|---|---|---|---|');
for (const perPatch of [2, 5, 10]) {
  const dictionary = learnedDictionary(perPatch);
  const images = photographs.map((plane) => imageOf(plane));
  const set = await representJoint(images, { budget: { perPatch }, dictionary });
  const each = [];
  for (const image of images) each.push(await represent(image, { budget: { perPatch }, dictionary }));
  const alone = psnr(Math.sqrt(mean(each.map(({ rmsePixel }) => rmsePixel ** 2))), 255);
  const spent = range(set.images.map(({ nonzeros, patches }) => nonzeros / patches));
  const levels = [range(each.map((one) => one.psnr)), range(set.images.map((one) => one.psnr))];
  console.log(
    `| ${perPatch} | ${alone.toFixed(2)} dB | ${set.psnr.toFixed(2)} dB | ${spent} | ${levels.join(' dB | ')} dB |`,
  );
}

const sum = (...terms) =>
  Float64Array.from({ length: SIDE ** 2 }, (_, i) =>
    terms.reduce((all, [weight, plane]) => all + weight * plane[i], 0),
  );
const [a, b, c, d] = photographs;
/** Spots and threads, as stained nuclei and filaments. */
const random = randomSource(3);
const spots = new Float64Array(SIDE ** 2);
for (let k = 0; k < 60; k++) {
  const [x, y, r, v] = [
    random.uniform() * SIDE,
    random.uniform() * SIDE,
    4 + 8 * random.uniform(),
    60 + 120 * random.uniform(),
  ];
  for (let i = 0; i < spots.length; i++) {
    const q = Math.hypot((i % SIDE) - x, Math.floor(i / SIDE) - y) / r;
    if (q < 1) spots[i] = Math.max(spots[i], v * (1 - 0.3 * q * q));
  }
}
const threads = new Float64Array(SIDE ** 2);
for (let k = 0; k < 50; k++) {
  let [x, y, turn] = [random.uniform() * SIDE, random.uniform() * SIDE, 2 * Math.PI * random.uniform()];
  const bright = 80 + 100 * random.uniform();
  for (let step = 0; step < 120; step++) {
    x += Math.cos(turn);
    y += Math.sin(turn);
    turn += 0.15 * random.normal();
    for (let v = Math.round(y) - 2; v <= Math.round(y) + 2; v++) {
      for (let u = Math.round(x) - 2; u <= Math.round(x) + 2; u++) {
        if (u < 0 || v < 0 || u >= SIDE || v >= SIDE) continue;
        threads[v * SIDE + u] = Math.max(
          threads[v * SIDE + u],
          bright * Math.exp(-((u - x) ** 2 + (v - y) ** 2) / 1.5),
        );
      }
    }
  }
}
/** Four materials with smooth spectra. */
const spectrum = (n) =>
  Array.from({ length: n }, (_, k) => {
    const bell = (middle, width) => Math.exp(-(((k / (n - 1) - middle) / width) ** 2) / 2);
    return sum([0.8 * bell(0.2, 0.25), a], [0.7 * bell(0.5, 0.25), b], [0.8 * bell(0.8, 0.3), c], [0.2, d]);
  });
const sets = {
  '4 bands, one picture': [a, sum([0.8, a]), sum([0.6, a]), sum([0.9, a])],
  '4 bands of two dyes: spots, threads, and two mixtures': [
    spots,
    threads,
    sum([0.5, spots], [0.5, threads]),
    sum([0.2, spots], [0.8, threads]),
  ],
  '2 bands: spots with a fifth of the threads, threads': [sum([1, spots], [0.2, threads]), threads],
  '4 bands, different pictures': [a, b, c, d],
  '4 bands, partly shared': [
    sum([0.7, a], [0.3, b]),
    sum([0.5, a], [0.5, c]),
    sum([0.3, a], [0.6, d]),
    sum([0.5, a], [0.5, d]),
  ],
  'spectrum of 4 materials, 8 bands': spectrum(8),
  'spectrum of 4 materials, 16 bands': spectrum(16),
};
console.log('\n| bands | σ | each alone | together | gain of the least and the most | CPU time |');
console.log('|---|---|---|---|---|---|');
for (const [name, clean] of Object.entries(sets)) {
  for (const base of [10, 30]) {
    const noise = randomSource(11);
    const sigma = clean.map((_, k) => base * (1 + 0.3 * ((k % 3) - 1)));
    const noisy = clean.map((plane, k) => plane.map((value) => value + sigma[k] * noise.normal()));
    const start = process.cpuUsage();
    const alone = [];
    for (const [k, plane] of noisy.entries())
      alone.push((await denoise(imageOf(plane), { sigma: sigma[k] })).image.planes[0]);
    const between = process.cpuUsage();
    const { image } = await denoise(imageOf(...noisy), { sigma, channels: 'bands' });
    const { user } = process.cpuUsage(between);
    const levels = [alone, image.planes].map((planes) => planes.map((plane, k) => psnr(plane, clean[k], 255)));
    const gains = levels[1].map((level, k) => level - levels[0][k]);
    const [least, most] = [Math.min(...gains), Math.max(...gains)].map((gain) =>
      gain < 0.005 && gain > -0.005 ? '0' : gain.toFixed(2),
    );
    const times = (user / (between.user - start.user)).toFixed(2);
    console.log(
      `| ${name} | ${base} | ${mean(levels[0]).toFixed(2)} dB | ${mean(levels[1]).toFixed(2)} dB | ${least}, ${most} dB | ${times} |`,
    );
  }
}
