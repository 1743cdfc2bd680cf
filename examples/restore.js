// Fill missing pixels, remove a blur, enlarge; and restore what an operator of your own has done.
import { deblur, gaussianKernel, inpaint, psnr, randomSource, restore, upscale } from 'ght';

// A picture: a shaded disc on a striped ground, 96×96.
const side = 96;
const clean = Float64Array.from({ length: side * side }, (_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  return Math.hypot(x - 55, y - 40) < 28 ? 200 - y : 80 + 40 * Math.sin(x / 2 + y / 5);
});
const picture = (width, height, plane) => ({ width, height, planes: [plane], peak: 255 });
const level = (plane) => `${psnr(plane, clean, 255).toFixed(2)} dB`;

// Half of the pixels are missing: the mask is 1 there, and their values are ignored. Known pixels stay as they are.
const random = randomSource(1);
const mask = Uint8Array.from(clean, () => Number(random.uniform() < 0.5));
const holes = clean.map((value, i) => (mask[i] ? 0 : value));
const filled = await inpaint(picture(side, side, holes), mask);
console.log(`inpaint  ${level(holes)} before, ${level(filled.image.planes[0])} after`);

// An operator of your own: each sample is the mean of two neighbouring columns. Besides `apply`, `restore` needs its adjoint only.
const half = side / 2;
const pairs = {
  ...{ width: side, height: side },
  apply: (x) => Float64Array.from({ length: half * side }, (_, i) => (x[2 * i] + x[2 * i + 1]) / 2),
  adjoint: (r) => Float64Array.from({ length: side * side }, (_, i) => r[Math.floor(i / 2)] / 2),
};
const narrow = pairs.apply(clean);
const wide = clean.map((_, i) => narrow[Math.floor(i / 2)]);
const restored = await restore(picture(half, side, narrow), pairs, { quality: 'best' });
console.log(`restore  ${level(wide)} before, ${level(restored.image.planes[0])} after`);

// The mean of 2×2 pixels is what a coarser camera sees. `blur` says how the small picture was made.
const small = Float64Array.from({ length: half * half }, (_, i) => {
  const at = 2 * (i % half) + 2 * side * Math.floor(i / half);
  return (clean[at] + clean[at + 1] + clean[at + side] + clean[at + side + 1]) / 4;
});
const repeated = clean.map((_, i) => small[(Math.floor(i / side) >> 1) * half + ((i % side) >> 1)]);
const large = await upscale(picture(half, half, small), 2, { blur: 'area' });
console.log(`upscale  ${level(repeated)} before, ${level(large.image.planes[0])} after`);

// A blur with a Gaussian, and noise. σ is estimated if it is not given; the kernel must be known.
const kernel = gaussianKernel(1.2);
const [reach, total] = [kernel.width >> 1, kernel.data.reduce((sum, weight) => sum + weight, 0)];
const inside = (value) => Math.min(side - 1, Math.max(0, value));
const blurred = clean.map((_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  const weighted = kernel.data.map((weight, k) => {
    const [u, v] = [(k % kernel.width) - reach, Math.floor(k / kernel.width) - reach];
    return weight * clean[inside(y - v) * side + inside(x - u)];
  });
  return weighted.reduce((sum, value) => sum + value, 0) / total + random.normal();
});
const sharp = await deblur(picture(side, side, blurred), kernel);
console.log(
  `deblur   ${level(blurred)} before, ${level(sharp.image.planes[0])} after; σ estimated as ${sharp.sigma.toFixed(1)}`,
);
