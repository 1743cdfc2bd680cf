import { isPass, type Step } from '../../../../denoisers/groups/recipes.js';
import { Module } from '../assembler.js';
import { blend, combine } from './aggregation.js';
import { transformFilter } from './filters.js';
import { lowRankFilter } from './lowrank.js';
import { matching } from './matching.js';
import type { GroupScratch, NoiseTable, PassTables } from './target.js';
import { brightness } from './whitening.js';

/** What the code of a recipe depends on: the size of the picture, and the addresses of its constants and scratch. */
export interface GroupProgram {
  readonly recipe: readonly Step[];
  readonly width: number;
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
  recipe.forEach((step, i) => {
    if (!isPass(step)) return;
    const target = { pass: step, width, height, scratch, fma, tables: tables[i] as PassTables, noise };
    matching(module, `match${i}`, target);
    if (noise) brightness(module, `brightness${i}`, target, noise);
    (step.filter.kind === 'rank' ? lowRankFilter : transformFilter)(module, `filter${i}`, target);
  });
  combine(module);
  blend(module);
  return module.bytes(shared);
}
