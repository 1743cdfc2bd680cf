/**
 * The paper's experiments as data, verdicts on its claims from that data, and a report of both.
 *
 * `planRun` runs experiments and resumes a stopped run; `writeReport` writes the report. Both keep their files in a
 * `ReportStore`. At a lower level, `experiments[name].run(setting)` runs an experiment, `judge` decides the claims and
 * `reportFiles` draws the findings.
 */
export { type ExperimentName, experimentNames } from './catalogue.js';
export { judge } from './claims.js';
export { reportFiles } from './draw/index.js';
export { experiments, type Findings } from './experiments/index.js';
export { type Outputs, outputsOf, writeReport } from './files.js';
export { asGrey, halved, naturalPatches, paperSized } from './images.js';
export { loadText } from './machine.js';
export type { Outcome, Report, Verdict } from './report.js';
export { type PlannedRun, planRun, type RunOptions, type RunProgress } from './run.js';
export type { Experiment, NamedImage, Setting } from './setting.js';
export type { ReportStore } from './store.js';
