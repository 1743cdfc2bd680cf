/**
 * Plans on many machines: a runner and workers over BullMQ and Redis, with the bits of the run in one process.
 *
 * @module ght-queue
 */

export type { ServerOptions } from './connection.js';
export { fingerprint } from './fingerprint.js';
export type { Files, PlacesAttempt, PlacesOptions, RootedPlaces, Roots } from './roots.js';
export { nameInRoots, parseMemory, parseRoots, rootedPlaces } from './roots.js';
export type { QueueRunnerOptions } from './runner.js';
export { queueRunner } from './runner.js';
export type { RunReport, WorkerReport } from './runs.js';
export { cancel, clean, runs, workers } from './runs.js';
export type { Failure, WorkerEntry } from './wire.js';
export type { QueueWorker, QueueWorkerOptions } from './worker.js';
export { queueWorker } from './worker.js';
