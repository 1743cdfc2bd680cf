import { expectedAtoms, resolveBudget } from '../budget/budget.js';
import { usualEngine } from '../engines/engines.js';
import { wholeNumber } from '../errors.js';
import { patchGrid } from '../signal/patches.js';
import { budgetFor } from './options.js';
import type { RepresentOptions } from './represent.js';
import { atomsPerSide, representDefaults, settleRepresent, usualDictionary } from './represent.js';

/** Approximate peak memory, in bytes, for representing an image of this size with these options, besides the image itself. */
export function memoryEstimate(
  width: number,
  height: number,
  channels: number,
  options: RepresentOptions = {},
): number {
  wholeNumber('channels', channels, 1, Number.POSITIVE_INFINITY, 'give 1 for grey or 3 for RGB');
  const settings = settleRepresent(options);
  const { patch = representDefaults.patch, stride = patch, atoms } = options;
  const P = patchGrid(width, height, patch, stride).count * channels;
  const N = patch ** 2;
  const dictionary = options.dictionary ?? usualDictionary(settings.solver, patch, atoms);
  const named = { learned: 256, paper: 100 } as const;
  const L = typeof dictionary === 'string' ? named[dictionary] : (dictionary?.L ?? atomsPerSide(patch, atoms) ** 2);
  const S = expectedAtoms(resolveBudget(budgetFor(settings, L), N, L, P, 1), N, P);
  const engine = usualEngine(settings.engine).problemBytes({ N, L, P, S });
  // The engine, whose memory may be freed late; the codes; the rebuilt image; the dictionary, its Gram matrix and tables.
  return engine + 12 * S + 4 * P + 8 * width * height * channels + 8 * (3 * N * L + 2 * L * L);
}
