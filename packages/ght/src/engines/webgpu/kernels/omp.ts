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
  ownOf,
  type PursuitForm,
  settle,
  step,
  storage,
  teamModule,
} from './pursuit.js';
import { NONE } from './team.js';

/** Bindings: 2 limits, 3 atoms, 4 values, 5 course, 6 counts. */
export function ompKernel(form: PursuitForm): string {
  const { depth } = form;
  const declarations = [
    storage(2, 'limits', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read_write'),
    storage(4, 'values', 'f32', 'read_write'),
    // The final error, then what each atom gained.
    storage(5, 'course', 'f32', 'read_write'),
    storage(6, 'counts', 'u32', 'read_write'),
  ].join('\n');
  const body = `${load(form)}
    ${energyOf(form, 'energy')}
    ${floorOf}
    ${correlate(form)}
    let limit = min(limits[p], ${depth}u);
    var left = energy;
    var k = 0u;
    loop {
      if (k >= limit) { break; }
      ${choose(form, 'omp')}
      if (next.atom == ${NONE}) { break; }
      ${step}
      left -= beta * beta;
      if (k + 1u < limit) { ${join(form)} }
      k += 1u;
    }
    ${settle(form)}
    ${ownOf(
      form,
      'i',
      'k',
      `let at = ${numberAt(`${depth}u`, 'i')};
      atoms[at] = path[i].atom;
      values[at] = ${coefficient(form)};
      course[${numberAt(`${depth + 1}u`, 'i + 1u')}] = path[i].beta * path[i].beta;`,
    )}
    if (lane == 0u) {
      counts[p] = k;
      course[${numberAt(`${depth + 1}u`, '0u')}] = error;
    }`;
  return teamModule(form, { declarations, task: '', patch: 'let p = place;', body });
}
