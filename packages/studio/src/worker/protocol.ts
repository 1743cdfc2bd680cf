/** What the page and its worker say to each other. The worker owns the pixels and the library; the page asks and draws. */
import type { EngineInfo, HistoryEntry, SolverName, StopReason } from 'ght';
import type { Quality, Settings } from '../settings/settings.js';

/** Pixels ready to be drawn; a quick preview may have fewer than the image. */
export interface Layer {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Where the worker keeps what solvers have come to: the result, and one result per solver of the comparison. */
export type ResultSlot = 'result' | SolverName;

/** What the worker keeps under a name. */
export type Slot = 'original' | 'noisy' | 'denoised' | ResultSlot;

/** An image that was opened. */
export interface Opened {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly depth: number;
  readonly sample: 'uint' | 'float';
  readonly format: string;
  readonly peak: number;
  readonly picture: Layer;
}

/** The numbers of a run. */
export interface Readings {
  readonly solver: SolverName;
  readonly rmse: number;
  readonly rmsePixel: number;
  readonly psnr: number;
  /** Null until it is known: it takes longer than the picture. */
  readonly ssim: number | null;
  readonly nonzeros: number;
  readonly patches: number;
  /** The most atoms at a place of the grid, all planes together. */
  readonly mostAtoms: number;
  readonly seconds: number;
  readonly stopReason: StopReason;
  readonly engine: EngineInfo;
  readonly history: readonly HistoryEntry[];
}

/** What is told while a request is being worked on. */
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
  | { readonly kind: 'ssim'; readonly slot: ResultSlot; readonly ssim: number };

/** A term of a patch: coefficient times atom. */
export interface Term {
  readonly plane: number;
  readonly atom: number;
  readonly value: number;
  /** The atom as grey, 128 for zero. */
  readonly tile: Layer;
}

/** A patch as one solver represents it. */
export interface PatchView {
  readonly solver: SolverName;
  readonly picture: Layer;
  readonly rmse: number;
  readonly terms: readonly Term[];
}

/** What is found inside a patch. */
export interface Inspection {
  readonly x: number;
  readonly y: number;
  readonly patch: number;
  readonly planes: number;
  readonly original: Layer;
  readonly joint: PatchView;
  readonly patchwise: PatchView;
  /** Of all atoms spent, the part this place got; and of all places, the part that got fewer. */
  readonly share: number;
  readonly fewer: number;
  readonly mean: number;
  /** How many places have 0, 1, 2, … atoms, by the joint solver. */
  readonly histogram: readonly number[];
}

/** How denoising went. */
export interface Denoised {
  readonly picture: Layer;
  /** What was found and done, a sentence each. */
  readonly words: readonly string[];
  /** Whether there was anything to take out. */
  readonly changed: boolean;
  readonly seconds: number;
  /** Against the clean image, when noise was added to one. */
  readonly psnr: number | null;
  readonly noisyPsnr: number | null;
  readonly ssim: number | null;
}

/** What can be asked, and what it is answered with. */
export interface Requests {
  open: { ask: { readonly file: Blob; readonly reduce: number; readonly settings: Settings }; reply: Opened };
  represent: { ask: { readonly settings: Settings; readonly live: boolean }; reply: null };
  compare: { ask: { readonly settings: Settings }; reply: null };
  inspect: {
    ask: { readonly x: number; readonly y: number; readonly slot: Slot };
    reply: Inspection;
  };
  noise: { ask: { readonly noise: number }; reply: { readonly picture: Layer; readonly psnr: number | null } };
  denoise: {
    ask: {
      readonly noise: number;
      readonly sigma: number | 'auto';
      readonly strength: number;
      readonly quality: Quality;
    };
    reply: Denoised;
  };
  heatmap: { ask: { readonly slot: Slot; readonly most: number }; reply: Layer };
  error: { ask: { readonly slot: Slot; readonly range: number }; reply: Layer };
  picture: { ask: { readonly slot: Slot }; reply: Layer };
  png: { ask: { readonly slot: Slot }; reply: { readonly bytes: Uint8Array<ArrayBuffer>; readonly extension: string } };
  codes: { ask: { readonly slot: Slot }; reply: Uint8Array<ArrayBuffer> };
  readCodes: { ask: { readonly file: Blob; readonly settings: Settings }; reply: null };
  engine: { ask: null; reply: EngineInfo };
  estimate: { ask: { readonly settings: Settings }; reply: { readonly bytes: number } };
}

/** The name of a request. */
export type RequestKind = keyof Requests;

/** A failure, in words; the remedy of a too large image is how many times a side to reduce it. */
export interface Failure {
  readonly message: string;
  readonly aborted: boolean;
  readonly reduce?: number;
}

/** From the page. */
export type ToWorker =
  | { readonly id: number; readonly kind: RequestKind; readonly ask: unknown }
  | { readonly cancel: number };

/** From the worker. */
export type FromWorker =
  | { readonly id: number; readonly event: Event }
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly failure: Failure };
