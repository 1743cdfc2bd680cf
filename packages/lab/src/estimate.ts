import type { EngineInfo } from 'ght';
import { overcompleteDct, solve } from 'ght';
import type { ExperimentName } from './catalogue.js';
import { optionsOf } from './contenders.js';
import { experiments } from './experiments/index.js';
import { naturalPatches } from './images.js';
import type { Setting } from './setting.js';

/** Seconds of the probe on the machine on which the experiments' seconds were taken. */
const PROBE_SECONDS = 0.2;

/** What the experiments will run on. */
export interface Probe {
  readonly engine: EngineInfo;
  /** How fast this machine is beside the one on which the experiments' seconds were taken. */
  readonly speed: number;
}

/** Tries this machine with a short run of GHT-QPM. */
export async function probeMachine({ collection, threads, signal }: Setting): Promise<Probe> {
  const Y = naturalPatches(collection, 2 ** 14, 1);
  const options = { ...optionsOf('qpm', 'natural'), tolerance: 0, threads, peak: 255, signal };
  const { engine, history } = await solve(overcompleteDct(8, 10), Y, options);
  return { engine, speed: (1000 * PROBE_SECONDS) / (history.at(-1)?.ms ?? 1000 * PROBE_SECONDS) };
}

/** About how many seconds an experiment takes on a machine of this speed. */
export function estimateSeconds(name: ExperimentName, quick: boolean, speed: number): number {
  return experiments[name].seconds[quick ? 'quick' : 'full'] / speed;
}
