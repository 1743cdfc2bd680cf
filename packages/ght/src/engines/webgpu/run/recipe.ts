/**
 * Runs a recipe on a GPU. The pictures stay there from the first step to the last. Each pass takes its references in batches, and can
 * be aborted between two of them.
 */
import type { Tile } from '../../../denoisers/denoiser.js';
import { EngineFailure } from '../../../errors.js';
import { type OnStep, type RecipeRunner, slotsOf } from '../../../groups/denoiser.js';
import { places } from '../../../groups/matching.js';
import type { Blend, Pass, Slot, Step } from '../../../groups/recipes.js';
import { isPass } from '../../../groups/recipes.js';
import { drive } from '../../../work.js';
import { recipeBytes } from '../bytes.js';
import type { Gpu, Room } from '../gpu.js';
import { blendKernel, combineKernel, PIXEL_THREADS } from '../kernels/groups/aggregation.js';
import { partWords } from '../kernels/groups/target.js';
import {
  compilePass,
  type NoiseTables,
  noiseTables,
  type PassKernels,
  type Picture,
  preparePass,
  referencesPerBatch,
  refusalOf,
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
    const why = refusalOf(pass);
    if (why) throw new EngineFailure('webgpu', `the step "${pass.name}" runs on the CPU only: ${why}`);
  }
  return {
    bytes: (width, height, channels) => recipeBytes(recipe, width, height, channels),
    async follow(tile, signal, onStep) {
      const most = gpu.limits.maxStorageBufferBindingSize / 4;
      if (tile.width * tile.height > most) {
        throw new EngineFailure('webgpu', `the GPU cannot bind planes of more than ${Math.floor(most)} pixels`);
      }
      const room = gpu.room();
      try {
        const following = await gpu.allocated(() => new Following(gpu, room, recipe, tile, batch));
        return await following.follow(signal, onStep);
      } finally {
        room.dispose();
      }
    },
  };
}

/** A recipe on one tile: its pictures and sums. */
class Following {
  readonly #slots: Partial<Record<Slot, Picture>>;
  /** The four arrays of sums of each plane; see kernels/groups/aggregation.ts. */
  readonly #sums: readonly Picture[];
  readonly #part: GPUBuffer;
  readonly #share: GPUBuffer;
  readonly #noise: NoiseTables | undefined;

  constructor(
    private readonly gpu: Gpu,
    private readonly room: Room,
    private readonly recipe: readonly Step[],
    private readonly tile: Tile,
    private readonly batch: number | undefined,
  ) {
    const { width, height, channels, noise } = tile;
    const arrays = (count: number): Picture => Array.from({ length: count }, () => room.buffer(4 * width * height));
    this.#slots = Object.fromEntries([...slotsOf(recipe)].map((slot) => [slot, arrays(channels)]));
    this.#sums = Array.from({ length: channels }, () => arrays(4));
    this.#part = room.buffer(32, GPUBufferUsage.UNIFORM);
    this.#share = room.buffer(16, GPUBufferUsage.UNIFORM);
    this.#noise = noise && noiseTables(room, noise);
  }

  /** The planes of the last step's picture. */
  async follow(signal?: AbortSignal, onStep?: OnStep): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    // All kernels are compiled at the same time, where the host has threads for that.
    const compiling = this.recipe.map((step) => isPass(step) && compilePass(this.gpu, step, this.#noise !== undefined));
    const kernels = await Promise.all(compiling);
    await this.#read(signal);
    for (const [i, step] of this.recipe.entries()) {
      onStep?.(i, 0);
      const tell = onStep && ((fraction: number) => onStep(i, fraction));
      if (isPass(step)) await this.#pass(step, kernels[i] as PassKernels, signal, tell);
      else await this.#blend(step);
    }
    const { to } = this.recipe[this.recipe.length - 1];
    const planes: Float32Array[] = [];
    for (const plane of this.#picture(to)) {
      planes.push(new Float32Array(await this.gpu.read(plane, 0, this.#bytes, signal)));
    }
    return planes;
  }

  get #bytes(): number {
    return 4 * this.tile.width * this.tile.height;
  }

  #picture(slot: Slot): Picture {
    return this.#slots[slot] as Picture;
  }

  async #read(signal?: AbortSignal): Promise<void> {
    const samples = new Float32Array(this.#bytes / 4);
    for (const [c, plane] of this.#picture('noisy').entries()) {
      await drive(this.tile.read(c, samples), { signal });
      this.room.write(plane, samples);
    }
  }

  async #pass(
    pass: Pass,
    kernels: PassKernels,
    signal?: AbortSignal,
    onFraction?: (fraction: number) => void,
  ): Promise<void> {
    const { gpu } = this;
    const { width, height } = this.tile;
    const across = places(width, pass).length;
    const total = across * places(height, pass).length;
    const batch = Math.min(total, this.batch ?? referencesPerBatch(pass, gpu));
    const [from, guide] = [this.#picture(pass.from), this.#picture(pass.guide)];
    const buffers = { part: this.#part, from, guide, sums: this.#sums, noise: this.#noise };
    const room = gpu.room();
    try {
      const runBatch = await gpu.allocated(() => preparePass(room, pass, kernels, buffers, batch));
      // One batch waits for the GPU behind the one at work, so that the GPU does not wait for this thread.
      let before = Promise.resolve();
      for (let first = 0; first < total; first += batch) {
        signal?.throwIfAborted();
        const count = Math.min(batch, total - first);
        this.room.write(this.#part, partWords(pass, { width, height, across, first, count }));
        const runs = gpu.batch();
        runBatch(runs, count);
        runs.submit();
        const done = gpu.done(signal);
        // If the batch before fails, this one is not waited for.
        done.catch(() => undefined);
        await before;
        if (first > 0) onFraction?.(first / total);
        before = done;
      }
      await before;
      onFraction?.(1);
    } finally {
      room.dispose();
    }
    await this.#combine(pass.to);
  }

  /** Sums to the picture of a slot. */
  async #combine(slot: Slot): Promise<void> {
    const kernel = await this.gpu.kernel(combineKernel, 'combine');
    const runs = this.gpu.batch();
    this.#picture(slot).forEach((plane, c) => {
      runs.run(kernel, kernel.bind({ ...this.#sums[c], 4: plane }), this.#pixelGroups);
    });
    runs.submit();
  }

  /** A picture is blended where it is, since a kernel may not read and write one buffer by two names. */
  async #blend({ a, b, to, share }: Blend): Promise<void> {
    const kernel = await this.gpu.kernel(blendKernel, 'blend');
    const [other, shareOfTo] = to === b ? [a, 1 - share] : [b, share];
    this.room.write(this.#share, Float32Array.of(shareOfTo, 0, 0, 0));
    const runs = this.gpu.batch();
    this.#picture(to).forEach((plane, c) => {
      if (to !== a && to !== b) runs.copy(this.#picture(a)[c], 0, plane, 0, this.#bytes);
      runs.run(kernel, kernel.bind({ 0: this.#share, 1: plane, 2: this.#picture(other)[c] }), this.#pixelGroups);
    });
    runs.submit();
  }

  get #pixelGroups(): number {
    return Math.ceil(this.#bytes / 4 / PIXEL_THREADS);
  }
}
