import { patchGrid } from '../signal/patches.js';
import { solverDefaults } from './options.js';
import type { RepresentOptions } from './represent.js';
import { atomsASide } from './represent.js';
import { chooseEngine } from './solve.js';

/** Bytes that representing an image of this size needs at its peak, about, under these options. */
export function memoryEstimate(
  width: number,
  height: number,
  channels: number,
  options: RepresentOptions = {},
): number {
  const { patch = 8, stride = patch, budget = solverDefaults.budget } = options;
  const P = patchGrid(width, height, patch, stride).count * channels;
  const N = patch ** 2;
  const L = options.dictionary?.L ?? atomsASide(patch, options.atoms) ** 2;
  // A target may take any budget; half as many atoms as samples reach most.
  const S = 'perPatch' in budget ? budget.perPatch * P : 'total' in budget ? budget.total : (N * P) / 2;
  // Y and its reconstruction; the image as it came, transformed, and rebuilt.
  return chooseEngine(options.engine).memory(N, L, P, S) + 2 * 8 * N * P + 3 * 8 * width * height * channels;
}
