/** Images beyond one memory: sources, sinks, plans and runners. */

export type { DenoiseLargeOptions } from './denoise-large.js';
export { denoiseLarge } from './denoise-large.js';
export type { DenoisedTiles, DenoiseRequest } from './denoise-plan.js';
export { denoisePlan } from './denoise-plan.js';
export { runHere } from './here.js';
export type { MemorySink } from './memory.js';
export { memoryScratch, memorySink, memorySource, pictureOf } from './memory.js';
export type { Picture, Rectangle } from './picture.js';
export type { Data, Job, Pass, Places, Plan, Runner, RunProgress, RunWatch, Scratch } from './plan.js';
export type { Sink } from './sink.js';
export type { Source } from './source.js';
