/** Images beyond one memory: sources, sinks, plans and runners. */

export type { Picture, Rectangle } from './picture.js';
export type { Data, Job, Pass, Places, Plan, Runner, RunProgress, RunWatch, Scratch } from './plan.js';
export type { Sink } from './sink.js';
export type { Source } from './source.js';
