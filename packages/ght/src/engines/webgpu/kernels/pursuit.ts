/**
 * What pursuits and fits are made of: orthogonal pursuit in the Gram domain, a team of threads per patch. The atoms have length 1
 * here; lengths are put back into the coefficients. Only inner products with all atoms are kept, α = Dᵀr, what is new in each atom,
 * ν, and the rows pᵢ = Dᵀqᵢ of an orthonormal basis of the atoms that have joined. Atom j joins by
 *
 *     v = G_j − Σᵢ pᵢ(j) pᵢ,   β = α_j / √ν_j,   p = v / √ν_j,   α ← α − β p,   ν ← ν − p∘p
 *
 * β² is what the error falls by. R(i, k) = pᵢ(j_k) for i < k and R(k, k) = √ν_{j_k} are the triangle of D restricted to the
 * support, so R x = β gives the coefficients, and the row of the last atom is never needed.
 *
 * Thread l of a team of T holds the vectors l, l + T, … of four atoms each in registers, unrolled: `alpha0`, `nu0`, `alpha1`, ….
 * Rows are in workgroup memory, or in a buffer where they do not fit. The pieces below are statements of `main`; those with
 * barriers may stand only where all threads of a team come. A fit to a given support (`fit.ts`) does the same with the atoms of the
 * support alone.
 */
import type { Shape } from '../../shape.js';
import { entryPoint } from '../gpu.js';
import { TILE } from '../layout.js';
import { laneOf, NONE, type Team, teamFunctions, teamHeader } from './team.js';

/** Of an atom's squared length, what must be new in it for it to join: as in the wasm engine, which is float32 too. */
const DEPENDENT = 3e-3;
/** Of ‖y‖², what an atom must gain at least. */
const NEGLIGIBLE = 1e-12;
/**
 * Of ‖y‖², what the first atom must leave at least for α to be updated. The first atom is mostly the mean of the patch. Of a flat
 * patch it leaves so little that the rounding of α, which is of the size of ‖y‖, looks like gains. So α = Dᵀr is then computed again
 * from the residual itself.
 */
const FLAT = 2 ** -8;
/** Of ‖y‖², and of the error that the gains leave, what a code may be off before it is called astray. */
export const ASTRAY = { energy: 1e-5, error: 1.1 };

/** What kernels of pursuits are made for. */
export interface PursuitForm {
  readonly team: Team;
  readonly shape: Pick<Shape, 'L' | 'L4' | 'R4'>;
  /** Atoms of a support, at most. */
  readonly depth: number;
  /** Whether rows have entries for the atoms of a given support alone. Elsewhere they have one for every atom. */
  readonly given: boolean;
  /** Whether rows are in a buffer. */
  readonly rowsInBuffer: boolean;
}

/** What decides how much memory the rows of a kernel take. */
type Rows = Pick<PursuitForm, 'shape' | 'depth' | 'given'>;

/** Vectors of a row of all atoms, and of coordinates. */
const widthOf = ({ shape }: Pick<PursuitForm, 'shape'>) => ({ W: shape.L4 / 4, K: shape.R4 / 4 });

/** Floats that a patch's rows take. Of a given support only the entries of later atoms are needed, which make a triangle. */
export function rowFloats({ shape, depth, given }: Rows): number {
  return given ? Math.max(1, (depth * (depth - 1)) / 2) : Math.max(1, depth - 1) * shape.L4;
}

/** Bytes of workgroup memory with all rows in it. */
export function workgroupBytes(form: Rows): number {
  return 4 * rowFloats(form) + bytesBesideRows(form);
}

/** Bytes of workgroup memory other than the rows: coordinates, steps, the members of a given support, and what the team's own functions need. */
export function bytesBesideRows({ shape, depth, given }: Rows): number {
  return 4 * shape.R4 + (given ? 32 : 16) * depth + 512;
}

/** Where the constants of a dictionary lie in their buffer, in vectors of four. */
export function tablePlaces({ L, L4, R4 }: PursuitForm['shape']) {
  const [W, K] = [L4 / 4, R4 / 4];
  // G; the atoms in coordinates, coordinate by coordinate and atom by atom; 1 for every atom, 0 for padding; their lengths.
  const byAtom = (L + R4) * W;
  const fresh = byAtom + L * K;
  return { gram: 0, byCoordinate: L * W, byAtom, fresh, lengths: fresh + W, end: fresh + 2 * W };
}

/** Bindings that all these kernels have: coordinates, tables, rows if they are in a buffer, and the task. */
const BINDINGS = { c: 0, tables: 1, rows: 7, task: 8 };

