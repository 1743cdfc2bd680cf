import { type SolverName, solverCatalogue, solverNames } from 'ght';

/** The look of a solver in every plot. */
export interface Look {
  /** One of Okabe and Ito's colours, which colour-blind viewers can distinguish. */
  readonly colour: string;
  /** The colour on a dark page. */
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

/** The look of anything but a solver: the noisy image, a mark for the paper's value. */
export const neutral: Look = { colour: '#888888', dark: '#8d939c', symbol: 'circle', dash: '1 3' };
