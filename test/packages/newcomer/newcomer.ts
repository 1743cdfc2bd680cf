// A first program with the library: convert, denoise, represent, decode, solve. It runs in a folder with photo.npy, Y.npy and D.npy.
import { readFile, writeFile } from 'node:fs/promises';
import { denoise, denseDictionary, fromInterleaved, type Image, represent, solve, toInterleaved } from 'ght';
import { decodeImage, readNpy, saveCodes, writeNpy } from 'ght/npy';
import { readImage, writeImage } from 'ght-images/node';

// Convert: R, G, B side by side, as files and canvases have them, into one plane per channel.
const { shape, data } = readNpy(await readFile('photo.npy'));
const [height = 0, width = 0] = shape;
const photo = fromInterleaved({ width, height, data: data as Uint8Array });

// Denoise. The result is neither rounded nor clipped; toInterleaved does both for 8 bits.
const { image: clean } = await denoise(photo);
const { data: rounded } = toInterleaved(clean);
await writeFile('clean-by-library.npy', writeNpy({ type: 'u1', shape, data: rounded }));

// Files: any format that ght-images reads, written with the depth and the metadata of the original.
const file = await readImage('photo.png');
await writeImage('clean-by-library.png', clean, file);

// Represent its green plane with 5 atoms per patch on average, and keep the codes.
const grey: Image = { width, height, planes: clean.planes.slice(1, 2), peak: 255 };
const { codes, dictionary, grid, image: shown, psnr } = await represent(grey, { budget: { perPatch: 5 } });
await writeFile('codes-by-library.npz', await saveCodes(codes, { grid, dictionary, peak: 255 }));

// Decode: the same picture from the file alone.
const { image: decoded } = await decodeImage(await readFile('codes-by-library.npz'));
const same = decoded.planes[0]?.every((value, i) => value === shown.planes[0]?.[i]);

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