/** Declares a storage buffer. */
export function storage(binding: number, name: string, type: string, access: 'read' | 'read_write'): string {
  return `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: array<${type}>;`;
}

/**
 * A module whose workgroups work on a patch each. `task` are the members of its uniform besides these, all of four bytes:
 * the patches from `first` on, `count` of them; `teams` workgroups take turns where rows are in a buffer. `patch` is the number
 * of a patch in `p`, from its place in that run.
 */
export function teamModule(
  form: PursuitForm,
  { declarations, task, patch, body }: { declarations: string; task: string; patch: string; body: string },
): string {
  const { team, depth, given, rowsInBuffer } = form;
  const [row, rowsOfPatch] = given ? ['f32', rowFloats(form)] : ['vec4f', rowFloats(form) / 4];
  const { W, K } = widthOf(form);
  const { threads: T } = team;
  // One turn each, or, where rows are in a buffer, as many as it takes.
  const [turns, turn] = rowsInBuffer
    ? ['for (var turn = group; turn < task.count; turn += task.teams)', 'turn']
    : ['if (group < task.count)', 'group'];
  return `${teamHeader(team)}
struct Step { atom: u32, beta: f32, inverse: f32, x: f32 }
struct Choice { atom: u32, alpha: f32, fresh: f32 }
struct Task { first: u32, count: u32, teams: u32, ${task} }
${storage(BINDINGS.c, 'c', 'vec4f', 'read')}
${storage(BINDINGS.tables, 'tables', 'vec4f', 'read')}
@group(0) @binding(${BINDINGS.task}) var<uniform> task: Task;
${declarations}
var<workgroup> r: array<vec4f, ${K}>;
var<workgroup> path: array<Step, ${depth}>;
var<workgroup> choice: Choice;
${rowsInBuffer ? storage(BINDINGS.rows, 'rows', row, 'read_write') : `var<workgroup> rows: array<${row}, ${rowsOfPatch}>;`}
${teamFunctions(team)}
fn part(v: vec4f, i: u32) -> f32 { return select(select(v.x, v.y, i == 1u), select(v.z, v.w, i == 3u), i > 1u); }
${entryPoint(T, 'lane', laneOf(team))}
  let mine = ${rowsInBuffer ? `group * ${rowsOfPatch}u` : '0u'};
  ${eachVector(form, (v) => `let vector${v} = min(lane + ${v * T}u, ${W - 1}u);`)}
  ${turns} {
    let place = task.first + ${turn};
    ${patch}
    ${body}
  }
}`;
}

/** `text` for each vector of atoms that a thread holds. */
export function eachVector(form: PursuitForm, text: (v: number) => string): string {
  const vectors = Math.ceil(widthOf(form).W / form.team.threads);
  return Array.from({ length: vectors }, (_, v) => text(v)).join('\n  ');
}

/** The head of a loop over the items of a team's list that are this thread's own. */
export function ownItems({ team }: PursuitForm, name: string, end: string): string {
  return `for (var ${name} = lane; ${name} < ${end}; ${name} += ${team.threads}u)`;
}

/** Where number i of patch p lies in a buffer with this many rows of numbers per tile of patches. */
export function numberAt(rows: string, i: string): string {
  return `((p >> 5u) * ${rows} + ${i}) * ${TILE}u + (p & 31u)`;
}

/** The patch's coordinates to r. */
export function loadCoordinates(form: PursuitForm): string {
  const { K } = widthOf(form);
  return `${ownItems(form, 'e', `${K}u`)} { r[e] = c[${numberAt(`${K}u`, 'e')}]; }`;
}

/** The patch's coordinates to r, α = 0 and ν of all atoms: how every pursuit begins. */
export function load(form: PursuitForm): string {
  const { W } = widthOf(form);
  const { fresh } = tablePlaces(form.shape);
  return `
    ${loadCoordinates(form)}
    ${eachVector(
      form,
      (v) => `var alpha${v} = vec4f(0.0);
    var nu${v} = select(vec4f(0.0), tables[${fresh}u + vector${v}], lane + ${v * form.team.threads}u < ${W}u);`,
    )}`;
}

/** Sets `name` to ‖r‖², with a barrier. */
export function energyOf(form: PursuitForm, name: string): string {
  return `var own${name} = 0.0;
    ${ownItems(form, 'e', `${widthOf(form).K}u`)} { own${name} += dot(r[e], r[e]); }
    var ${name} = teamSum(own${name}, lane);`;
}

