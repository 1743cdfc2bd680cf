// Learning a dictionary from images that are made (or read) one after the other, and using it for an image that is not among them.
import { learn, overcompleteDct, represent } from 'ght';

// Pictures of discs with sharp edges, 96×96. A generator like this can as well read the files of a folder: only one image is in memory.
const side = 96;
function disc(i) {
  const [cx, cy, radius] = [20 + ((37 * i) % 56), 20 + ((23 * i) % 56), 8 + ((11 * i) % 20)];
  const plane = Float64Array.from({ length: side * side }, (_, n) => {
    const inside = Math.hypot((n % side) - cx, Math.floor(n / side) - cy) < radius;
    return inside ? 200 : 70;
  });
  return { width: side, height: side, planes: [plane], peak: 255 };
}
function* discs() {
  for (let i = 0; i < 12; i++) yield disc(i);
}

const budget = { perPatch: 3 };
const { dictionary, initialRmse, rmse, best } = await learn(discs(), {
  ...{ atoms: 144, separable: true, patches: 8192, iterations: 12, budget },
  onBest: (_, { k, heldOut }) => console.log(`iteration ${k}: RMSE ${heldOut.toFixed(2)} per held-out patch`),
});
console.log(`${dictionary.name}: RMSE ${initialRmse.toFixed(2)} before, ${rmse.toFixed(2)} after ${best} iterations`);

const other = disc(13);
for (const [name, D] of Object.entries({ DCT: overcompleteDct(8, 12), learned: dictionary })) {
  const { psnr } = await represent(other, { dictionary: D, solver: 'joint-omp', budget });
  console.log(`${name.padEnd(8)} ${psnr.toFixed(2)} dB`);
}
