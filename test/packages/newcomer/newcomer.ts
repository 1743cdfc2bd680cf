// A first program with the library: convert, denoise, represent, decode, solve. It runs in a folder with photo.npy, Y.npy and D.npy.
import { readFile, writeFile } from 'node:fs/promises';
import {
  aggregate,
  denoise,
  denseDictionary,
  type Image,
  loadCodes,
  readNpy,
  reconstruct,
  represent,
  saveCodes,
  solve,
  writeNpy,
} from 'ght';

// Convert: R, G, B side by side, as files and canvases have them, into one plane per channel.
const { shape, data } = readNpy(await readFile('photo.npy'));
const [height = 0, width = 0] = shape;
const plane = (channel: number) => data.filter((_: number, i: number) => i % 3 === channel) as Uint8Array;
const photo: Image = { width, height, planes: [plane(0), plane(1), plane(2)], peak: 255 };

// Denoise. The result is neither rounded nor clipped; a Uint8ClampedArray does both.
const { image: clean } = await denoise(photo);
const rounded = new Uint8ClampedArray(3 * width * height);
for (const [channel, samples] of clean.planes.entries()) {
  for (const [i, value] of samples.entries()) rounded[3 * i + channel] = value;
}
await writeFile('clean-by-library.npy', writeNpy({ type: 'u1', shape, data: rounded }));

// Represent its green plane with 5 atoms per patch on average, and keep the codes.
const grey: Image = { width, height, planes: clean.planes.slice(1, 2), peak: 255 };
const { codes, dictionary, grid, image: shown, psnr } = await represent(grey, { budget: { perPatch: 5 } });
await writeFile('codes-by-library.npz', await saveCodes(codes));

// Decode: the same picture from the file, with the dictionary and the grid of patches.
const loaded = await loadCodes(await readFile('codes-by-library.npz'));
const decoded = aggregate(grid, reconstruct(dictionary, loaded));
const same = decoded.every((value, i) => value === shown.planes[0]?.[i]);

// Solve: any signals, any dictionary. NumPy saves row after row; the library takes column after column.
async function columnsOf(file: string) {
  const { shape, data } = readNpy(await readFile(file));
  const [rows = 0, columns = 0] = shape;
  const entry = (i: number) => data[(i % rows) * columns + Math.floor(i / rows)] ?? 0;
  return { rows, columns, entries: Float64Array.from(data, (_, i) => entry(i)) };
}
const [D, Y] = [await columnsOf('D.npy'), await columnsOf('Y.npy')];
const solved = await solve(denseDictionary(D.rows, D.columns, D.entries), Y.entries, {
  solver: 'joint-omp',
  budget: { total: 60 },
});

console.log(JSON.stringify({ psnr, same, rmse: solved.rmse }));
