/** The messages between the page and its worker. The worker owns the pixels and calls the library; the page draws. */
import type { BlurKernel, EngineInfo, EngineState, HistoryEntry, Rectangle, SolverName, StopReason } from 'ght';
import type { DenoiseQuality, EngineChoice, Quality, Settings } from '../settings/settings.js';
import type { Layer, Term } from './layer.js';
import type { LearnRequests } from './learn-protocol.js';

/** Pixels at a place of the image, and the part of the image that they cover: an enlarged part has more pixels than that. */
export interface PlacedLayer extends Rectangle {
  readonly layer: Layer;
}

/** Where the worker stores results of solvers: the main result, and one per solver of the comparison. */
export type ResultSlot = 'result' | SolverName;

/** The names of images that the worker stores. */
export type Slot = 'original' | 'noisy' | 'denoised' | 'restored' | ResultSlot;

/** An opened image. */
export interface Opened {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly depth: number;
  readonly sample: 'uint' | 'float';
  readonly format: string;
  readonly peak: number;
  readonly alpha: boolean;
  /** The number of pages of its file, and which of them it is, from 0. */
  readonly pages: number;
  readonly page: number;
  /** What its samples mean, as far as a screen can show it. */
  readonly colours: PredefinedColorSpace;
  readonly picture: Layer;
}

/** The slots whose image can become the picture. */
export type Applicable = 'denoised' | 'restored';

/** A version of the open image, and the number of latest versions that the worker keeps. */
export interface Version {
  readonly opened: Opened;
  readonly count: number;
}

/** The measurements of a run. */
export interface Readings {
  readonly solver: SolverName;
  readonly rmse: number;
  readonly rmsePixel: number;
  readonly psnr: number;
  readonly nonzeros: number;
  readonly patches: number;
  /** The most atoms per patch at any grid position: the mean over the patches of all planes there. */
  readonly mostAtoms: number;
  readonly seconds: number;
  readonly stopReason: StopReason;
  readonly engine: EngineInfo;
  readonly history: readonly HistoryEntry[];
}

/** The events during a request. */
export type Event =
  | {
      readonly kind: 'progress';
      readonly fraction: number;
      readonly k?: number;
      readonly rmse?: number;
      readonly doing?: string;
    }
  | { readonly kind: 'preview'; readonly picture: Layer; readonly readings: Readings; readonly coarse: boolean }
  | { readonly kind: 'shown'; readonly slot: ResultSlot; readonly picture: Layer; readonly readings: Readings }
  /** A denoised page of a stack, without its picture. */
  | { readonly kind: 'page'; readonly page: number; readonly denoised: Omit<Denoised, 'picture'> }
  /** A finished part of a large image. */
  | { readonly kind: 'tile'; readonly part: PlacedLayer };

/** A patch as one solver represents it. */
export interface PatchView {
  readonly solver: SolverName;
  readonly picture: Layer;
  readonly rmse: number;
  readonly terms: readonly Term[];
}

/** The result of inspecting a patch. */
export interface Inspection {
  readonly x: number;
  readonly y: number;
  readonly patch: number;
  readonly planes: number;
  readonly original: Layer;
  readonly joint: PatchView;
  readonly patchwise: PatchView;
  /** The fraction of all atoms that this position has, and the fraction of all positions that have fewer. */
  readonly share: number;
  readonly fewer: number;
  /** Atoms per patch on average. */
  readonly mean: number;
  /** The number of positions with 0, 1, 2, … atoms in all planes together, by the joint solver. */
  readonly histogram: readonly number[];
}

/** What was found in an image. */
export interface Found {
  /** What the noise looks like, for people; then what was found and done, with numbers. One sentence each. */
  readonly looks: readonly string[];
  readonly messages: readonly string[];
  /** Whether there was anything to remove. */
  readonly changed: boolean;
}

/** A part of the image that was processed alone, as a preview. */
export interface WindowResult extends PlacedLayer {
  readonly found: Found;
}

/** The result of denoising. */
export interface Denoised extends Found {
  readonly picture: Layer;
  readonly engine: EngineInfo;
  readonly seconds: number;
  /** Against the clean image, if noise was added. */
  readonly psnr: number | null;
  readonly noisyPsnr: number | null;
}

/** How an image is denoised; deviations in the units of the image. */
export interface DenoiseAsk {
  readonly engine: EngineChoice;
  /** The deviation of the noise that is added first, as an experiment. */
  readonly noise: number;
  readonly sigma: number | 'auto';
  readonly strength: number;
  readonly strengthChroma: number;
  readonly quality: DenoiseQuality;
}

/** Damage that is done to a good image, to see how well it is repaired. */
export type Damage = 'text' | 'pixels';

/** A blur kernel by its shape; lengths in pixels, the angle in degrees. */
export type KernelShape =
  | { readonly kind: 'gaussian'; readonly sigma: number }
  | { readonly kind: 'disk'; readonly radius: number }
  | { readonly kind: 'motion'; readonly length: number; readonly angle: number };

