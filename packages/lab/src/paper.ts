import type { SolverName } from 'ght';

/** A table of the paper: the PSNR in dB of each algorithm for σ = 5, 10, 20, 30 and 40. */
export interface PaperTable {
  readonly table: number;
  readonly image: string;
  readonly size: string;
  readonly psnr: Readonly<Partial<Record<SolverName, readonly number[]>>>;
}

/** The noise levels of the paper's tables. */
export const paperSigmas = [5, 10, 20, 30, 40] as const;

/** Tables 1 to 3. */
export const paperTables: readonly PaperTable[] = [
  {
    table: 1,
    image: 'Chicago',
    size: '1024×1024',
    psnr: {
      omp: [28.01, 27.14, 24.61, 22.14, 20.02],
      aiht: [27.59, 26.85, 24.62, 22.29, 20.22],
      cosamp: [26.81, 26.14, 24.04, 21.74, 19.67],
      qpm: [31.49, 30.54, 26.51, 23.01, 20.41],
      admm: [32.61, 31.01, 26.2, 22.77, 20.28],
    },
  },
  {
    table: 2,
    image: 'hot-dog',
    size: '800×1360',
    psnr: {
      omp: [24.52, 24.12, 22.67, 20.89, 19.2],
      aiht: [24.21, 23.87, 22.59, 20.93, 19.29],
      cosamp: [23.73, 23.39, 22.15, 20.49, 18.85],
      qpm: [26.41, 26.07, 24.46, 21.98, 19.74],
      admm: [27.45, 26.91, 24.66, 21.95, 19.7],
    },
  },
  {
    table: 3,
    image: 'eagle',
    size: '1200×880',
    psnr: {
      omp: [26.08, 25.46, 23.52, 21.42, 19.54],
      aiht: [25.77, 25.23, 23.46, 21.47, 19.64],
      cosamp: [25.29, 24.82, 23.05, 21.04, 19.23],
      qpm: [29.55, 28.87, 25.75, 22.5, 20.04],
      admm: [30.61, 29.52, 25.55, 22.33, 19.96],
    },
  },
];
