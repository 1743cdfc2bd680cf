/** What runs on a GPU, with its kernels: the part of the library that is loaded when a GPU is used first. */
export { learnedRunner } from './learned.js';
export { networkRunner } from './network.js';
export { loadProblem } from './problem.js';
export { recipeRunner } from './recipe.js';
