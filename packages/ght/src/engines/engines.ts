/** The list of engines, and the choice among them for a task. */
import { EnvironmentError, oneOf } from '../errors.js';
import type { ConcreteEngine, Engine } from './engine.js';
import { enginePreference } from './engine.js';
import { portableEngine } from './portable.js';
import { referenceEngine } from './reference.js';
import { wasmEngine } from './wasm/wasm.js';
import { webgpuEngine } from './webgpu/webgpu.js';

/** The names of the engines; `auto` takes the fastest that is available. */
export const engineNames = ['auto', ...enginePreference] as const;

/** The name of an engine, or `auto`. */
export type EngineName = (typeof engineNames)[number];

/** All engines by their names. */
export const engines: Readonly<Record<ConcreteEngine, Engine>> = {
  webgpu: webgpuEngine(),
  wasm: wasmEngine(),
  portable: portableEngine,
  reference: referenceEngine,
};

/** The engine for a task, and the reason if `auto` would have preferred another. */
export interface Choice {
  readonly engine: Engine;
  readonly reason?: string;
}

/**
 * The engine of that name. `auto` is the first in the list that can run here and keeps enough digits for samples far from zero;
 * `reach` is the largest sample, in units of the full scale.
 */
export async function chooseEngine(name: EngineName, reach = 1): Promise<Choice> {
  if (name !== 'auto') {
    const engine = engines[name];
    const state = await engine.probe();
    if (!state.available) throw impossible(name, state.why);
    return { engine };
  }
  let doubt: string | undefined;
  for (const each of enginePreference) {
    if (each === 'webgpu') continue;
    const engine = engines[each];
    const state = await engine.probe();
    const why = state.available ? rangeObstacle(engine, reach) : state.why;
    if (why === undefined)
      return { engine, reason: doubt && state.available ? `${state.offers}, because ${doubt}` : undefined };
    doubt ??= why;
  }
  throw impossible(name, doubt ?? 'there is none');
}

/** The engine of that name on a host with all engines: for estimates, which do not wait for a probe. */
export function usualEngine(name: EngineName): Engine {
  return engines[name === 'auto' ? 'wasm' : name];
}

/** Checks the name of an engine. */
export function checkEngineName(name: unknown): EngineName {
  return oneOf('engine', name ?? 'auto', engineNames);
}

function rangeObstacle({ range }: Engine, reach: number): string | undefined {
  return reach > range
    ? `samples of ${reach.toPrecision(2)} times the full scale leave float32 too few digits`
    : undefined;
}

function impossible(name: string, why: string): EnvironmentError {
  return new EnvironmentError('engine', `cannot be ${name}: ${why}`, name, 'use auto or portable');
}
