// Denoise a picture with one global budget that the noise itself decides.
import { denoise, psnr, randomSource } from 'ght';

// A picture: a shaded disc on a striped ground, 128×128.
const side = 128;
const clean = Float64Array.from({ length: side * side }, (_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  return Math.hypot(x - 70, y - 50) < 36 ? 200 - y : 80 + 40 * Math.sin(x / 2 + y / 5);
});

// Gaussian noise of σ = 20, seeded; nothing is rounded or clipped.
const sigma = 20;
const random = randomSource(1);
const noisy = clean.map((value) => value + sigma * random.normal());
const image = { width: side, height: side, planes: [noisy], peak: 255 };

// Spend atoms until what is left over is no larger than the noise: ‖DZ − Y‖² ≤ N·P·σ².
const {
  image: cleaned,
  nonzeros,
  patches,
} = await denoise(image, {
  solver: 'joint-omp',
  budget: { sigma },
  stride: 2,
});

const level = (plane) => `${psnr(plane, clean, 255).toFixed(2)} dB`;
console.log(`noisy    ${level(noisy)}`);
console.log(`denoised ${level(cleaned.planes[0])} with ${(nonzeros / patches).toFixed(2)} atoms a patch`);
