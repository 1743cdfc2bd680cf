import {
  completeDct,
  type Dictionary,
  gaussianDictionary,
  learnedDictionary,
  overcompleteDct,
  type RepresentOptions,
  type SolverName,
  solverCatalogue,
} from 'ght';
import type { DictionaryName, Settings } from '../settings/settings.js';

/** The side of a patch on the whole page. */
export const PATCH = 8;

const makers: Readonly<Record<DictionaryName, (perPatch: number) => Dictionary>> = {
  learned: learnedDictionary,
  'dct-100': () => overcompleteDct(PATCH, 10),
  'dct-64': () => completeDct(PATCH),
  'dct-196': () => overcompleteDct(PATCH, 14),
  'gaussian-100': () => gaussianDictionary(PATCH ** 2, 100, 1),
};
const made = new Map<string, Dictionary>();

/** The atoms per patch that the library assumes for a target. */
const TARGET_ATOMS = 10;

/** The dictionary of these settings, created once. The learned one depends on the budget, as in the library. */
export function dictionaryOf({ dictionary: name, goal, s }: Pick<Settings, 'dictionary' | 'goal' | 's'>): Dictionary {
  const fresh = makers[name](goal === 'psnr' ? TARGET_ATOMS : s);
  // The same object for the same atoms: a result is continued only with its own dictionary.
  const key = `${name} ${fresh.atoms.data[1]}`;
  const dictionary = made.get(key) ?? fresh;
  made.set(key, dictionary);
  return dictionary;
}

/** The library's options for these settings. */
export function optionsOf(settings: Settings, solver: SolverName = settings.solver): RepresentOptions {
  const { engine, goal, s, psnr, rho, stride, refit } = settings;
  return {
    solver,
    engine,
    patch: PATCH,
    stride,
    dictionary: dictionaryOf(settings),
    budget: goal === 'psnr' ? { psnr } : { perPatch: s },
    // Otherwise a patch-wise solver would round the budget of a patch down, and have fewer atoms than the others.
    ...(solverCatalogue[solver].joint ? {} : { spread: true }),
    ...(solverCatalogue[solver].rho !== null ? { refit, ...(rho === null ? {} : { rho }) } : {}),
  };
}
