/** The list of engines, the choice among them for a task, and what happens when one fails. */
import { cores } from '#threads';
import { EngineFailure, EnvironmentError, OptionError, oneOf, ResourceError } from '../errors.js';
import type { SolverName } from '../sparse/solvers/catalogue.js';
import type { Effort } from '../sparse/solvers/joint-omp.js';
import { type Calibrated, slowness } from './calibration.js';
import type { ConcreteEngine, Engine, EngineFeatures, EngineInfo, EngineObstacle, PlainOption } from './engine.js';
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
  /** The number of atoms. @default 1 */
  readonly atoms?: number;
  /** An option that not every engine has. */
  readonly option?: PlainOption;
  /** For `auto`: the kind of work, and about how many seconds one core of the CPU needs for it. @default no GPU is considered */
  readonly work?: { readonly kind: Calibrated; readonly seconds: number };
}

/** The engine for a task, and why it is not the one that was requested or is preferred. */
export interface Choice extends Pick<EngineInfo, 'fallbackReason'> {
  readonly engine: Engine;
}

/** Seconds of work on all cores of the CPU from which on a GPU is considered: opening one and measuring it takes about one. */
const MIN_GPU_SECONDS = 1.5;

/**
 * The engine of that name. `auto` is the first in the list that can run here, runs the solver, keeps enough digits for samples far
 * from zero, and, for a GPU, was measured to be faster. A GPU that was asked for but cannot be used is replaced as by `auto`.
 */
export async function chooseEngine(name: EngineName, wanted: Wanted = {}): Promise<Choice> {
  if (name !== 'auto' && name !== 'webgpu') {
    const engine = engines[name];
    const state = await engine.probe();
    if (!state.available) throw impossible(name, state.reason);
    if (wanted.option && !engine.plain) {
      const rule = `must be auto, portable or reference for the option ${wanted.option}`;
      throw new OptionError('engine', rule, name, 'leave it out');
    }
    const { mostAtoms = Number.POSITIVE_INFINITY } = engine;
    if (wanted.atoms !== undefined && wanted.atoms > mostAtoms) {
      const rule = `must have at most ${mostAtoms} atoms for the engine ${name}`;
      throw new ResourceError('dictionary', rule, wanted.atoms, 'use the engine auto or portable');
    }
    return { engine };
  }
  let fallbackReason: Choice['fallbackReason'];
  for (const each of enginePreference) {
    const engine = engines[each];
    if (each === 'webgpu' && name === 'auto' && !(await isConsidered(engine, wanted))) continue;
    const obstacle = await obstacleTo(engine, name, wanted);
    if (obstacle === undefined) return { engine, fallbackReason };
    fallbackReason ??= { engine: each, ...obstacle };
  }
  throw impossible(name, 'no engine can run here');
}

/** Runs work on the engine of that name; if the engine fails meanwhile, once more from the start on the CPU, and says so. */
export async function onEngine<T>(name: EngineName, wanted: Wanted, run: (choice: Choice) => Promise<T>): Promise<T> {
  try {
    return await run(await chooseEngine(name, wanted));
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return run(await replacementFor(error, wanted));
  }
}

/** The engine that takes the place of one that failed. */
export async function replacementFor({ reason }: EngineFailure, wanted: Wanted = {}): Promise<Choice> {
  const { engine } = await chooseEngine('auto', { ...wanted, work: undefined });
  return { engine, fallbackReason: { engine: 'webgpu', kind: 'failed', message: reason } };
}

/** An engine on this host: what it uses, or why it is not available. `describe` makes a sentence of it. */
export interface EngineState extends EngineFeatures {
  /** Its name, as in the option `engine`. */
  readonly name: ConcreteEngine;
  /** Whether it can run here. */
  readonly available: boolean;
  /** Why it cannot run; absent if it can. */
  readonly reason?: string;
}

/**
 * What each engine uses on this host, or why it cannot run. This looks for a GPU; in Node it imports the package `webgpu`, if it is
 * installed.
 */
export function probeEngines(): Promise<EngineState[]> {
  return Promise.all(enginePreference.map(async (name) => ({ name, ...(await engines[name].probe()) })));
}

/** The engine of that name on a host with all engines except a GPU: for estimates, which do not wait for a probe. */
export function usualEngine(name: EngineName): Engine {
  return engines[name === 'auto' ? 'wasm' : name];
}

/** Checks the name of an engine. */
export function checkEngineName(name: unknown): EngineName {
  return oneOf('engine', name ?? 'auto', engineNames);
}

/** Whether `auto` considers the GPU. That there is none need not be reported unless it was requested. */
async function isConsidered(gpu: Engine, { work }: Wanted): Promise<boolean> {
  return work !== undefined && work.seconds >= MIN_GPU_SECONDS * cores && (await gpu.probe()).available;
}

/** Why an engine is not used; undefined if it is. */
async function obstacleTo(engine: Engine, name: EngineName, wanted: Wanted): Promise<EngineObstacle | undefined> {
  const { reach = 1, solver, effort = 1, option, atoms = 1, work } = wanted;
  if (option && !engine.plain) return { kind: 'option', option };
  const unsupported = solver && engine.unsupportedReason?.(solver, effort);
  if (unsupported) return unsupported;
  if (engine.mostAtoms && atoms > engine.mostAtoms) return { kind: 'atoms', atoms, most: engine.mostAtoms };
  if (reach > engine.range) return { kind: 'sample-range', reach };
  const state = await engine.probe();
  if (!state.available) return { kind: 'unavailable', message: state.reason };
  if (engine.name !== 'webgpu' || name === 'webgpu' || !work) return undefined;
  return slowness(engine, engines.wasm, work.kind);
}

function impossible(name: string, reason: string): EnvironmentError {
  return new EnvironmentError('engine', `cannot be ${name}: ${reason}`, name, 'use auto or portable');
}
