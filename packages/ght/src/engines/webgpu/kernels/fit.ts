/**
 * Least squares on given supports, a team per patch: the atoms join in the order in which they stand (`pursuit.ts`). One that depends
 * on the atoms before it is left out, which loses nothing.
 */
import {
  coefficient,
  consult,
  correlate,
  energyOf,
  join,
  load,
  numberAt,
  ownOf,
  type PursuitForm,
  settle,
  startAgain,
  step,
  storage,
  tablePlaces,
  teamModule,
} from './pursuit.js';

/** Of an atom's squared length, what must be new in it to join a fit, which has no choice: as little as rounding allows. */
const DEPENDENT = 1e-5;

/** The number of atoms of the patch, the same for all threads. */
const size = 'var<workgroup> size: u32;';

/** The coefficient of step i of the path. */
const fitted = (form: PursuitForm) => coefficient(form, '(path[i].x * path[i].inverse + select(0.0, base, i == 0u))');

/** Joins the atoms at `atomAt(i)`, i below n, to the fit of r; then k of them have coefficients. */
function fit(form: PursuitForm, atomAt: string): string {
  return `
    ${energyOf(form, 'energy')}
    ${correlate(form)}
    var left = energy;
    // What is subtracted from r of the first atom, and so belongs to its coefficient.
    var base = 0.0;
    var k = 0u;
    for (var i = 0u; i < n && k < ${form.depth}u; i++) {
      let j = ${atomAt};
      ${consult(form)}
      if (next.fresh > ${DEPENDENT}) {
        ${step}
        if (lane == 0u) { entry[k] = i; }
        left -= beta * beta;
        if (i + 1u < n && k + 1u < ${form.depth}u) {
          ${join(form)}
          if (k == 0u) { ${startAgain(form, 'base = beta * inverse; if (lane == 0u) { path[0].beta = 0.0; }')} }
        }
        k += 1u;
      }
    }
    ${settle(form)}`;
}

const entries = ({ depth }: PursuitForm) => `${size}\nvar<workgroup> entry: array<u32, ${depth}>;`;

/**
 * The codes of an allotment: `counts` atoms of each path. With `listed` the patches are those of a list. Patches with fewer atoms
 * than `least`, or more than the kernel's depth, are left to another. Bindings: 2 list, 3 atoms, 4 values, 5 errors, 6 counts. Atoms and values have
 * `rows` rows per patch.
 */
export function allottedKernel(form: PursuitForm): string {
  const declarations = [
    storage(2, 'list', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read_write'),
    storage(4, 'values', 'f32', 'read_write'),
    storage(5, 'errors', 'f32', 'read_write'),
    storage(6, 'counts', 'u32', 'read_write'),
    entries(form),
  ].join('\n');
  const body = `
    if (lane == 0u) { size = counts[p]; }
    let n = workgroupUniformLoad(&size);
    if (n >= task.least && n <= ${form.depth}u) {
      ${load(form)}
      ${fit(form, `atoms[${numberAt('task.rows', 'i')}]`)}
      ${ownOf(
        form,
        'i',
        'k',
        `let at = ${numberAt('task.rows', 'i')};
        atoms[at] = path[i].atom;
        values[at] = ${fitted(form)};`,
      )}
      if (lane == 0u) { counts[p] = k; errors[p] = error; }
    }`;
  const patch = 'var p = place; if (task.listed != 0u) { p = list[place + 1u]; }';
  return teamModule(form, { declarations, task: 'listed: u32, least: u32, rows: u32', patch, body });
}

/**
 * Refit of codes: what a code leaves of its patch is fitted by the same atoms and added; a code that would not become better stays
 * as it is. Bindings: 2 where the codes of each patch begin and end, 3 atoms and 4 values, patch after patch, 5 errors,
 * 6 the list of patches.
 */
export function refitKernel(form: PursuitForm): string {
  const { byAtom, lengths } = tablePlaces(form.shape);
  const K = form.shape.R4 / 4;
  const declarations = [
    storage(2, 'begins', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read'),
    storage(4, 'values', 'f32', 'read_write'),
    storage(5, 'errors', 'f32', 'read_write'),
    storage(6, 'list', 'u32', 'read'),
    entries(form),
  ].join('\n');
  const body = `${load(form)}
    let begin = begins[p];
    let n = begins[p + 1u] - begin;
    ${ownOf(
      form,
      'e',
      `${K}u`,
      `for (var i = begin; i < begin + n; i++) {
        let x = values[i] * tables[${lengths}u + (atoms[i] >> 2u)][atoms[i] & 3u];
        r[e] = fma(vec4f(-x), tables[${byAtom}u + atoms[i] * ${K}u + e], r[e]);
      }`,
    )}
    ${fit(form, 'atoms[begin + i]')}
    if (error < energy) {
      ${ownOf(form, 'i', 'k', `values[begin + entry[i]] += ${fitted(form)};`)}
    }
    if (lane == 0u) { errors[p] = min(error, energy); }`;
  return teamModule(form, { declarations, task: '', patch: 'let p = list[place + 1u];', body });
}
