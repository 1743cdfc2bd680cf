import { enter, type Frame } from '../../../groups/frame.js';
import type { Step } from '../../../groups/recipes.js';
import { isPass } from '../../../groups/recipes.js';
import type { Rectangle } from '../../../groups/tiles.js';
import type { Samples } from '../../../signal/image.js';
import { drive } from '../../../work.js';
import { groupModule } from '../kernels/groups/module.js';
import type { GroupJob, GroupKernels } from './group-jobs.js';
import { shareOfGroups } from './group-jobs.js';
import { GroupMemory } from './group-memory.js';
import type { Team } from './team.js';
import { alone, workers } from './team.js';

/** How a recipe is followed. */
export interface FollowOptions {
  readonly fma: boolean;
  readonly threads: number;
  /** Rows of a band, for tests; no fewer than are needed are ever taken. */
  readonly band?: number;
  /** The part of the planes that is worked on; all of them unless told. */
  readonly part?: Rectangle;
  /** Keeps the memory from one tile to the next: those that nobody needs any more are collected late, and pile up. */
  readonly room?: { memory?: WebAssembly.Memory };
  readonly signal?: AbortSignal;
  /** Told now and then which step is at work, and how much of it is done. */
  readonly onStep?: (step: number, fraction: number) => void;
}

/** Follows a recipe on the planes of an image, which enter its frame here; what comes back is still in the frame. */
export async function followOnWasm(
  recipe: readonly Step[],
  frame: Frame,
  planes: readonly Samples[],
  width: number,
  height: number,
  options: FollowOptions,
): Promise<Float32Array[]> {
  const { fma, threads, band, part = { left: 0, top: 0, width, height }, signal, onStep } = options;
  const shared = threads > 1;
  const memory = new GroupMemory(recipe, frame.width, frame.height, planes.length, threads, band, options.room?.memory);
  if (options.room) options.room.memory = memory.memory;
  const { layout } = memory;
  const module = await WebAssembly.compile(groupModule(memory, fma, shared));
  const team = shared
    ? await workers<GroupJob, void>({ kind: 'groups', module, memory: memory.memory, layout })
    : await lone(memory, module);
  try {
    const size = frame.width * frame.height;
    for (const [c, plane] of planes.entries()) {
      await drive(enter(frame, c, plane, width, part, memory.floats(layout.slots.noisy[c], size)), { signal });
    }
    for (const [i, step] of recipe.entries()) {
      const run = (kind: GroupJob['kind'], look?: () => void) => {
        memory.words(layout.next, 1)[0] = 0;
        memory.words(layout.done, 1)[0] = 0;
        return team.run({ kind, step: i }, { signal }, look);
      };
      onStep?.(i, 0);
      if (isPass(step)) {
        const total = layout.references[i]?.total ?? 1;
        await run('pass', onStep && (() => onStep(i, Math.min(1, memory.words(layout.done, 1)[0] / total))));
      }
      await run(isPass(step) ? 'combine' : 'blend');
    }
    return layout.slots[recipe[recipe.length - 1].to].map((at) => memory.floats(at, size));
  } finally {
    team.dispose();
  }
}

/** The asking thread alone. */
async function lone(memory: GroupMemory, module: WebAssembly.Module): Promise<Team<GroupJob, void>> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: memory.memory } });
  const place = {
    layout: memory.layout,
    memory: memory.memory,
    thread: 0,
    kernels: exports as unknown as GroupKernels,
  };
  return alone((job: GroupJob) => shareOfGroups(job, place));
}
