/**
 * The patches of a problem in the memory of a GPU. A binding has a limit, so the patches are cut into ranges with buffers of their
 * own. Every kernel runs over one range after the other, in the order of the patches, so that no result depends on how many there are.
 */
import type { Shape } from '../../shape.js';
import type { BufferScope, Gpu } from '../gpu.js';
import { codeLayout } from '../kernels/layout.js';
import { TILE } from '../layout.js';

/** Patches that a range is a whole multiple of: two tiles, which a workgroup of the iteration works on. */
const PATCHES_MULTIPLE = 2 * TILE;

/** A range of patches. */
export interface Range {
  /** The number of its first patch in the whole problem. */
  readonly first: number;
  /** Its patches, and what they are filled up to with patches of zeros: a whole number of pairs of tiles. */
  readonly P: number;
  readonly paddedP: number;
  /** The coordinates c = Qᵀy, in the layout of `layout.ts` with R4 floats per patch. */
  readonly c: GPUBuffer;
}

/** The patches of one problem. */
export class Ranges {
  constructor(
    readonly gpu: Gpu,
    /** Where the buffers of the problem are, which are freed with it. */
    readonly scope: BufferScope,
    readonly shape: Shape,
    readonly P: number,
    readonly list: readonly Range[],
  ) {}

  /** Cuts the patches of a problem into ranges, with room for their coordinates. */
  static async of(gpu: Gpu, shape: Shape, P: number, most = Number.POSITIVE_INFINITY): Promise<Ranges> {
    const scope = gpu.scope();
    const list = await gpu.allocated(() =>
      cut(P, Math.min(most, patchesPerBinding(gpu, shape))).map(({ first, P }) => {
        const filled = PATCHES_MULTIPLE * Math.ceil(P / PATCHES_MULTIPLE);
        return { first, P, paddedP: filled, c: scope.buffer(4 * shape.R4 * filled) };
      }),
    );
    return new Ranges(gpu, scope, shape, P, list);
  }

  /** A buffer per range, whose size depends on the range's; fails if they do not fit. */
  buffers(bytes: (range: Range) => number): Promise<readonly GPUBuffer[]> {
    return this.gpu.allocated(() => this.list.map((range) => this.scope.buffer(bytes(range))));
  }
}

/** The most patches for which each buffer of a range can be bound as a whole. */
function patchesPerBinding({ limits }: Gpu, shape: Shape): number {
  const largest = Math.max(4 * shape.R4, 16 * codeLayout(shape).blocks);
  return Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / largest);
}

/** Ranges of about the same size, of at most this many patches each, and at least one such multiple. */
function cut(P: number, most: number): { readonly first: number; readonly P: number }[] {
  const multiples = Math.ceil(P / PATCHES_MULTIPLE);
  const count = Math.ceil(multiples / Math.max(1, Math.floor(most / PATCHES_MULTIPLE)));
  const each = PATCHES_MULTIPLE * Math.ceil(multiples / count);
  return Array.from({ length: Math.ceil(P / each) }, (_, i) => ({ first: i * each, P: Math.min(each, P - i * each) }));
}
