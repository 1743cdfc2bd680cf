// The noise of photographs is not white: demosaicking and resizing blur it. Find out what it is, and remove it.
import { denoise, describe, diagnose, psnr, randomSource } from 'ght';

// A picture: a shaded disc on a ground with waves, 160×160.
const side = 160;
const clean = Float64Array.from({ length: side * side }, (_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  return Math.hypot(x - 90, y - 60) < 46 ? 200 - y : 90 + 30 * Math.sin(x / 9 + y / 13);
});

// White noise, then the mean of 2×2 pixels: σ = 15 that is soft.
const random = randomSource(1);
const white = Float64Array.from({ length: side * side }, () => 30 * random.normal());
const at = (i) => white[i % white.length];
const noisy = clean.map((value, i) => value + (at(i) + at(i + 1) + at(i + side) + at(i + side + 1)) / 4);
const image = { width: side, height: side, planes: [noisy], peak: 255 };

// What the noise is, in a sentence; the same as data, a deviation per frequency and brightness, is in `model`.
const diagnosis = await diagnose(image);
console.log(`${describe(diagnosis).join('; ')}; confidence ${diagnosis.confidence.toFixed(2)}`);

const level = (plane) => `${psnr(plane, clean, 255).toFixed(2)} dB`;
console.log(`noisy     ${level(noisy)}`);
// Taken for white, its level is underestimated and it stays.
for (const [name, noise] of Object.entries({ white: 'white', coloured: 'auto' })) {
  const { image: cleaned } = await denoise(image, { noise });
  console.log(`${name.padEnd(9)} ${level(cleaned.planes[0])}`);
}
// More of it, or less, is one number.
const { image: stronger } = await denoise(image, { strength: 1.4 });
console.log(`stronger  ${level(stronger.planes[0])}`);
