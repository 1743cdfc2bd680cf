/** The list of engines, the choice among them for a task, and what happens when one fails. */
import { cores } from '#threads';
import { EngineFailure, EnvironmentError, oneOf } from '../errors.js';
import type { SolverName } from '../solvers/catalogue.js';
import type { Effort } from '../solvers/joint-omp.js';
import { type Calibrated, slowness } from './calibration.js';
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

/** What an engine is wanted for. */
export interface Wanted {
  /** The largest sample, in units of the full scale. @default 1 */
  readonly reach?: number;
  /** The solver that is to run, and its effort. */
  readonly solver?: SolverName;
  readonly effort?: Effort;
  /** For `auto`: the kind of work, and about how many seconds one core of the CPU needs for it. @default no GPU is considered */
  readonly work?: { readonly kind: Calibrated; readonly seconds: number };
}

/** The engine for a task, and why not the one that was asked for or is preferred. */
export interface Choice {
  readonly engine: Engine;
  readonly instead?: string;
}

/** Seconds of work on all cores of the CPU from which on a GPU is considered: opening one and measuring it takes about one. */
const WORTH_GPU = 1.5;

/**
 * The engine of that name. `auto` is the first in the list that can run here, runs the solver, keeps enough digits for samples far
 * from zero, and, for a GPU, was measured to be faster. A GPU that was asked for but cannot be used is replaced as by `auto`.
 */
export async function chooseEngine(name: EngineName, wanted: Wanted = {}): Promise<Choice> {
  if (name !== 'auto' && name !== 'webgpu') {
    const engine = engines[name];
    const state = await engine.probe();
    if (!state.available) throw impossible(name, state.why);
    return { engine };
  }
  let instead: string | undefined;
  for (const each of enginePreference) {
    const engine = engines[each];
    if (each === 'webgpu' && name === 'auto' && !(await isConsidered(engine, wanted))) continue;
    const why = await obstacle(engine, name, wanted);
    if (why === undefined) return { engine, instead };
    instead ??= `${each} is not used: ${why}`;
  }
  throw impossible(name, instead ?? 'there is none');
}

/** Runs work on the engine of that name; if the engine fails meanwhile, once more from the start on the CPU, and says so. */
export async function onEngine<T>(name: EngineName, wanted: Wanted, run: (choice: Choice) => Promise<T>): Promise<T> {
  try {
    return await run(await chooseEngine(name, wanted));
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return run(await insteadOf(error, wanted));
  }
}

/** The engine that takes the place of one that failed. */
export async function insteadOf({ why }: EngineFailure, wanted: Wanted = {}): Promise<Choice> {
  const { engine } = await chooseEngine('auto', { ...wanted, work: undefined });
  return { engine, instead: `webgpu was given up: ${why}` };
}

/** An engine on this host: what it offers, or why it is not available. */
export interface EngineState {
  /** Its name, as in the option `engine`. */
  readonly name: ConcreteEngine;
  /** Whether it can run here. */
  readonly available: boolean;
  /** What it offers here (the instructions, the adapter of a GPU and its limits), or why it cannot run. */
  readonly words: string;
}

/**
 * What each engine offers on this host, or why it cannot run. This looks for a GPU; in Node it imports the package `webgpu`, if it is
 * installed.
 */
export function probeEngines(): Promise<EngineState[]> {
  return Promise.all(
    enginePreference.map(async (name) => {
      const state = await engines[name].probe();
      return { name, available: state.available, words: state.available ? state.offers : state.why };
    }),
  );
}

/** The engine of that name on a host with all engines except a GPU: for estimates, which do not wait for a probe. */
export function usualEngine(name: EngineName): Engine {
  return engines[name === 'auto' ? 'wasm' : name];
}

/** Checks the name of an engine. */
export function checkEngineName(name: unknown): EngineName {
  return oneOf('engine', name ?? 'auto', engineNames);
}

/** Whether `auto` looks at the GPU. That there is none is no news to somebody who has not asked for it. */
async function isConsidered(gpu: Engine, { work }: Wanted): Promise<boolean> {
  return work !== undefined && work.seconds >= WORTH_GPU * cores && (await gpu.probe()).available;
}

/** Why an engine is not to be used; undefined if it is. */
async function obstacle(engine: Engine, name: EngineName, wanted: Wanted): Promise<string | undefined> {
  const { reach = 1, solver, effort = 1, work } = wanted;
  const left = solver && engine.leaves?.(solver, effort);
  if (left) return left;
  if (reach > engine.range) {
    return `samples of ${reach.toPrecision(2)} times the full scale leave float32 too few digits`;
  }
  const state = await engine.probe();
  if (!state.available) return state.why;
  if (engine.name !== 'webgpu' || name === 'webgpu' || !work) return undefined;
  return slowness(engine, engines.wasm, work.kind);
}

function impossible(name: string, why: string): EnvironmentError {
  return new EnvironmentError('engine', `cannot be ${name}: ${why}`, name, 'use auto or portable');
}
