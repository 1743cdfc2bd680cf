/**
 * OMP, a team per patch: the atom most correlated with the residual joins, up to the patch's limit, and then the coefficients are
 * solved for (`pursuit.ts`).
 */
import {
  choose,
  coefficient,
  correlate,
  energyOf,
  floorOf,
  join,
  load,
  numberAt,
  ownItems,
  type PursuitForm,
  rowBarrier,
  solvePath,
  step,
  storage,
  teamModule,
} from './pursuit.js';
import { NONE } from './team.js';

/** `limit` is that of every patch, or NONE if each has its own. Buffers: limits, atoms and values with `rows` rows, course with one more, counts. */
export function ompKernel(form: PursuitForm): string {
  const declarations = [
    storage(2, 'limits', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read_write'),
    storage(4, 'values', 'f32', 'read_write'),
    // The final error, then what each atom gained.
    storage(5, 'course', 'f32', 'read_write'),
    storage(6, 'counts', 'u32', 'read_write'),
    // How the path ends, for all threads: its atoms, and the error that they leave.
    'struct End { k: u32, left: f32 }',
    'var<workgroup> end: End;',
  ].join('\n');
  const body = `${load(form)}
    ${energyOf(form, 'energy')}
    ${floorOf}
    ${correlate(form)}
    var allowed = task.limit;
    if (allowed == ${NONE}) { allowed = limits[p]; }
    let limit = min(allowed, ${form.depth}u);
    var left = energy;
    var k = 0u;
    // Nearly every patch has as many atoms as it may. To leave at the first that finds none would take two more barriers per atom.
    for (var i = 0u; i < limit; i++) {
      ${choose(form, 'omp', false)}
      if (next.atom != ${NONE}) {
        ${step}
        left -= beta * beta;
        if (k + 1u < limit) { ${join(form)} }
        k += 1u;
      }
      ${rowBarrier(form)}
    }
    if (lane == 0u) { end = End(k, left); }
    let reached = workgroupUniformLoad(&end);
    k = reached.k;
    left = reached.left;
    ${solvePath(form)}
    ${ownItems(form, 'i', 'k')} {
      let at = ${numberAt('task.rows', 'i')};
      atoms[at] = path[i].atom;
      values[at] = ${coefficient(form)};
      course[${numberAt('(task.rows + 1u)', 'i + 1u')}] = path[i].beta * path[i].beta;
    }
    if (lane == 0u) {
      counts[p] = k;
      course[${numberAt('(task.rows + 1u)', '0u')}] = error;
    }`;
  return teamModule(form, { declarations, task: 'rows: u32, limit: u32', patch: 'let p = place;', body });
}
