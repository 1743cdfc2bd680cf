// A dictionary of one's own: 64×128, the DCT together with a basis of edges, compared with the DCT alone.
import { coherence, completeDct, denseDictionary, represent } from 'ght';

// Atoms are columns, one after the other, each as long as a patch has pixels, row by row. Here: the orthonormal DCT of 8×8 patches,
// then steps: bright on one side of a line, dark on the other, for 8 directions and 8 positions of the line.
const dct = completeDct(8);
const edges = [];
for (let direction = 0; direction < 8; direction++) {
  const [dx, dy] = [Math.cos((Math.PI * direction) / 8), Math.sin((Math.PI * direction) / 8)];
  for (let position = 0; position < 8; position++) {
    const step = Array.from({ length: 64 }, (_, n) => {
      const across = ((n % 8) - 3.5) * dx + (Math.floor(n / 8) - 3.5) * dy;
      return Math.tanh(3 * (across - position + 3.5));
    });
    const norm = Math.hypot(...step);
    edges.push(...step.map((value) => value / norm));
  }
}
const own = denseDictionary(64, 128, [...dct.atoms.data, ...edges], 'DCT and edges');
console.log(`${own.name}: coherence ${coherence(own).toFixed(3)}`);

// A picture of edges: discs on a plain ground, 128×128.
const side = 128;
const plane = Float64Array.from({ length: side * side }, (_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  return Math.hypot(x - 45, y - 50) < 30 ? 200 : Math.hypot(x - 90, y - 85) < 25 ? 40 : 120;
});
const image = { width: side, height: side, planes: [plane], peak: 255 };
for (const dictionary of [dct, own]) {
  const { psnr, nonzeros } = await represent(image, { dictionary, solver: 'joint-omp', budget: { perPatch: 3 } });
  console.log(`${dictionary.name.padEnd(20)}  ${psnr.toFixed(2)} dB with ${nonzeros} atoms`);
}
