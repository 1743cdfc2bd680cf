import type { SolverName } from 'ght';
import { isClean } from '../image/samples.js';

/** The first screen, and the tabs. */
export type Tab = 'start' | 'learn' | 'represent' | 'compare' | 'denoise' | 'restore';

/** What is drawn over the picture. */
export type Overlay = 'none' | 'heatmap' | 'error' | 'removed';

/** What can be shown on a side of the divider in a comparison. */
export type Side = 'original' | SolverName;

/** How much time restoring may take. */
export type Quality = 'fast' | 'balanced' | 'best' | 'learned';

/** How denoising is done: `learned` is a model of 0.6 MB, which is loaded when it is used first, and `finest` blends it with `best`. */
export type DenoiseQuality = Quality | 'finest';

/** Where the page computes, by the library's names: `wasm` is the CPU. */
export type EngineChoice = 'auto' | 'webgpu' | 'wasm';

/** What the Restore tab does. */
export type RestoreTask = 'inpaint' | 'deblur' | 'upscale';

/** The kernels of a blur: found in the image, three shapes, and weights that were drawn or read from a file. */
export type KernelName = 'auto' | 'gaussian' | 'disk' | 'motion' | 'drawn';

/** How the results of the Restore tab are called. */
export const restoredTitles: Readonly<Record<RestoreTask, string>> = {
  inpaint: 'Repaired',
  deblur: 'Deblurred',
  upscale: 'Enlarged',
};

/** The available dictionaries, all for 8×8 patches. */
export const dictionaries = {
  learned: { title: 'Learned 64×256', atoms: 256 },
  'dct-100': { title: 'DCT 64×100, paper’s', atoms: 100 },
  'dct-64': { title: 'DCT 64×64, complete', atoms: 64 },
  'dct-196': { title: 'DCT 64×196, large', atoms: 196 },
  'gaussian-100': { title: 'Random 64×100', atoms: 100 },
} as const;

/** The name of a dictionary. */
export type DictionaryName = keyof typeof dictionaries;

/** What part of the picture is seen. */
export interface View {
  /** Screen pixels per pixel of the image; null to show all of it. */
  readonly zoom: number | null;
  /** The pixel in the middle of the stage; it counts only with a zoom. */
  readonly x: number;
  readonly y: number;
  /** The divider's place, from 0 at the left edge to 1 at the right. */
  readonly divider: number;
}

/** All settings of the page, which a link restores. */
export interface Settings extends View {
  readonly tab: Tab;
  readonly engine: EngineChoice;
  /** A sample's name; empty for a file of the user's own, which only the browser that keeps it can restore. */
  readonly image: string;
  readonly goal: 'atoms' | 'psnr';
  /** Atoms per patch on average. */
  readonly s: number;
  /** The target PSNR, in dB. */
  readonly psnr: number;
  readonly solver: SolverName;
  readonly dictionary: DictionaryName;
  /** ρ in units of ‖D‖₂²; null for the solver's default. */
  readonly rho: number | null;
  readonly stride: number;
  readonly refit: boolean;
  readonly overlay: Overlay;
  /** The upper left pixel of the patch that is looked into, such as 120,80; empty if there is none. */
  readonly patch: string;
  readonly left: Side;
  readonly right: Side;
  /** The standard deviation of the noise that is added as an experiment; 0 to denoise the image as it is. */
  readonly noise: number;
  /** The standard deviation given to the denoiser; 'auto' to estimate it. */
  readonly sigma: number | 'auto';
  /** Multiplies the deviation of the noise: above 1 smooths more. */
  readonly strength: number;
  /** The same for the colours of RGB only, in addition to `strength`. */
  readonly strengthChroma: number;
  readonly quality: DenoiseQuality;
  readonly restore: RestoreTask;
  /** The kernel of the blur to remove. Drawn weights are not in a link. */
  readonly kernel: KernelName;
  /** The standard deviation of a Gaussian kernel, in pixels. */
  readonly blur: number;
  /** The radius of a disk, in pixels. */
  readonly radius: number;
  /** The length of a movement in pixels, and its angle in degrees against the clock. */
  readonly length: number;
  readonly angle: number;
  /** The standard deviation of the noise of a blurred image; 'auto' to estimate it. */
  readonly blurNoise: number | 'auto';
  /** The factor by which an image is enlarged. */
  readonly factor: number;
  readonly restoreQuality: Quality;
  /** The figure of the Learn tab that a link opens, from 1. */
  readonly step: number;
}

