import type { SolverName } from 'ght';

/** The three things one comes for. */
export type Tab = 'represent' | 'compare' | 'denoise';

/** What is drawn over the picture. */
export type Overlay = 'none' | 'heatmap' | 'error';

/** What can lie on a side of the divider in a comparison. */
export type Side = 'original' | SolverName;

/** How much time denoising may take. */
export type Quality = 'fast' | 'balanced' | 'best';

/** The dictionaries there are to choose from, all for 8×8 patches. */
export const dictionaries = {
  'dct-100': { title: 'DCT 64×100, paper’s', atoms: 100 },
  'dct-64': { title: 'DCT 64×64, complete', atoms: 64 },
  'dct-196': { title: 'DCT 64×196, large', atoms: 196 },
  'gaussian-100': { title: 'Random 64×100', atoms: 100 },
} as const;

/** The name of a dictionary. */
export type DictionaryName = keyof typeof dictionaries;

/** Everything the page can be set to: what a link restores. */
export interface Settings {
  readonly tab: Tab;
  /** A sample's name; empty for a file of the user's own, which no link can restore. */
  readonly image: string;
  readonly goal: 'atoms' | 'psnr';
  /** Atoms an average patch. */
  readonly s: number;
  /** The PSNR asked for, in dB. */
  readonly psnr: number;
  readonly solver: SolverName;
  readonly dictionary: DictionaryName;
  /** ρ in units of ‖D‖₂²; null for the solver's default. */
  readonly rho: number | null;
  readonly stride: number;
  readonly refit: boolean;
  readonly overlay: Overlay;
  readonly left: Side;
  readonly right: Side;
  /** The deviation of the noise to add before denoising; 0 when the image is noisy already. */
  readonly noise: number;
  /** The deviation the denoiser is told; 'auto' to estimate it. */
  readonly sigma: number | 'auto';
  /** Times the deviation of the noise: above 1 smooths more. */
  readonly strength: number;
  readonly quality: Quality;
}

/** What stands where nothing was chosen. */
export const defaults: Settings = {
  tab: 'represent',
  image: 'nagasaki-boats',
  goal: 'atoms',
  s: 5,
  psnr: 32,
  solver: 'admm',
  dictionary: 'dct-100',
  rho: null,
  stride: 8,
  refit: false,
  overlay: 'none',
  left: 'omp',
  right: 'joint-omp',
  noise: 20,
  sigma: 'auto',
  strength: 1,
  quality: 'balanced',
};

/** The ends of every slider. */
export const limits = {
  s: [0.5, 40],
  psnr: [15, 60],
  rho: [0.001, 1],
  stride: [2, 8],
  noise: [0, 100],
  sigma: [0.1, 100],
  strength: [0.3, 3],
} as const;

/** Whether two settings ask for the same representation. */
export function sameRun(a: Settings, b: Settings): boolean {
  const keys = ['image', 'goal', 's', 'psnr', 'solver', 'dictionary', 'rho', 'stride', 'refit'] as const;
  return keys.every((key) => a[key] === b[key]);
}

/** Whether two settings ask for the same comparison: what is chosen for one solver matters only where it finds the budget. */
export function sameComparison(a: Settings, b: Settings): boolean {
  const common = (settings: Settings): Settings =>
    settings.goal === 'psnr' ? settings : { ...settings, solver: 'admm', rho: null, refit: false };
  return sameRun(common(a), common(b));
}

/** Whether two settings ask for the same denoising. */
export function sameDenoising(a: Settings, b: Settings): boolean {
  return (['noise', 'sigma', 'strength', 'quality'] as const).every((key) => a[key] === b[key]);
}
