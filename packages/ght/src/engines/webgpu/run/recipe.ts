/**
 * Runs a recipe on a GPU. The pictures stay there from the first step to the last. Each pass takes its references in batches, and can
 * be aborted between two of them.
 */
import type { Tile } from '../../../denoisers/denoiser.js';
import { type OnStep, type RecipeRunner, slotsOf } from '../../../denoisers/groups/denoiser.js';
import { places } from '../../../denoisers/groups/matching.js';
import { type Blend, isPass, type Pass, type Slot, type Step } from '../../../denoisers/groups/recipes.js';
import { EngineFailure } from '../../../errors.js';
import { drive } from '../../../work.js';
import { recipeBytes } from '../bytes.js';
import type { Batch, BufferScope, Gpu, Kernel } from '../gpu.js';
import { blendKernel, combineKernel, PIXEL_THREADS } from '../kernels/groups/aggregation.js';
import { partWords } from '../kernels/groups/target.js';
import { DoubleBuffer } from './double-buffer.js';
import {
  compilePass,
  type NoiseTables,
  namedSums,
  noiseTables,
  type PassKernels,
  type Picture,
  preparePass,
  referencesPerBatch,
  refusalOf,
  type Scratch,
  scratchFor,
} from './recipe-pass.js';

/** What tests can change. */
export interface RecipeOptions {
  /** References per batch. @default as many as take a GPU some 20 ms */
  readonly batch?: number;
}

/** Runs a recipe on a GPU, tile after tile. A recipe that does not fit into the workgroups of GPUs is refused. */
export async function recipeRunner(
  gpu: Gpu,
  recipe: readonly Step[],
  { batch }: RecipeOptions = {},
): Promise<RecipeRunner> {
  for (const pass of recipe.filter(isPass)) {
    const reason = refusalOf(pass);
    if (reason) throw new EngineFailure(`the step "${pass.name}" runs on the CPU only: ${reason}`);
  }
  // The kernels for white and for coloured noise, and a plane on its way to the GPU: kept from tile to tile.
  const compiled = new Map<boolean, Promise<RecipeKernels>>();
  let samples = new Float32Array(0);
  return {
    bytes: (width, height, channels) => recipeBytes(recipe, width, height, channels),
    async follow(tile, signal, onStep) {
      const pixels = tile.width * tile.height;
      const most = gpu.limits.maxStorageBufferBindingSize / 4;
      if (pixels > most) {
        throw new EngineFailure(`the GPU cannot bind planes of more than ${Math.floor(most)} pixels`);
      }
      signal?.throwIfAborted();
      const whitened = tile.noise !== undefined;
      const compiling = compiled.get(whitened) ?? compileRecipe(gpu, recipe, whitened);
      compiled.set(whitened, compiling);
      const kernels = await compiling;
      if (samples.length !== pixels) samples = new Float32Array(pixels);
      const scope = gpu.pooledScope();
      try {
        const following = await gpu.allocated(() => new Following(gpu, scope, recipe, kernels, tile, batch));
        const planes = await following.follow(samples, signal, onStep);
        scope.keep();
        return planes;
      } finally {
        scope.dispose();
      }
    },
  };
}

/** The kernels of the steps of a recipe that are passes, and those of all recipes. */
interface RecipeKernels {
  readonly passes: readonly (PassKernels | undefined)[];
  readonly combine: Kernel;
  readonly blend: Kernel;
}

/** Compiles all kernels at the same time, where the host has threads for that. */
async function compileRecipe(gpu: Gpu, recipe: readonly Step[], whitened: boolean): Promise<RecipeKernels> {
  const [combine, blend, ...passes] = await Promise.all([
    gpu.kernel(combineKernel, 'combine'),
    gpu.kernel(blendKernel, 'blend'),
    ...recipe.map((step) => (isPass(step) ? compilePass(gpu, step, whitened) : undefined)),
  ]);
  return { passes, combine, blend };
}

/** A recipe on one tile: its pictures and sums. */
class Following {
  readonly #slots: Partial<Record<Slot, Picture>>;
  /** The four arrays of sums of each plane; see kernels/groups/aggregation.ts. */
  readonly #sums: readonly Picture[];
  readonly #part: GPUBuffer;
  readonly #share: GPUBuffer;
  readonly #scratch: Scratch;
  readonly #noise: NoiseTables | undefined;

