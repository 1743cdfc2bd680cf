import type { ImageFile, Refuse, Stack } from 'ght-images';
import type { checkSize, Decoded } from 'ght-images/node';
import type { Picture, Rectangle } from '../picture.js';

/** A stack that is read page by page and is nowhere whole. */
export interface StackSource {
  /** Its axes, and what is known about them. */
  readonly stack: Stack;
  /** What every page is, with the metadata of the first. */
  readonly picture: Picture;
  /** The format of the file, or `frames` for a list of images. */
  readonly format: StackFormat;
  /** What only a file of the same format can keep. */
  readonly kept: KeptParts;
  /**
   * Reads a page by its number, with samples exactly as in the file and one full scale for all pages; of a stack that was opened for parts,
   * perhaps only a rectangle of it.
   */
  read(page: number, signal?: AbortSignal, at?: Rectangle): Promise<ImageFile>;
  /** Releases files. */
  close(): Promise<void>;
}

/** The formats of stacks; `frames` is a list of images. */
export type StackFormat = 'tiff' | 'npy' | 'zarr' | 'frames';

/** What only a file of the same format can keep. */
export interface KeptParts {
  /** Of a TIFF: its name, and the directory of each page where they are not in order. */
  readonly tiff?: { readonly name: string; readonly directories?: readonly number[] };
  /** Of a `.npy`: the letters of its axes, such as `tyxc`. */
  readonly axes?: string;
  /** Of a Zarr: its format, the attributes of the group, and the names of its axes. */
  readonly zarr?: {
    readonly format: 2 | 3;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly axes: readonly string[];
  };
}

/** What is known about a stack. */
export type StackFacts = Omit<StackSource, 'read' | 'close'>;

/** The reader of the pages of one format. */
export interface PageReader extends StackFacts {
  /** The channels of a page, or of a rectangle of it, as they are stored. */
  decode(page: number, signal?: AbortSignal, at?: Rectangle): Promise<Decoded>;
}

/** Refuses announced sizes: all that do not fit in memory, or those that no file can hold if pages are read in parts. */
export type CheckSize = typeof checkSize;

/** Refuses pages that are turned: their parts are elsewhere than in the file. */
export function refuseTurned({ orientation }: Pick<Decoded, 'orientation'>, refuse: Refuse): void {
  if (orientation !== 1)
    throw refuse('must be upright for tiles', 'save it again without an orientation, or leave --tile out');
}

/** What a page is, upright. */
export function kindOf(page: Omit<Picture, 'metadata'> & { readonly orientation?: number }): Picture {
  const { width, height, channels, alpha, sample, depth, orientation = 1 } = page;
  const turned = orientation >= 5 && orientation <= 8;
  const sides = turned ? { width: height, height: width } : { width, height };
  return { ...sides, channels: channels - Number(alpha), alpha, sample, depth };
}

/** Such as `512×410×3 of uint8`. */
export function kindText({ width, height, channels, alpha, sample, depth }: Picture): string {
  return `${width}×${height}×${channels}${alpha ? ' with alpha' : ''} of ${sample}${depth}`;
}
