import type { Samples } from './image.js';
import type { Rectangle, Size } from './rectangle.js';

/** An image that is read part by part. */
export interface PartedImage extends Size {
  /** Whether opacity is read too. @default false */
  readonly alpha?: boolean;
  /** The planes of a rectangle, opacity last if it is read. */
  read(at: Rectangle, signal?: AbortSignal): Promise<readonly Samples[]>;
}
