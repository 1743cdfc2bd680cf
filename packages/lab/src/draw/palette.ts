import type { SolverName } from 'ght';
import { solverCatalogue, solverNames } from 'ght';

/** How a solver looks in every plot. */
export interface Look {
  /** Of Okabe and Ito's colours, which colour-blind eyes tell apart. */
  readonly colour: string;
  /** The same on a dark page. */
  readonly dark: string;
  readonly symbol: 'circle' | 'square' | 'triangle' | 'diamond' | 'star' | 'wye';
  /** The pattern of its lines. */
  readonly dash?: string;
}

const marks: Readonly<Record<SolverName, Look>> = {
  qpm: { colour: '#0072b2', dark: '#56a8e0', symbol: 'circle' },
  admm: { colour: '#d55e00', dark: '#f0803c', symbol: 'square' },
  'joint-omp': { colour: '#009e73', dark: '#2fc79a', symbol: 'triangle' },
  omp: { colour: '#555555', dark: '#bdbdbd', symbol: 'diamond' },
  aiht: { colour: '#cc79a7', dark: '#e39cc4', symbol: 'star' },
  cosamp: { colour: '#e69f00', dark: '#f2b632', symbol: 'wye' },
};

/** One look per solver, the same in every plot; patch-wise solvers are dashed. */
export const looks = Object.fromEntries(
  solverNames.map((name) => [name, solverCatalogue[name].joint ? marks[name] : { ...marks[name], dash: '5 3' }]),
) as Readonly<Record<SolverName, Look>>;

/** What is no solver: the noisy image, a mark of the paper's. */
export const neutral: Look = { colour: '#888888', dark: '#8d939c', symbol: 'circle', dash: '1 3' };
