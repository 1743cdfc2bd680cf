/**
 * The kernels that the host calls, with their parameters by name. This is the only place where they stand: a kernel is built from
 * its signature (`define`), and the host calls it with an object that has these names (`callOf`).
 *
 * Parameters of i32 are addresses unless they are described otherwise. `counts`, `values` and `indices` are the codes of a run of
 * patches, and those ending in `Out` are where codes are written. `c` has the coordinates of the patches. A result is the end of
 * what was written.
 */
import type { F32, F64, Fn, I32, Module } from './assembler.js';

interface Variables {
  i32: I32;
  f32: F32;
  f64: F64;
}
type Types = Readonly<Record<string, keyof Variables>>;

/** The parameters of a kernel in their order, and its result. */
export interface Signature<P extends Types = Types, R extends 'i32' | undefined = 'i32' | undefined> {
  readonly parameters: P;
  readonly result: R;
}

/** The parameters of a kernel while it is built. */
export type VariablesOf<P extends Types> = { readonly [Name in keyof P]: Variables[P[Name]] };

/** A kernel as the host calls it. */
export type Call<S extends Signature> = (
  parameters: Readonly<Record<keyof S['parameters'], number>>,
) => S['result'] extends 'i32' ? number : void;

/** Several kernels by name. */
export type Calls<S extends Readonly<Record<string, Signature>>> = { readonly [Name in keyof S]: Call<S[Name]> };

/** Adds a kernel to a module; `build` gets its parameters by name. */
export function define<P extends Types>(
  module: Module,
  name: string,
  { parameters, result }: Signature<P>,
  build: (f: Fn, parameters: VariablesOf<P>) => void,
): Fn {
  const names = Object.keys(parameters);
  return module.fn(name, Object.values(parameters), result, (f) => {
    const variables = Object.fromEntries(names.map((parameter, i) => [parameter, f.parameters[i]]));
    build(f, variables as VariablesOf<P>);
  });
}

/** A kernel of an instance. Its result is unsigned: WebAssembly's integers are signed in JavaScript, and memory goes beyond 2 GiB. */
export function callOf<S extends Signature>(exports: WebAssembly.Exports, name: string, { parameters }: S): Call<S> {
  const kernel = exports[name];
  if (typeof kernel !== 'function') throw new Error(`the module has no kernel ${name}`);
  const names = Object.keys(parameters) as (keyof S['parameters'])[];
  return ((given) => kernel(...names.map((parameter) => given[parameter])) >>> 0) as Call<S>;
}

/** All kernels of an instance whose names are those of their signatures. */
export function callsOf<S extends Readonly<Record<string, Signature>>>(
  exports: WebAssembly.Exports,
  signatures: S,
): Calls<S> {
  const calls = Object.entries(signatures).map(([name, signature]) => [name, callOf(exports, name, signature)]);
  return Object.fromEntries(calls) as Calls<S>;
}

function typed<T extends keyof Variables>(type: T) {
  return <Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, type])) as Readonly<Record<Name, T>>;
}
const [i32, f32, f64] = [typed('i32'), typed('f32'), typed('f64')];

function withResult<P extends Types>(parameters: P): Signature<P, 'i32'> {
  return { parameters, result: 'i32' };
}
function withoutResult<P extends Types>(parameters: P): Signature<P, undefined> {
  return { parameters, result: undefined };
}

const codes = i32('counts', 'values', 'indices');
const codesOut = i32('countsOut', 'valuesOut', 'indicesOut');

/** An iteration of GHT-QPM or GHT-ADMM. `many` is 1 if many candidates per patch are expected, else 0. */
export const iteration = withResult({
  ...i32('patches'),
  ...codes,
  ...codesOut,
  ...i32('c', 'q', 'scratch', 'many'),
  ...f32('threshold', 'lo'),
});

/** A patch-wise iterative solver. `s`, `maxIterations` and `recorded` are numbers. */
export const patchSolver = withResult({
  ...i32('patches', 'c'),
  ...codesOut,
  ...i32('scratch', 's', 'maxIterations', 'curve', 'recorded'),
  ...f32('tolerance'),
});

const onCodes = withoutResult({ ...i32('patches'), ...codes, ...i32('c', 'scratch') });

/** The kernels of a problem. `patches`, `atMost`, `restarts`, `gainsRow`, `ties` and `moves` are numbers. */
export const problemKernels = {
  rotateSignals: withoutResult(i32('signals', 'patches', 'c', 'scratch')),
  qpm: iteration,
  admmStart: iteration,
  admm: iteration,
  admmAgain: iteration,
  /** `low` and `high` are the bits of float32. */
  collect: withResult(i32('from', 'end', 'out', 'limit', 'low', 'high')),
  omp: withResult({ ...i32('patches', 'c', 'limits'), ...codesOut, ...i32('scratch', 'gains', 'gainsRow') }),
  paths: withResult({
    ...i32('patches', 'c', 'atMost', 'restarts', 'bounds'),
    ...codesOut,
    ...i32('scratch', 'offers'),
    ...f64('low', 'mid', 'high', 'lambda'),
  }),
  commit: withResult({
    ...i32('patches', 'c', 'bounds', 'offers'),
    ...codes,
    ...codesOut,
    ...i32('scratch', 'ties'),
    ...f64('threshold'),
  }),
  swap: withResult({
    ...i32('patches', 'c'),
    ...codes,
    ...codesOut,
    ...i32('scratch', 'prices', 'moves'),
    ...f32('lambda', 'least'),
  }),
  inOrder: withResult({ ...i32('patches'), ...codes, ...i32('scratch'), ...codesOut }),
  cosamp: patchSolver,
  aiht: patchSolver,
  measure: onCodes,
  refit: onCodes,
};

/** The kernels of a problem as the host calls them. */
export type ProblemKernels = Calls<typeof problemKernels>;

/** The kernels of the learned denoiser; `sites` is a number. */
export const learnedKernels = {
  analyse: withoutResult(i32('r', 'codes', 'table', 'sites')),
  shrink: withoutResult(i32('codes', 'kappa', 'lists', 'sites')),
  synthesise: withoutResult(i32('r', 'lists', 'table', 'sites')),
};

/** The kernels of the learned denoiser as the host calls them. */
export type LearnedKernels = Calls<typeof learnedKernels>;

/** A kernel of the network for colour pictures: a layer of it; `wide` and `narrow` are numbers of tiles, `surplus` of sites. */
export const networkKernel = withoutResult(i32('from', 'into', 'table', 'wide', 'narrow', 'surplus'));

/** The kernels of a network by the names of their layers. */
export type NetworkKernels = Readonly<Record<string, Call<typeof networkKernel>>>;

/** The kernels of a pass over groups, of which a module has a set for every step; `y` and `count` are numbers. */
export const passKernels = {
  match: withoutResult(i32('guide', 'y', 'columns', 'count', 'scratch')),
  /** `rows` is a number; `more` has all bits set, or none. */
  distances: withoutResult(i32('patch', 'window', 'rows', 'out', 'more')),
  /** Only if the noise depends on brightness. */
  brightness: withoutResult(i32('guide', 'count', 'scratch')),
  filter: withoutResult(i32('from', 'pilot', 'count', 'sums', 'weights', 'scratch', 'noise')),
};

/** The kernels for whole planes of this many bytes. */
export const planeKernels = {
  combine: withoutResult(i32('sums', 'others', 'weights', 'otherWeights', 'out', 'bytes')),
  blend: withoutResult({ ...i32('a', 'b', 'out', 'bytes'), ...f32('share') }),
};
