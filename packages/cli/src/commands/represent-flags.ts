import type { Flags } from '../flags.js';
import type { InputFlags } from '../input-flags.js';
import type { TileFlags } from '../tile-flags.js';

/** The flags of `ght represent`. */
export interface RepresentFlags extends Flags, InputFlags, TileFlags {
  readonly output?: string;
  readonly jpegQuality?: number;
  readonly dictionary?: string;
  readonly heatmap?: string;
  readonly codes?: string;
  readonly history?: string;
  readonly joint?: true;
  readonly contact?: string;
}
