import { InputError, wholeNumber } from '../errors.js';
import type { Image } from '../image/image.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';

/** Black pixels between two atoms. */
const GAP = 2;

/**
 * The atoms of a dictionary for square patches as a grey picture, row by row, the most used first if `uses` is given. Zero is
 * middle grey, and the largest magnitude of each atom is black or white. A sample is `zoom`×`zoom` pixels.
 */
export function drawAtoms({ N, L, atoms }: Dictionary, uses?: ArrayLike<number>, zoom = 4): Image {
  const side = Math.round(Math.sqrt(N));
  wholeNumber('zoom', zoom, 1, 64, 'use a number such as 4');
  if (side ** 2 !== N) {
    const remedy = 'draw a dictionary of square patches';
    throw new InputError('dictionary', 'must have as many rows as a square patch has pixels', N, remedy);
  }
  if (uses && uses.length !== L) {
    throw new InputError('uses', `must have one number for each of the ${L} atoms`, uses.length, 'give all or none');
  }
  const order = Array.from({ length: L }, (_, l) => l);
  if (uses) order.sort((a, b) => uses[b] - uses[a] || a - b);
  const columns = Math.ceil(Math.sqrt(L));
  const cell = side * zoom + GAP;
  const [width, height] = [columns * cell + GAP, Math.ceil(L / columns) * cell + GAP];
  const plane = new Uint8Array(width * height);
  order.forEach((l, place) => {
    const atom = atoms.data.subarray(l * N, (l + 1) * N);
    const most = atom.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
    const [left, top] = [GAP + (place % columns) * cell, GAP + Math.floor(place / columns) * cell];
    for (let y = 0; y < side * zoom; y++) {
      for (let x = 0; x < side * zoom; x++) {
        const value = atom[Math.floor(y / zoom) * side + Math.floor(x / zoom)];
        plane[(top + y) * width + left + x] = Math.round(127.5 + 127.5 * (value / most));
      }
    }
  });
  return { width, height, planes: [plane], peak: 255 };
}
