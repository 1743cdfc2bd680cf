/**
 * Least squares on given supports, a team per patch: the atoms join in the order in which they stand (`pursuit.ts`). One that depends
 * on the atoms before it is left out, which loses nothing.
 */
import {
  coefficient,
  energyOf,
  loadCoordinates,
  numberAt,
  ownItems,
  type PursuitForm,
  solvePath,
  startAgain,
  step,
  storage,
  tablePlaces,
  teamModule,
} from './pursuit.js';

/** Of an atom's squared length, what must be new in it to join a fit, which has no choice: as little as rounding allows. */
const DEPENDENT = 1e-5;

/** The coefficient of step i of the path. */
const fitted = (form: PursuitForm) => coefficient(form, '(path[i].x * path[i].inverse + select(0.0, base, i == 0u))');

/**
 * The given atoms with their α and ν, and the place of each step's atom among them. Column e of the rows has the entries of atom e in
 * the rows of the atoms before it, one after the other.
 */
const members = ({ depth }: PursuitForm) => `
var<workgroup> members: array<Choice, ${depth}>;
var<workgroup> entry: array<u32, ${depth}>;
fn columnOf(e: u32) -> u32 { return (e * (e - 1u)) >> 1u; }`;

/** α of the members, as `correlate` has it. */
function correlateMembers(form: PursuitForm): string {
  const { byAtom } = tablePlaces(form.shape);
  const K = form.shape.R4 / 4;
  return `${ownItems(form, 'e', 'n')} {
      var alpha = 0.0;
      let at = ${byAtom}u + members[e].atom * ${K}u;
      for (var i = 0u; i < ${K}u; i++) {
        let atom = tables[at + i];
        alpha = fma(r[i].w, atom.w, fma(r[i].z, atom.z, fma(r[i].y, atom.y, fma(r[i].x, atom.x, alpha))));
      }
      members[e].alpha = alpha;
    }`;
}

/** Row k of the atom `next`, which is member i, at the members after it, and what its join changes in their α and ν. */
function joinMembers(form: PursuitForm): string {
  const { gram } = tablePlaces(form.shape);
  const W = form.shape.L4 / 4;
  return `
        for (var e = i + 1u + lane; e < n; e += ${form.team.threads}u) {
          let other = members[e];
          let column = mine + columnOf(e);
          let own = mine + columnOf(i);
          var v = tables[${gram}u + next.atom * ${W}u + (other.atom >> 2u)][other.atom & 3u];
          for (var m = 0u; m < k; m++) { v = fma(-rows[own + m], rows[column + m], v); }
          v *= inverse;
          rows[column + k] = v;
          members[e].alpha = fma(-beta, v, other.alpha);
          members[e].fresh = fma(-v, v, other.fresh);
        }
        ${form.rowsInBuffer ? 'storageBarrier();' : ''}`;
}

/** Joins the atoms at `atomAt(e)`, e below n, to the fit of r; then k of them have coefficients. */
function fit(form: PursuitForm, atomAt: string): string {
  const { fresh } = tablePlaces(form.shape);
  return `
    ${ownItems(form, 'e', 'n')} {
      let atom = ${atomAt};
      members[e] = Choice(atom, 0.0, tables[${fresh}u + (atom >> 2u)][atom & 3u]);
    }
    ${energyOf(form, 'energy')}
    ${correlateMembers(form)}
    var left = energy;
    // What is subtracted from r of the first atom, and so belongs to its coefficient.
    var base = 0.0;
    var k = 0u;
    for (var i = 0u; i < n; i++) {
      let next = workgroupUniformLoad(&members[i]);
      if (next.fresh > ${DEPENDENT}) {
        ${step}
        if (lane == 0u) { entry[k] = i; }
        left -= beta * beta;
        if (i + 1u < n) {
          ${joinMembers(form)}
          if (k == 0u) {
            ${startAgain(
              form,
              `${correlateMembers(form)}
            base = beta * inverse;
            if (lane == 0u) { path[0].beta = 0.0; }`,
            )}
          }
        }
        k += 1u;
      }
    }
    ${solvePath(form, (i, m) => `rows[mine + columnOf(entry[${m}]) + ${i}]`)}`;
}

/**
 * The codes of an allotment: `counts` atoms of each path. With `listed` the patches are those of a list. Patches with fewer atoms
 * than `least`, or more than the kernel's depth, are left to another. Buffers: list, atoms, values, errors, counts. Atoms and values have
 * `rows` rows per patch.
 */
export function allottedKernel(form: PursuitForm): string {
  const declarations = [
    storage(2, 'list', 'u32', 'read'),
    storage(3, 'atoms', 'u32', 'read_write'),
    storage(4, 'values', 'f32', 'read_write'),
    storage(5, 'errors', 'f32', 'read_write'),
    storage(6, 'counts', 'u32', 'read_write'),
    members(form),
    // The number of atoms of the patch, the same for all threads.
    'var<workgroup> size: u32;',
  ].join('\n');
  const body = `
    if (lane == 0u) { size = counts[p]; }
    let n = workgroupUniformLoad(&size);
    if (n >= task.least && n <= ${form.depth}u) {
      ${loadCoordinates(form)}
      ${fit(form, `atoms[${numberAt('task.rows', 'e')}]`)}
      ${ownItems(form, 'i', 'k')} {
        let at = ${numberAt('task.rows', 'i')};
        atoms[at] = path[i].atom;
        values[at] = ${fitted(form)};
      }
      if (lane == 0u) { counts[p] = k; errors[p] = error; }
    }`;
  const patch = 'var p = place; if (task.listed != 0u) { p = list[place + 1u]; }';
  return teamModule(form, { declarations, task: 'listed: u32, least: u32, rows: u32', patch, body });
}

/**
 * Refit of codes: what a code leaves of its patch is fitted by the same atoms and added; a code that would not become better stays
 * as it is. Buffers: where the codes of each patch begin and end, atoms and values, patch after patch, errors,
 * the list of patches.
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
    members(form),
  ].join('\n');
  const body = `${loadCoordinates(form)}
    let begin = begins[p];
    let end = begins[p + 1u];
    ${ownItems(form, 'e', `${K}u`)} {
      for (var i = begin; i < end; i++) {
        let x = values[i] * tables[${lengths}u + (atoms[i] >> 2u)][atoms[i] & 3u];
        r[e] = fma(vec4f(-x), tables[${byAtom}u + atoms[i] * ${K}u + e], r[e]);
      }
    }
    let n = min(end - begin, ${form.depth}u);
    ${fit(form, 'atoms[begin + e]')}
    if (error < energy) {
      ${ownItems(form, 'i', 'k')} { values[begin + entry[i]] += ${fitted(form)}; }
    }
    if (lane == 0u) { errors[p] = min(error, energy); }`;
  return teamModule(form, { declarations, task: '', patch: 'let p = list[place + 1u];', body });
}