/** What is to be restored. */
export type Restoration = { readonly engine: EngineChoice; readonly quality: Quality } & (
  | {
      readonly task: 'inpaint';
      /** One sample per pixel, 1 where it is missing. */
      readonly missing: Uint8Array;
      /** Whether the pixels of the open image are right there, so that the result can be measured. */
      readonly truth: boolean;
    }
  | { readonly task: 'deblur'; readonly kernel: KernelShape | BlurKernel | 'auto'; readonly sigma: number | 'auto' }
  | { readonly task: 'upscale'; readonly factor: number }
);

/** The result of a restoration. */
export interface Restored {
  readonly picture: Layer;
  /** The standard deviation of the noise that was assumed, in the units of the image. */
  readonly sigma: number;
  /** What was found and what may be wrong, in sentences: the blur, how much is missing, warnings. */
  readonly messages: readonly string[];
  readonly engine: EngineInfo;
  readonly seconds: number;
  /** Against the open image, if that is right where pixels were missing. */
  readonly psnr: number | null;
}

/** The speed of an engine on this machine. */
export interface EngineSpeed {
  readonly engine: string;
  readonly threads: number;
  readonly patchesPerSecond: number;
}

/** The formats that are written. */
export type FileFormat = 'png' | 'jpeg' | 'webp' | 'tiff' | 'npy';

/** A file to be offered to the user. */
export interface SavedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly extension: string;
  readonly type: string;
}

/** The requests and their replies. */
export interface Requests extends LearnRequests {
  open: { ask: { readonly file: Blob; readonly reduce: number }; reply: Opened };
  /** Makes a result the picture, as a new version of it. */
  apply: { ask: { readonly slot: Applicable }; reply: Version };
  /** Blurs the picture as an experiment, as a new version of it. */
  blur: { ask: { readonly kernel: KernelShape | BlurKernel }; reply: Version };
  /** Goes to a version, from 0, the oldest that is kept. */
  version: { ask: { readonly at: number }; reply: Version };
  represent: { ask: { readonly settings: Settings; readonly live: boolean }; reply: null };
  compare: { ask: { readonly settings: Settings }; reply: null };
  inspect: {
    ask: { readonly x: number; readonly y: number; readonly slot: Slot };
    reply: Inspection;
  };
  noise: {
    ask: Pick<DenoiseAsk, 'noise' | 'quality'>;
    reply: { readonly picture: Layer; readonly psnr: number | null };
  };
  denoise: { ask: DenoiseAsk; reply: Denoised };
  /** Opens another page of a stack, from 0. */
  page: { ask: { readonly at: number }; reply: Opened };
  /** Denoises all pages of a stack as a series; they arrive as events. */
  denoiseSeries: { ask: DenoiseAsk; reply: null };
  /** Denoises or restores a window of the image alone, as a preview; the mask is that of the window. */
  denoiseWindow: { ask: DenoiseAsk & { readonly window: Rectangle }; reply: WindowResult };
  restoreWindow: { ask: Restoration & { readonly window: Rectangle }; reply: WindowResult };
  /** The structural similarity of a stored image with the original; it runs at the same time as other requests. */
  ssim: { ask: { readonly slot: Slot }; reply: number };
  mask: { ask: { readonly from: Damage | Blob }; reply: Uint8Array<ArrayBuffer> };
  kernel: { ask: { readonly from: KernelShape | Blob }; reply: BlurKernel };
  restore: { ask: Restoration; reply: Restored };
  heatmap: { ask: { readonly slot: Slot; readonly most: number }; reply: Layer };
  error: { ask: { readonly slot: Slot; readonly range: number }; reply: Layer };
  /** What a result has removed from the picture, around grey, and how much it is amplified to be seen. */
  removed: { ask: { readonly slot: Applicable }; reply: { readonly layer: Layer; readonly gain: number } };
  picture: { ask: { readonly slot: Slot }; reply: Layer };
  /** A stored image as a file; with `stack` all pages that were denoised. */
  file: { ask: { readonly slot: Slot; readonly format: FileFormat; readonly stack?: boolean }; reply: SavedFile };
  codes: { ask: { readonly slot: Slot }; reply: Uint8Array<ArrayBuffer> };
  readCodes: { ask: { readonly file: File; readonly settings: Settings }; reply: null };
  engine: { ask: null; reply: EngineInfo };
  /** What each engine uses here, or why it cannot run. */
  engines: { ask: null; reply: readonly EngineState[] };
  measureEngines: { ask: null; reply: readonly EngineSpeed[] };
  estimate: { ask: { readonly settings: Settings }; reply: { readonly bytes: number } };
}

/** The name of a request. */
export type RequestKind = keyof Requests;

/** A failure as text. If an image is too large, `reduce` is the factor by which each side must be reduced. */
export interface Failure {
  readonly message: string;
  readonly aborted: boolean;
  readonly reduce?: number;
}

/** Messages from the page. */
export type ToWorker =
  | { readonly id: number; readonly kind: RequestKind; readonly ask: unknown }
  | { readonly cancel: number };

/** Messages from the worker. */
export type FromWorker =
  | { readonly id: number; readonly event: Event }
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly failure: Failure };
