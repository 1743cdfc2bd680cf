/**
 * The paths of joint OMP (`sparse/solvers/joint-omp.ts`), a team per patch: the atom that gains most joins, until a longer path is not worth
 * its price. A path is left once Σ(gain − price) has fallen by more than PATIENCE · price below the best it has been, or all that is
 * left of the patch could not make up for that.
 *
 * With restarts, each patch is followed again without the 2nd, the 3rd and the 4th of its n(λ) atoms, and the path that is worth most
 * stays:  max_k Σ_{i≤k} (gainᵢ − λ).
 */
import { PATIENCE, RESTARTS } from '../../../sparse/solvers/joint-omp.js';
import {
  ASTRAY,
  choose,
  correlate,
  energyOf,
  exclude,
  floorOf,
  join,
  load,
  numberAt,
  ownItems,
  type PursuitForm,
  startAgain,
  step,
  storage,
  teamModule,
} from './pursuit.js';
import { NONE } from './team.js';

/** Where a follower appends the patches that it could not follow to their end: their number, then the patches. */
const unfinished = `
struct List { length: atomic<u32>, patches: array<u32> }
@group(0) @binding(6) var<storage, read_write> unfinished: List;`;

/**
 * Follows the paths of a run of patches, or of those of a list. Paths of more atoms than the kernel's depth and fewer than
 * `atMost` are unfinished. Buffers: list, atoms, gains, how many of them, the unfinished ones.
 */
export function followKernel(form: PursuitForm): string {
  const { depth } = form;
  const declarations = [
    storage(2, 'list', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read_write'),
    storage(4, 'gains', 'f32', 'read_write'),
    storage(5, 'followed', 'u32', 'read_write'),
    unfinished,
    `var<workgroup> excluded: array<u32, ${RESTARTS}>;`,
    'var<workgroup> restarts: u32;',
  ].join('\n');
  /** Ends the path where it is not worth going on. */
  const endWhereLost = `if (lost + task.price > left + rounding || lost > ${PATIENCE} * task.price) { limit = k; }`;
  const follow = `
      ${floorOf}
      var left = energy;
      var rounding = energy * ${ASTRAY.energy};
      var lost = 0.0;
      var limit = min(task.atMost, ${depth}u);
      var k = 0u;
      ${endWhereLost}
      loop {
        if (k >= limit) { break; }
        ${choose(form, 'order-recursive', true)}
        if (next.atom == ${NONE}) { break; }
        ${step}
        left -= beta * beta;
        lost = max(0.0, lost + task.price - beta * beta);
        k += 1u;
        ${endWhereLost}
        if (k < limit) {
          ${join(form, 'k - 1u')}
          ${form.rowsInBuffer ? 'storageBarrier();' : ''}
          if (k == 1u) { ${startAgain(form, `${correlate(form)} rounding = left * ${ASTRAY.energy};`)} }
        }
      }`;
  // n(λ), and the least of (error + λ per atom), which is where a path is worth most; summed from the end, so that nothing cancels.
  // Every thread makes the same sums, which are short. One path alone needs none.
  const cost = `
      workgroupBarrier();
      var n = k;
      var total = max(left, 0.0) + f32(k) * task.lambda;
      var cost = total;
      for (var i = k; i > 0u && task.restarts > 0u; i--) {
        total += path[i - 1u].beta * path[i - 1u].beta - task.lambda;
        if (total <= cost) { cost = total; n = i - 1u; }
      }`;
  const body = `
    var without = ${NONE};
    var least = 3e38;
    var open = false;
    var tries = 0u;
    for (var attempt = 0u; attempt <= tries; attempt++) {
      ${load(form)}
      ${energyOf(form, 'energy')}
      ${correlate(form)}
      if (attempt > 0u) {
        without = excluded[attempt - 1u];
        ${exclude(form, 'without')}
      }
      ${follow}
      open = open || (k == ${depth}u && limit == ${depth}u && task.atMost > ${depth}u);
      ${cost}
      if (cost < least) {
        least = cost;
        ${ownItems(form, 'i', 'k')} {
          let at = ${numberAt('task.rows', 'i')};
          atoms[at] = path[i].atom;
          gains[at] = path[i].beta * path[i].beta;
        }
        if (lane == 0u) { followed[p] = k; }
      }
      if (attempt == 0u && task.restarts > 0u) {
        // The first atom is almost always the mean of the patch, without which no path is better.
        if (lane == 0u) {
          restarts = min(max(n, 1u) - 1u, task.restarts);
          for (var i = 0u; i < restarts; i++) { excluded[i] = path[i + 1u].atom; }
        }
        tries = workgroupUniformLoad(&restarts);
      }
    }
    if (open && lane == 0u) { unfinished.patches[atomicAdd(&unfinished.length, 1u)] = p; }`;
  const task = 'listed: u32, rows: u32, atMost: u32, restarts: u32, price: f32, lambda: f32';
  const patch = 'var p = place; if (task.listed != 0u) { p = list[place + 1u]; }';
  return teamModule(form, { declarations, task, patch, body });
}
