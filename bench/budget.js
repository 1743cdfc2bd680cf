// How well the noise level determines a budget: PSNR of the best S, of the residual rule and of the threshold rule.
// usage: node bench/budget.js --images DIR [--images DIR …] [--count 12] [--stride 8] [--solver qpm …] [--atoms 10 | --orthonormal]
import { completeDct, psnr, randomSource } from 'ght';
import { denoisePaper } from 'ght/paper';
import { flags } from './flags.js';
import { greyImages } from './images.js';

const values = flags(import.meta.filename, {
  images: { type: 'string', multiple: true },
  count: { type: 'string', default: '12' },
  stride: { type: 'string', default: '8' },
  solver: { type: 'string', multiple: true, default: ['qpm', 'admm', 'joint-omp'] },
  sigma: { type: 'string', multiple: true, default: ['5', '10', '20', '40'] },
  atoms: { type: 'string', default: '10' },
  orthonormal: { type: 'boolean', default: false },
});
const images = await greyImages(values.images, Number(values.count));
const cut = values.orthonormal ? { dictionary: completeDct(8) } : { atoms: Number(values.atoms) };
const sigmas = values.sigma.map(Number);
console.log(`PSNR (atoms per patch) over ${images.length} images, stride ${values.stride}`);
console.log(
  `| | ${sigmas.map((sigma) => `σ = ${sigma}`).join(' | ')} | s per image |\n|${'---|'.repeat(sigmas.length + 2)}`,
);

for (const solver of values.solver) {
  const rows = { best: [], residual: [], threshold: [] };
  const seconds = { best: 0, residual: 0, threshold: 0 };
  for (const sigma of sigmas) {
    const sums = Object.fromEntries(Object.keys(rows).map((name) => [name, { psnr: 0, atoms: 0 }]));
    for (const [i, { image }] of images.entries()) {
      const { normal } = randomSource(i + 1);
      const noisy = { ...image, planes: [Float64Array.from(image.planes[0], (value) => value + sigma * normal())] };
      const attempt = async (name, budget) => {
        const start = performance.now();
        const result = await denoisePaper(noisy, { solver, stride: Number(values.stride), ...cut, budget, threads: 1 });
        seconds[name] += (performance.now() - start) / 1000 / sigmas.length / images.length;
        const { codes, patches, nonzeros } = result;
        return { psnr: psnr(result.image.planes[0], image.planes[0], 255), S: nonzeros, L: codes.L, P: patches };
      };
      const residual = await attempt('residual', { sigma, rule: 'residual' }).catch(() => undefined);
      const threshold = await attempt('threshold', { sigma, rule: 'threshold' });
      const tried = residual ? [residual, threshold] : [threshold];
      const [least, most] = [Math.min(...tried.map(({ S }) => S)), Math.max(...tried.map(({ S }) => S))];
      for (let k = 0; k < 7; k++) {
        const total = Math.round(0.7 * least * ((1.4 * most) / (0.7 * least)) ** (k / 6));
        tried.push(await attempt('best', { total: Math.min(total, threshold.L * threshold.P) }));
      }
      const best = tried.reduce((a, b) => (b.psnr > a.psnr ? b : a));
      for (const [name, found] of Object.entries({ best, residual, threshold })) {
        sums[name].psnr += (found?.psnr ?? Number.NaN) / images.length;
        sums[name].atoms += (found ? found.S / found.P : Number.NaN) / images.length;
      }
    }
    for (const name of Object.keys(rows))
      rows[name].push(`${sums[name].psnr.toFixed(2)} (${sums[name].atoms.toFixed(1)})`);
  }
  const names = { best: 'best S', residual: 'residual', threshold: 'threshold' };
  for (const [name, cells] of Object.entries(rows)) {
    const time = name === 'best' ? '' : seconds[name].toFixed(2);
    console.log(`| ${solver}, ${names[name]} | ${cells.join(' | ')} | ${time} |`);
  }
}