  constructor(
    private readonly gpu: Gpu,
    private readonly scope: BufferScope,
    private readonly recipe: readonly Step[],
    private readonly kernels: RecipeKernels,
    private readonly tile: Tile,
    private readonly batch: number | undefined,
  ) {
    const { width, height, channels, noise } = tile;
    const arrays = (count: number): Picture => Array.from({ length: count }, () => scope.buffer(4 * width * height));
    this.#slots = Object.fromEntries([...slotsOf(recipe)].map((slot) => [slot, arrays(channels)]));
    this.#sums = Array.from({ length: channels }, () => arrays(4));
    this.#part = scope.buffer(32, GPUBufferUsage.UNIFORM);
    this.#share = scope.buffer(16, GPUBufferUsage.UNIFORM);
    this.#noise = noise && noiseTables(scope, noise);
    const passes = recipe.filter(isPass).map((pass) => ({ pass, batch: this.#references(pass).batch }));
    this.#scratch = scratchFor(scope, passes, noise !== undefined);
  }

  /** The planes of the last step's picture. The planes of the tile are read into `samples`, one by one. */
  async follow(samples: Float32Array, signal?: AbortSignal, onStep?: OnStep): Promise<Float32Array[]> {
    for (const [c, plane] of this.#picture('noisy').entries()) {
      await drive(this.tile.read(c, samples), { signal });
      this.scope.write(plane, samples);
    }
    this.#clearSums();
    const batches = new DoubleBuffer(this.gpu, signal);
    onStep?.(0, 0);
    for (const [i, step] of this.recipe.entries()) {
      const report = (fraction: number) => {
        onStep?.(i, fraction);
        if (fraction === 1 && i + 1 < this.recipe.length) onStep?.(i + 1, 0);
      };
      if (isPass(step)) await this.#pass(step, this.kernels.passes[i] as PassKernels, batches, report);
      else this.#blend(step);
    }
    const { to } = this.recipe[this.recipe.length - 1];
    const reads = this.#picture(to).map((plane) => this.gpu.read(plane, 0, this.#bytes, signal));
    const planes = await Promise.all(reads);
    await batches.end();
    return planes.map((plane) => new Float32Array(plane));
  }

  get #bytes(): number {
    return 4 * this.tile.width * this.tile.height;
  }

  #picture(slot: Slot): Picture {
    return this.#slots[slot] as Picture;
  }

  /** The references of a pass: per row, all, and per batch. */
  #references(pass: Pass): { across: number; total: number; batch: number } {
    const across = places(this.tile.width, pass).length;
    const total = across * places(this.tile.height, pass).length;
    return { across, total, batch: Math.min(total, this.batch ?? referencesPerBatch(pass, this.gpu)) };
  }

  #clearSums(): void {
    const runs = this.gpu.batch();
    for (const sums of this.#sums.flat()) runs.clear(sums);
    runs.submit();
  }

  async #pass(
    pass: Pass,
    kernels: PassKernels,
    batches: DoubleBuffer,
    report: (fraction: number) => void,
  ): Promise<void> {
    const { width, height } = this.tile;
    const { across, total, batch } = this.#references(pass);
    const [from, guide] = [this.#picture(pass.from), this.#picture(pass.guide)];
    const buffers = { part: this.#part, from, guide, sums: this.#sums, noise: this.#noise, ...this.#scratch };
    const runBatch = preparePass(this.scope, pass, kernels, buffers);
    for (let first = 0; first < total; first += batch) {
      const count = Math.min(batch, total - first);
      this.scope.write(this.#part, partWords(pass, { width, height, across, first, count }));
      const runs = this.gpu.batch();
      runBatch(runs, count);
      if (first + count === total) this.#combine(runs, pass.to);
      await batches.submit(runs, () => report((first + count) / total));
    }
  }

  /** Sums to the picture of a slot. */
  #combine(runs: Batch, slot: Slot): void {
    const { combine } = this.kernels;
    this.#picture(slot).forEach((plane, c) => {
      runs.run(combine, combine.bind({ ...namedSums(this.#sums[c]), picture: plane }), this.#pixelGroups);
    });
  }

  /** A picture is blended where it is, since a kernel may not read and write one buffer by two names. */
  #blend({ a, b, to, share }: Blend): void {
    const { blend } = this.kernels;
    const [other, shareOfTo] = to === b ? [a, 1 - share] : [b, share];
    this.scope.write(this.#share, Float32Array.of(shareOfTo, 0, 0, 0));
    const runs = this.gpu.batch();
    this.#picture(to).forEach((plane, c) => {
      if (to !== a && to !== b) runs.copy(this.#picture(a)[c], 0, plane, 0, this.#bytes);
      runs.run(blend, blend.bind({ share: this.#share, to: plane, other: this.#picture(other)[c] }), this.#pixelGroups);
    });
    runs.submit();
  }

  get #pixelGroups(): number {
    return Math.ceil(this.#bytes / 4 / PIXEL_THREADS);
  }
}
