import type { Samples } from './image.js';
import type { Rectangle, Size } from './rectangle.js';

/** An image that is read part by part. */
export interface PartedImage extends Size {
  /** The planes of a rectangle, without opacity. */
  read(at: Rectangle, signal?: AbortSignal): Promise<readonly Samples[]>;
}
