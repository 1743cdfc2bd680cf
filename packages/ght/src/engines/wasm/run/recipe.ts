import type { Tile } from '../../../denoisers/denoiser.js';
import { type OnStep, type RecipeRunner, slotsOf } from '../../../denoisers/groups/denoiser.js';
import { isPass, type Step } from '../../../denoisers/groups/recipes.js';
import { drive } from '../../../work.js';
import { groupModule } from '../kernels/groups/module.js';
import { shareOfGroups } from './group-jobs.js';
import type { GroupJob } from './group-layout.js';
import { GroupMemory } from './group-memory.js';
import { alone, type Team, workers } from './team.js';

/** Options for running recipes on the kernels. */
export interface KernelOptions {
  readonly fma: boolean;
  readonly threads: number;
  /** Rows per band, for tests; raised to the smallest number at which groups two bands apart do not overlap. @default `bandOf(recipe)` */
  readonly band?: number;
}

/** The approximate bytes of a recipe for a picture of this size: its pictures, and sums and weights of two sets of bands. */
export function recipeBytes(recipe: readonly Step[], width: number, height: number, channels: number): number {
  return 4 * width * height * channels * (slotsOf(recipe).size + 4);
}

/** Runs a recipe on the kernels, tile after tile. */
export function recipeRunner(recipe: readonly Step[], options: KernelOptions): RecipeRunner {
  // One memory for all tiles: unused memories are collected late, and would accumulate.
  let reused: WebAssembly.Memory | undefined;
  return {
    bytes: (width, height, channels) => recipeBytes(recipe, width, height, channels),
    async follow(tile, signal, onStep) {
      const memory = new GroupMemory(recipe, tile, options.threads, options.band, reused);
      reused = memory.memory;
      return followIn(memory, tile, options, signal, onStep);
    },
  };
}

/** Runs the recipe for which a memory is laid out; the result is in that memory. */
async function followIn(
  memory: GroupMemory,
  tile: Tile,
  { fma, threads }: KernelOptions,
  signal?: AbortSignal,
  onStep?: OnStep,
): Promise<Float32Array[]> {
  const { layout, recipe } = memory;
  const shared = threads > 1;
  const module = await WebAssembly.compile(groupModule(memory, fma, shared));
  const team = shared
    ? await workers<GroupJob, void>({ kind: 'groups', module, places: [{ memory: memory.memory, layout }] }, signal)
    : await lone(memory, module);
  try {
    const size = tile.width * tile.height;
    for (let c = 0; c < tile.channels; c++) {
      await drive(tile.read(c, memory.floats(layout.slots.noisy[c], size)), { signal });
    }
    for (const [i, step] of recipe.entries()) {
      const run = (kind: GroupJob['kind'], onPoll?: () => void) => {
        memory.words(layout.next, 1)[0] = 0;
        memory.words(layout.done, 1)[0] = 0;
        return team.run({ kind, step: i }, { signal }, onPoll);
      };
      onStep?.(i, 0);
      if (isPass(step)) {
        const total = layout.references[i]?.total ?? layout.volumes?.passes[i]?.rows ?? 1;
        await run('pass', onStep && (() => onStep(i, Math.min(1, memory.words(layout.done, 1)[0] / total))));
      }
      await run(isPass(step) ? 'combine' : 'blend');
    }
    const { depths } = tile.pages ?? {};
    if (depths && layout.volumes) {
      for (const [i, word] of memory.words(layout.volumes.depths, depths.length).entries()) depths[i] += word;
    }
    return layout.slots[recipe[recipe.length - 1].to].map((at) => memory.floats(at, size));
  } finally {
    team.dispose();
  }
}

/** A team of the calling thread alone. */
async function lone(memory: GroupMemory, module: WebAssembly.Module): Promise<Team<GroupJob, void>> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: memory.memory } });
  const place = {
    layout: memory.layout,
    memory: memory.memory,
    thread: 0,
    kernels: exports,
  };
  return alone((job: GroupJob) => shareOfGroups(job, place));
}
