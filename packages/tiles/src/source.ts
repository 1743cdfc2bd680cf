import type { Samples } from 'ght';
import type { Picture, Rectangle } from './picture.js';

/** An image that is read window by window and is nowhere whole. */
export interface Source {
  /** What is known about the image. */
  readonly picture: Picture;
  /** The size of the pieces that it is stored in: windows on their borders are read fastest. */
  readonly chunk: { readonly width: number; readonly height: number };
  /** What distinguishes this content from another one under the same name, such as size and time of a file; part of a run's identity. */
  readonly version: string;
  /** The planes of a window, opacity last, with samples exactly as in the file. Windows lie inside the image. */
  read(window: Rectangle, signal?: AbortSignal): Promise<readonly Samples[]>;
  /** Releases files and connections. */
  close(): Promise<void>;
}
