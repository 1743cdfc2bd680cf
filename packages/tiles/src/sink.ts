import type { Samples } from 'ght';
import type { Picture, Rectangle } from './picture.js';

/**
 * A place for an image that is written window by window. Each window consists of whole chunks (or ends at the border of the image),
 * so that no two writers share one, and a window that is written twice with the same samples leaves the same bytes.
 */
export interface Sink {
  /** What is known about the image. */
  readonly picture: Picture;
  /** The size of the pieces that are written as a whole. */
  readonly chunk: { readonly width: number; readonly height: number };
  /** Whether all chunks of a window are there. */
  has(window: Rectangle): Promise<boolean>;
  /**
   * Writes the planes of a window, opacity last. Integers are rounded to the nearest and clamped to the range of their type, as in
   * every file that is written. A chunk is either there in full or absent, also after a crash.
   */
  write(window: Rectangle, planes: readonly Samples[]): Promise<void>;
  /** Completes the image after the last window, such as the levels of a pyramid. Calling it again does no harm. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Releases files and connections. */
  close(): Promise<void>;
}
