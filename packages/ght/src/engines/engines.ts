/** The list of engines, and the choice among them for a task. */
import { EnvironmentError, type GhtError, oneOf, ResourceError } from '../errors.js';
import type { ConcreteEngine, Engine } from './engine.js';
import { enginePreference } from './engine.js';
import { portableEngine } from './portable.js';
import { referenceEngine } from './reference.js';
import { wasmEngine } from './wasm/wasm.js';

/** The names of the engines; `auto` takes the fastest that is available and can hold the problem. */
export const engineNames = ['auto', ...enginePreference] as const;

/** The name of an engine, or `auto`. */
export type EngineName = (typeof engineNames)[number];

/** All engines by their names. */
export const engines: Readonly<Record<ConcreteEngine, Engine>> = {
  wasm: wasmEngine(),
  portable: portableEngine,
  reference: referenceEngine,
};

/** The requirements of a task. */
export interface Need {
  /** Bytes that the task needs on an engine. */
  readonly bytes: (engine: Engine) => number;
  /** Its largest sample, in units of the full scale. @default 1 */
  readonly reach?: number;
}

/** The engine for a task, and the reason if `auto` would have preferred another. */
export interface Choice {
  readonly engine: Engine;
  readonly reason?: string;
}

/**
 * The engine of that name. `auto` is the first in the list that can run here, can hold the problem and keeps enough digits
 * for samples far from zero.
 */
export async function chooseEngine(name: EngineName, need: Need): Promise<Choice> {
  if (name !== 'auto') {
    const engine = engines[name];
    const state = await engine.probe();
    if (!state.available) throw impossible(EnvironmentError, name, state.why);
    const why = sizeObstacle(engine, need);
    if (why !== undefined) throw impossible(ResourceError, name, why);
    return { engine };
  }
  let doubt: string | undefined;
  for (const each of enginePreference) {
    const engine = engines[each];
    const state = await engine.probe();
    const why = state.available ? (sizeObstacle(engine, need) ?? rangeObstacle(engine, need)) : state.why;
    if (why === undefined)
      return { engine, reason: doubt && state.available ? `${state.offers}, because ${doubt}` : undefined };
    doubt ??= why;
  }
  // Portable and reference run on every host and accept every sample, so only the size can exclude them.
  throw impossible(ResourceError, name, doubt ?? 'there is none');
}

/** The engine for a problem of this size on a host with all engines: for estimates, which do not wait for a probe. */
export function fittingEngine(name: EngineName, need: Need): Engine {
  const names: readonly ConcreteEngine[] = name === 'auto' ? enginePreference : [name];
  const engine = names.map((each) => engines[each]).find((each) => sizeObstacle(each, need) === undefined);
  if (engine) return engine;
  throw impossible(ResourceError, name, sizeObstacle(engines[names[0]], need) as string);
}

/** Checks the name of an engine. */
export function checkEngineName(name: unknown): EngineName {
  return oneOf('engine', name ?? 'auto', engineNames);
}

function sizeObstacle(engine: Engine, { bytes }: Need): string | undefined {
  const needed = bytes(engine);
  const { capacity } = engine;
  if (needed <= capacity.bytes) return undefined;
  const holds = (capacity.bytes / 2 ** 30).toFixed(0);
  return `the problem needs about ${(needed / 2 ** 30).toFixed(1)} GiB, and ${capacity.of} holds ${holds}`;
}

function rangeObstacle({ range }: Engine, { reach = 1 }: Need): string | undefined {
  return reach > range
    ? `samples of ${reach.toPrecision(2)} times the full scale leave float32 too few digits`
    : undefined;
}

function impossible(Kind: typeof EnvironmentError | typeof ResourceError, name: string, why: string): GhtError {
  return new Kind('engine', `cannot be ${name}: ${why}`, name, 'use auto or portable');
}
