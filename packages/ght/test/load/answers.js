// One fixed problem for every solver on every engine, and one picture for every denoiser: digests of all bits, and errors.
import { createHash } from 'node:crypto';
import {
  denoise,
  engineNames,
  gaussianDictionary,
  overcompleteDct,
  qualities,
  randomSource,
  solve,
  solverNames,
} from 'ght';

const digest = (...arrays) => {
  const hash = createHash('sha256');
  for (const values of arrays) hash.update(values);
  return hash.digest('hex').slice(0, 16);
};

const { normal } = randomSource(11);
const answers = {};
for (const D of [overcompleteDct(8, 10), gaussianDictionary(30, 55, 8)]) {
  const Y = Float64Array.from({ length: D.N * 90 }, (_, i) => 100 * Math.sin(i / 17) + 20 * normal());
  for (const engine of engineNames.filter((name) => name !== 'auto')) {
    for (const solver of solverNames) {
      const { codes, rmse } = await solve(D, Y, { solver, engine, budget: { perPatch: 5 }, maxIterations: 15 });
      answers[`${D.name}, ${engine}, ${solver}`] = { rmse, bits: digest(codes.indptr, codes.indices, codes.values) };
    }
  }
}
const [width, height] = [61, 47];
const plane = Float64Array.from(
  { length: width * height },
  (_, i) => 128 + 60 * Math.sin((i % width) / 6) + 12 * normal(),
);
for (const quality of qualities) {
  const { image, noise } = await denoise({ width, height, planes: [plane], peak: 255 }, { quality, noise: 'white' });
  answers[`denoise, ${quality}`] = { rmse: noise.sigma[0], bits: digest(image.planes[0]) };
}
console.log(JSON.stringify({ node: process.version, answers }));
