// Denoise a picture without options; then in the way of the paper, under a budget that follows from the noise.
import { denoise, describe, psnr, randomSource } from 'ght';
import { denoisePaper } from 'ght/paper';

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
const level = (plane) => `${psnr(plane, clean, 255).toFixed(2)} dB`;
console.log(`noisy    ${level(noisy)}`);

// One threshold over all groups of similar patches; what the noise is, is estimated.
for (const quality of ['fast', 'balanced', 'best']) {
  const result = await denoise(image, { quality });
  console.log(`${quality.padEnd(8)} ${level(result.image.planes[0])}; ${describe(result).join('; ')}`);
}

// The paper's way: atoms until what is left over is no larger than the noise, ‖DZ − Y‖² ≤ N·P·σ².
const paper = await denoisePaper(image, { solver: 'joint-omp', budget: { sigma, rule: 'residual' }, stride: 2 });
console.log(
  `paper    ${level(paper.image.planes[0])} with ${(paper.nonzeros / paper.patches).toFixed(2)} atoms per patch`,
);
