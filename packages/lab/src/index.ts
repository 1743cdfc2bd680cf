/**
 * The paper's experiments as data, the verdicts on its claims that follow from the data, and the report that shows both.
 *
 * `planRun` runs experiments and resumes a run that was stopped; `writeReport` writes what it gives. Both keep their files
 * in a `ReportStore`. Beneath them, an experiment is run by `experiments[name].run(setting)`, `judge` weighs the findings
 * and `reportFiles` draws them.
 */
export type { ExperimentName } from './catalogue.js';
export { experimentNames } from './catalogue.js';
export { judge } from './claims.js';
export { reportFiles } from './draw/index.js';
export type { Findings } from './experiments/index.js';
export { experiments } from './experiments/index.js';
export type { Outputs } from './files.js';
export { outputsOf, writeReport } from './files.js';
export { asGrey, halved, naturalPatches, paperSized } from './images.js';
export { loadWords } from './machine.js';
export type { Outcome, Report, Verdict } from './report.js';
export type { PlannedRun, RunOptions, RunProgress } from './run.js';
export { planRun } from './run.js';
export type { Experiment, NamedImage, Setting } from './setting.js';
export type { ReportStore } from './store.js';
