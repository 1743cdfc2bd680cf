/** What the worker sends to be drawn, in any of its replies. */

/** Pixels ready to be drawn; a quick preview may have fewer than the image. */
export interface Layer {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** A term of a patch: coefficient times atom. */
export interface Term {
  readonly plane: number;
  readonly atom: number;
  readonly value: number;
  /** The atom in grey, with 128 for zero. */
  readonly tile: Layer;
}
