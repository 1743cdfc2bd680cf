import { isPass, type Step, volumePass } from '../../../../denoisers/groups/recipes.js';
import { SEARCH } from '../../../../denoisers/groups/volumes.js';
import { Module } from '../assembler.js';
import { blend, combine } from './aggregation.js';
import { transformFilter } from './filters.js';
import { lowRankFilter } from './lowrank.js';
import { matching } from './matching.js';
import type { GroupScratch, GroupTarget, NoiseTable, PassTables } from './target.js';
import { windowDistances } from './volumes.js';
import { brightness } from './whitening.js';

/** What the code of a recipe depends on: the size of the picture, and the addresses of its constants and scratch. */
export interface GroupProgram {
  readonly recipe: readonly Step[];
  readonly width: number;
  /** The rows of a page. */
  readonly height: number;
  readonly scratch: GroupScratch;
  /** The constants of each step that is a pass. */
  readonly tables: readonly (PassTables | undefined)[];
  /** The noise by brightness and frequency, if it is not white. */
  readonly noise?: NoiseTable;
}

/** The code of all passes of a recipe. */
export function groupModule(program: GroupProgram, fma: boolean, shared: boolean): Uint8Array<ArrayBuffer> {
  const { recipe, width, height, scratch, tables, noise } = program;
  const module = new Module();
  const filterGroups = (name: string | number, target: GroupTarget) => {
    if (noise) brightness(module, `brightness${name}`, target, noise);
    (target.pass.filter.kind === 'rank' ? lowRankFilter : transformFilter)(module, `filter${name}`, target);
  };
  recipe.forEach((step, i) => {
    if (!isPass(step)) return;
    const target = { pass: step, width, height, scratch, fma, tables: tables[i] as PassTables, noise };
    matching(module, `match${i}`, target);
    filterGroups(i, target);
    if (!step.volumes) return;
    // The members of a group of volumes are found by the host, from these distances.
    const { patch, volumes } = step;
    windowDistances(module, `follow${i}`, { width, patch, fma }, 2 * SEARCH + 1);
    windowDistances(module, `compare${i}`, { width, patch, fma }, 2 * volumes.reach + 1);
    filterGroups(`${i}Volumes`, { ...target, pass: volumePass(step) });
  });
  combine(module);
  blend(module);
  return module.bytes(shared);
}