/** α = Dᵀr. A barrier must have followed the last change of r, and one must come before the next. */
export function correlate(form: PursuitForm): string {
  const { W, K } = widthOf(form);
  const { byCoordinate } = tablePlaces(form.shape);
  const add = (v: number) =>
    ['x', 'y', 'z', 'w']
      .map((i, n) => `alpha${v} = fma(vec4f(y.${i}), tables[at + ${n * W}u + vector${v}], alpha${v});`)
      .join('\n      ');
  return `
    ${eachVector(form, (v) => `alpha${v} = vec4f(0.0);`)}
    for (var n = 0u; n < ${K}u; n++) {
      let y = r[n];
      let at = ${byCoordinate}u + n * ${4 * W}u;
      ${eachVector(form, add)}
    }`;
}

/** Which atom joins next: by the largest α² (OMP; atoms have length 1), or the largest gain α²/ν (order-recursive). */
export type Rule = 'omp' | 'order-recursive';

/**
 * Sets `next` to the choice of a rule: its atom, α and ν; NONE if it would gain nothing. Of equals the first. All threads have the
 * same `next`; only if `uniform` does the compiler know.
 */
export function choose(form: PursuitForm, rule: Rule, uniform: boolean): string {
  const gain = (v: number) => (rule === 'omp' ? `alpha${v} * alpha${v}` : `alpha${v} * alpha${v} / nu${v}`);
  return `
      var best = -1.0;
      var own: Choice;
      ${eachVector(
        form,
        (v) => `{
        let score = select(vec4f(0.0), ${gain(v)}, nu${v} > vec4f(${DEPENDENT}));
        let most = max(max(score.x, score.y), max(score.z, score.w));
        if (most > best) {
          best = most;
          let i = select(select(select(3u, 2u, score.z == most), 1u, score.y == most), 0u, score.x == most);
          own = Choice(4u * (lane + ${v * form.team.threads}u) + i, part(alpha${v}, i), part(nu${v}, i));
        }
      }`,
      )}
      let first = firstOfLargest(best, own.atom, lane);
      let found = own.atom == first;
      if (best <= floor) { own.atom = ${NONE}; }
      ${form.team.subgroup && !uniform ? exchange(form) : throughMemory}`;
}

/** Sets `next` to the choice of the thread that has atom `first`, through workgroup memory, with barriers. */
const throughMemory = `if (found) { choice = own; }
      let next = workgroupUniformLoad(&choice);`;

/** The same in a subgroup. */
function exchange({ team }: PursuitForm): string {
  const from = (value: string) => `subgroupShuffle(own.${value}, (first >> 2u) % ${team.threads}u)`;
  return `let next = Choice(${from('atom')}, ${from('alpha')}, ${from('fresh')});`;
}

/** The least gain, of ‖y‖² as it is in `energy`. */
export const floorOf = `let floor = energy * ${NEGLIGIBLE};`;

/** Atom `next` becomes number k of the path, with β and 1/√ν. */
export const step = `
      let inverse = inverseSqrt(next.fresh);
      let beta = next.alpha * inverse;
      if (lane == 0u) { path[k] = Step(next.atom, beta, inverse, 0.0); }`;

/** Row `k` of the atom `next`, and what its join changes in α and ν. */
export function join(form: PursuitForm, k = 'k'): string {
  const { W } = widthOf(form);
  const { gram } = tablePlaces(form.shape);
  const T = form.team.threads;
  return `
      {
        let column = mine + (next.atom >> 2u);
        let component = next.atom & 3u;
        ${eachVector(form, (v) => `var v${v} = tables[${gram}u + next.atom * ${W}u + vector${v}];`)}
        for (var i = 0u; i < ${k}; i++) {
          let along = vec4f(-rows[column + i * ${W}u][component]);
          ${eachVector(form, (v) => `v${v} = fma(along, rows[mine + i * ${W}u + vector${v}], v${v});`)}
        }
        ${eachVector(
          form,
          (v) => `v${v} *= inverse;
        if (lane + ${v * T}u < ${W}u) { rows[mine + (${k}) * ${W}u + vector${v}] = v${v}; }
        alpha${v} = fma(vec4f(-beta), v${v}, alpha${v});
        nu${v} = fma(-v${v}, v${v}, nu${v});`,
        )}
        ${exclude(form, 'next.atom')}
      }`;
}

