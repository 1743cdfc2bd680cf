import { isPass } from '../../../groups/recipes.js';
import { Module } from '../assembler.js';
import { blend, combine } from './aggregation.js';
import { transformFilter } from './filters.js';
import { lowRankFilter } from './lowrank.js';
import { matching } from './matching.js';
import type { GroupMemory } from './memory.js';
import type { PassTables } from './target.js';

/** The code of all passes of a recipe, for the size of the picture at hand. */
export function groupModule(memory: GroupMemory, fma: boolean, shared: boolean): Uint8Array<ArrayBuffer> {
  const { width, height, scratch } = memory;
  const module = new Module();
  memory.layout.recipe.forEach((step, i) => {
    if (!isPass(step)) return;
    const target = { pass: step, width, height, scratch, fma, tables: memory.tables[i] as PassTables };
    matching(module, `match${i}`, target);
    (step.filter.kind === 'rank' ? lowRankFilter : transformFilter)(module, `filter${i}`, target);
  });
  combine(module);
  blend(module);
  return module.bytes(shared);
}
