import {
  completeDct,
  type Dictionary,
  gaussianDictionary,
  overcompleteDct,
  type RepresentOptions,
  type SolverName,
  solverCatalogue,
} from 'ght';
import type { DictionaryName, Settings } from '../settings/settings.js';

/** The side of a patch on the whole page. */
export const PATCH = 8;

const makers: Readonly<Record<DictionaryName, () => Dictionary>> = {
  'dct-100': () => overcompleteDct(PATCH, 10),
  'dct-64': () => completeDct(PATCH),
  'dct-196': () => overcompleteDct(PATCH, 14),
  'gaussian-100': () => gaussianDictionary(PATCH ** 2, 100, 1),
};
const made = new Map<DictionaryName, Dictionary>();

/** A dictionary by its name, created once. */
export function dictionaryOf(name: DictionaryName): Dictionary {
  const dictionary = made.get(name) ?? makers[name]();
  made.set(name, dictionary);
  return dictionary;
}

/** The library's options for these settings. */
export function optionsOf(settings: Settings, solver: SolverName = settings.solver): RepresentOptions {
  const { engine, goal, s, psnr, dictionary, rho, stride, refit } = settings;
  return {
    solver,
    engine,
    patch: PATCH,
    stride,
    dictionary: dictionaryOf(dictionary),
    budget: goal === 'psnr' ? { psnr } : { perPatch: s },
    // Otherwise a patch-wise solver would round the budget of a patch down, and have fewer atoms than the others.
    ...(solverCatalogue[solver].joint ? {} : { spread: true }),
    ...(solverCatalogue[solver].rho !== null ? { refit, ...(rho === null ? {} : { rho }) } : {}),
  };
}