/** The default settings. */
export const defaults: Settings = {
  tab: 'start',
  engine: 'auto',
  image: 'nagasaki-boats',
  goal: 'atoms',
  s: 5,
  psnr: 32,
  solver: 'joint-omp',
  dictionary: 'learned',
  rho: null,
  stride: 8,
  refit: false,
  overlay: 'none',
  zoom: null,
  x: 0,
  y: 0,
  divider: 0.5,
  patch: '',
  left: 'omp',
  right: 'joint-omp',
  noise: 20,
  sigma: 'auto',
  strength: 1,
  strengthChroma: 1,
  quality: 'balanced',
  restore: 'inpaint',
  kernel: 'gaussian',
  blur: 1.6,
  radius: 4,
  length: 15,
  angle: 30,
  blurNoise: 'auto',
  factor: 2,
  // Even so, enlarging a sample takes about half a minute on one core.
  restoreQuality: 'fast',
  step: 1,
};

/** What links meant by a missing setting before they began with a version. */
export const oldDefaults: Settings = { ...defaults, tab: 'represent', solver: 'admm', dictionary: 'dct-100' };

/** The noise that is added to an image at first: only a clean sample needs some to show how it is removed. */
export function usualNoise(image: string): number {
  return isClean(image) ? defaults.noise : 0;
}

/** The factors that are offered for enlarging. */
export const factors: readonly number[] = [2, 3, 4];

/** The range of everything that moves continuously. */
export const limits = {
  s: [0.5, 40],
  psnr: [15, 60],
  rho: [0.001, 1],
  stride: [2, 8],
  noise: [0, 100],
  sigma: [0.1, 100],
  strength: [0.3, 3],
  strengthChroma: [0.3, 3],
  blur: [0.3, 10],
  radius: [0.5, 20],
  length: [1, 60],
  angle: [0, 179],
  blurNoise: [0, 50],
  zoom: [0.001, 64],
  x: [-1e5, 1e5],
  y: [-1e5, 1e5],
  divider: [0, 1],
} as const;

/** The view of an image that was just opened. */
export const wholeImage = { zoom: null, x: 0, y: 0, patch: '' } as const;

/** Whether two settings request the same representation. */
export function sameRun(a: Settings, b: Settings): boolean {
  const keys = ['engine', 'image', 'goal', 's', 'psnr', 'solver', 'dictionary', 'rho', 'stride', 'refit'] as const;
  return keys.every((key) => a[key] === b[key]);
}

/** Whether two settings request the same comparison: options of one solver matter only if it determines the budget. */
export function sameComparison(a: Settings, b: Settings): boolean {
  const common = (settings: Settings): Settings =>
    settings.goal === 'psnr' ? settings : { ...settings, solver: 'admm', rho: null, refit: false };
  return sameRun(common(a), common(b));
}

/** Whether runs with two settings of the same representation need the same memory. */
export function sameMemory(a: Settings, b: Settings): boolean {
  const experiment = (settings: Settings) => settings.noise > 0;
  const keys = ['tab', 'quality', 'restore', 'factor', 'restoreQuality'] as const;
  return experiment(a) === experiment(b) && keys.every((key) => a[key] === b[key]);
}

/** The settings that denoising depends on. */
export const denoisingKeys = ['engine', 'noise', 'sigma', 'strength', 'strengthChroma', 'quality'] as const;

/** The settings that a restoration depends on, besides its mask and a drawn kernel. */
export const restorationKeys = [
  'engine',
  'factor',
  'restoreQuality',
  'kernel',
  'blur',
  'radius',
  'length',
  'angle',
  'blurNoise',
] as const;

/** Whether two settings request the same denoising. */
export function sameDenoising(a: Settings, b: Settings): boolean {
  return denoisingKeys.every((key) => a[key] === b[key]);
}
