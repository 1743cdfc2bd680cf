/**
 * The paper's experiments as data, the verdicts on its claims that follow from the data, and the report that shows both.
 *
 * An experiment is run by `experiments[name].run(setting)`; `judge` weighs the findings; `reportFiles` draws them.
 */
export type { ExperimentName } from './catalogue.js';
export { experimentNames } from './catalogue.js';
export { judge } from './claims.js';
export { reportFiles } from './draw/index.js';
export { estimateSeconds, probeMachine } from './estimate.js';
export type { Findings } from './experiments/index.js';
export { experiments } from './experiments/index.js';
export { asGrey, halved, naturalPatches, paperSized } from './images.js';
export type { Outcome, Report, Verdict } from './report.js';
export type { Experiment, NamedImage, Setting } from './setting.js';
