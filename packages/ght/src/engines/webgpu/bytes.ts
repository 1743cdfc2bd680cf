/** Approximate bytes of work on a GPU, for estimates, which do not wait for a part of the library to be loaded. */
import { slotsOf } from '../../denoisers/groups/denoiser.js';
import type { Step } from '../../denoisers/groups/recipes.js';
import type { ProblemSize } from '../engine.js';

/** Approximate bytes that a problem needs in the memory of the host: the codes, and what they are read through. */
export function problemBytes({ P, S }: ProblemSize): number {
  return 12 * S + 12 * P + 2 ** 25;
}

/** Words per pixel and plane besides the pictures: four of sums, one to read the result, and one for lists and scratch. */
const OTHER_WORDS = 6;

/**
 * Approximate bytes that a recipe needs for a picture. The tiles that tasks choose have at most 2³⁰ bytes, so by this number their
 * planes have at most 2²⁷: what every GPU can bind.
 */
export function recipeBytes(recipe: readonly Step[], width: number, height: number, channels: number): number {
  return 4 * width * height * channels * (slotsOf(recipe).size + OTHER_WORDS);
}

/** Words per pixel and plane of the learned model: the plane and its result, here and on the GPU, and what is on the way between. */
const LEARNED_WORDS = 8;

/** Approximate bytes that the learned model needs for a picture; the tiles that tasks choose can be bound for the same reason. */
export function learnedBytes(width: number, height: number, channels: number): number {
  return 4 * LEARNED_WORDS * width * height * channels;
}

/** Bytes of the places and the weights of the model for colour pictures: 16 blocks at once, there and on the way. */
const NETWORK_BYTES = 2 ** 28;

/** Approximate bytes that the model for colour pictures needs for a picture: its planes, their results and what is at work at once. */
export function colourBytes(width: number, height: number): number {
  return 24 * width * height + NETWORK_BYTES;
}