/** Comes between the join of an atom and the next use of its row, unless {@link choose} is uniform and rows are in workgroup memory. */
export function rowBarrier({ rowsInBuffer }: PursuitForm): string {
  return rowsInBuffer ? 'storageBarrier();' : 'workgroupBarrier();';
}

/**
 * After the first atom, `next`: of a flat patch r and `left` are made again from what that atom leaves, and then α by `again`, to
 * which the rules of {@link correlate} apply.
 */
export function startAgain(form: PursuitForm, again: string): string {
  const { K } = widthOf(form);
  const { byAtom } = tablePlaces(form.shape);
  return `if (left < energy * ${FLAT}) {
        ${ownItems(form, 'e', `${K}u`)} { r[e] = fma(vec4f(-beta * inverse), tables[${byAtom}u + next.atom * ${K}u + e], r[e]); }
        ${energyOf(form, 'rest')}
        left = rest;
        ${again}
      }`;
}

/** The atom may not join. */
export function exclude(form: PursuitForm, atom: string): string {
  return eachVector(
    form,
    (v) => `if ((${atom} >> 2u) == lane + ${v * form.team.threads}u) {
        nu${v} = select(nu${v}, vec4f(0.0), vec4u(0u, 1u, 2u, 3u) == vec4u(${atom} & 3u));
      }`,
  );
}

/** pᵢ of the atom of step m, in WGSL. */
type Entry = (i: string, m: string) => string;

/**
 * The coefficients of the first k atoms of the path on r, R x = β, from the last to the first, and the error that they leave. The
 * coefficient of atom i is then path[i].x · path[i].inverse, in units of the atom's length. `left` is the error that the gains
 * tell, `energy` that without atoms. If the error is much larger, the last atoms were nearly dependent, and rounding errors
 * dominated: then the code ends before.
 */
export function solvePath(form: PursuitForm, entry: Entry = entryOfAll(form)): string {
  const { team, depth } = form;
  const { K } = widthOf(form);
  const { byAtom } = tablePlaces(form.shape);
  return `
    var error = energy;
    loop {
      workgroupBarrier();
      ${team.subgroup && depth <= team.threads ? solveInRegisters(entry) : solveInMemory(form, entry)}
      workgroupBarrier();
      var squares = 0.0;
      ${ownItems(form, 'e', `${K}u`)} {
        var rest = r[e];
        for (var i = 0u; i < k; i++) {
          rest = fma(vec4f(-path[i].x * path[i].inverse), tables[${byAtom}u + path[i].atom * ${K}u + e], rest);
        }
        squares += dot(rest, rest);
      }
      error = teamSum(squares, lane);
      if (k == 0u || error <= max(left, 0.0) * ${ASTRAY.error} + energy * ${ASTRAY.energy}) { break; }
      k -= 1u;
      let dropped = workgroupUniformLoad(&path[k]);
      left += dropped.beta * dropped.beta;
    }`;
}

/** Solves R x = β. */
function solveInMemory(form: PursuitForm, entry: Entry): string {
  return `${ownItems(form, 'i', 'k')} { path[i].x = path[i].beta; }
      for (var m = k; m > 1u; m--) {
        workgroupBarrier();
        let x = path[m - 1u].x * path[m - 1u].inverse;
        ${ownItems(form, 'i', 'm - 1u')} { path[i].x = fma(-x, ${entry('i', 'm - 1u')}, path[i].x); }
      }`;
}

/** The same in a subgroup with a lane per atom, without barriers. */
function solveInRegisters(entry: Entry): string {
  return `{
        var own = Step(0u, 0.0, 0.0, 0.0);
        if (lane < k) { own = path[lane]; }
        own.x = own.beta;
        for (var m = k; m > 1u; m--) {
          let x = subgroupShuffle(own.x * own.inverse, m - 1u);
          if (lane < m - 1u) { own.x = fma(-x, ${entry('lane', 'm - 1u')}, own.x); }
        }
        if (lane < k) { path[lane].x = own.x; }
      }`;
}

/** Entries of rows that have one for every atom. */
function entryOfAll(form: PursuitForm): Entry {
  const { W } = widthOf(form);
  return (i, m) => `rows[mine + ${i} * ${W}u + (path[${m}].atom >> 2u)][path[${m}].atom & 3u]`;
}

/** The coefficient of step i of the path, on the atom as it is in the dictionary; `x` is that on the atom with length 1. */
export function coefficient({ shape }: PursuitForm, x = 'path[i].x * path[i].inverse'): string {
  return `${x} / tables[${tablePlaces(shape).lengths}u + (path[i].atom >> 2u)][path[i].atom & 3u]`;
}
