import { type EngineInfo, overcompleteDct, solve } from 'ght';
import type { ExperimentName } from './catalogue.js';
import { optionsOf } from './contenders.js';
import { experiments } from './experiments/index.js';
import { naturalPatches } from './images.js';
import type { Setting } from './setting.js';

/** Seconds of the probe on the machine where the experiments were timed: with one thread when quick, else with two. */
const PROBE_SECONDS = { quick: 0.28, full: 0.17 };

/** The engine and the speed that the experiments will run with. */
export interface Probe {
  readonly engine: EngineInfo;
  /** The speed of this machine relative to the one where the experiments were timed. */
  readonly speed: number;
}

/** Measures this machine with a short run of GHT-QPM. */
export async function probeMachine({ quick, collection, threads, signal }: Setting): Promise<Probe> {
  const Y = naturalPatches(collection, 2 ** 14, 1);
  const options = { ...optionsOf('qpm', 'natural'), tolerance: 0, threads, peak: 255, signal };
  const { engine, history } = await solve(overcompleteDct(8, 10), Y, options);
  const usual = 1000 * PROBE_SECONDS[quick ? 'quick' : 'full'];
  return { engine, speed: usual / (history.at(-1)?.ms ?? usual) };
}

/** Approximate seconds that an experiment takes on a machine of this speed. */
export function estimateSeconds(name: ExperimentName, quick: boolean, speed: number): number {
  return experiments[name].seconds[quick ? 'quick' : 'full'] / speed;
}
