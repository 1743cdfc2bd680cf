// Dictionaries at the same budget on the same images: the PSNR of the paper's 64×100 DCT, and how much others gain.
// usage: node bench/dictionaries.js --images DIR [--images DIR …] [--count 6] [--solver joint-omp] [--budgets 5,10,20]
import { learnedDictionary, overcompleteDct, represent } from 'ght';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '6' },
  solver: { type: 'string', default: 'joint-omp' },
  budgets: { type: 'string', default: '5,10,20' },
});
const images = await greyImages(values.images, Number(values.count));
const budgets = values.budgets.split(',').map(Number);
const solver = values.solver;
const contenders = [
  ['DCT 64×256', overcompleteDct(8, 16)],
  ['learned for s = 5', learnedDictionary(5)],
  ['learned for s = 20', learnedDictionary(20)],
];
const psnrOf = async (image, s, dictionary) => {
  const refit = solver === 'admm' || solver === 'qpm' ? { refit: true } : {};
  return (await represent(image, { solver, ...refit, budget: { perPatch: s }, dictionary })).psnr;
};

console.log(
  `${images.length} images, ${solver}: mean PSNR of the 64×100 DCT, and the gain over it in dB (least to most)\n`,
);
console.log(`| | ${budgets.map((s) => `s = ${s}`).join(' | ')} |\n|${'---|'.repeat(budgets.length + 1)}`);
const paper = [];
for (const s of budgets) {
  const row = [];
  for (const { image } of images) row.push(await psnrOf(image, s, 'paper'));
  paper.push(row);
}
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
console.log(`| DCT 64×100 | ${paper.map((row) => mean(row).toFixed(2)).join(' | ')} |`);
for (const [name, dictionary] of contenders) {
  const cells = [];
  for (const [i, s] of budgets.entries()) {
    const gains = [];
    for (const [j, { image }] of images.entries()) gains.push((await psnrOf(image, s, dictionary)) - paper[i][j]);
    const [least, most] = [Math.min(...gains), Math.max(...gains)].map((gain) => gain.toFixed(2));
    cells.push(`${mean(gains).toFixed(2)} (${least} to ${most})`);
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
