/**
 * The unrolled iteration (`denoisers/learned/unrolled.ts`) in WGSL, for blocks of one size side by side. First `gather` copies
 * the blocks with their surroundings from a plane, y, and at the end `put` copies them to their places in the result, without the
 * surroundings. Step k is two kernels:
 *
 *     codes:  α ← soft(α + Aₖ unfold(r), κₖ)   and the patches   q = Bₖ α       a workgroup has 32 sites
 *     fold:   r = y − fold(q), after the last step (in `put`)  x = fold(q)      a thread has one pixel
 *
 * A thread of `codes` computes 8 atoms of 4 sites, then 4 samples of 4 sites: the numbers of a matrix are read from the cache once for
 * 4 sites. `fold` gathers: every pixel adds its 16 patches in one order, so no two threads add to one place.
 *
 * Codes and patches lie with sites as their fastest dimension, four in a vector: α[atom][site], q[sample][site].
 */
import { HALO } from '../../../denoisers/learned/blocks.js';
import { PATCH, SAMPLES, STRIDE } from '../../../denoisers/learned/model.js';
import type { Rectangle, Size } from '../../../image/rectangle.js';
import { entryPoint } from '../gpu.js';

/** Sites of a workgroup; the number of all sites is padded to a multiple of it. */
export const SITES = 32;
/** Pixels of zeros around a block: above and to the left, and below and to the right. */
export const RIM = { before: 2, after: 4 } as const;

/** Squares of 2×2 pixels in a patch, on each side. */
const SQUARES = PATCH / STRIDE;
/** Atoms of a thread, samples and sites of a vector, and atoms that are in the memory of a workgroup at once. */
const [ATOMS, FOUR, PART] = [8, 4, 64];
/** Vectors of sites of a workgroup. */
const VECTORS = SITES / FOUR;

/** What the kernels are written for: blocks with their surroundings, all of one size, and the atoms of the model. */
export interface LearnedShape {
  /** Pixels of a block with its surroundings; even. */
  readonly width: number;
  readonly height: number;
  readonly blocks: number;
  readonly atoms: number;
}

/** Sites of all blocks, and that number padded. */
export function sitesOf({ width, height, blocks }: LearnedShape): { sites: number; padded: number } {
  const sites = blocks * (width / STRIDE) * (height / STRIDE);
  return { sites, padded: SITES * Math.ceil(sites / SITES) };
}

/** Pixels per row, and pixels, of a block with its rim. */
export function rimmed({ width, height }: Omit<LearnedShape, 'blocks' | 'atoms'>): { row: number; pixels: number } {
  const row = width + RIM.before + RIM.after;
  return { row, pixels: row * (height + RIM.before + RIM.after) };
}

/** A matrix of atoms × 64 as the analysis reads it: for each sample all atoms. */
export function analysisTable(A: Float32Array, atoms: number): Float32Array {
  const table = new Float32Array(A.length);
  for (let m = 0; m < atoms; m++) {
    for (let n = 0; n < SAMPLES; n++) table[n * atoms + m] = A[m * SAMPLES + n];
  }
  return table;
}

/** Repeats a piece of WGSL, with numbers in the place of a loop's index. */
const each = (n: number, write: (i: number) => string) => Array.from({ length: n }, (_, i) => write(i)).join(' ');

/** The constants of both kernels. */
function head(shape: LearnedShape): string {
  const columns = shape.width / STRIDE;
  const { row, pixels } = rimmed(shape);
  const { sites, padded } = sitesOf(shape);
  return `const COLUMNS = ${columns}u; const SITES_PER_BLOCK = ${columns * (shape.height / STRIDE)}u; const SITES = ${sites}u;
const VECTORS = ${padded / FOUR}u; // of four sites
const ROW = ${row}u; const PIXELS = ${pixels}u;`;
}

/** α ← soft(α + A unfold(r), κ),  q ← B α. */
export function codesKernel(shape: LearnedShape): string {
  const { atoms } = shape;
  const threads = (atoms / ATOMS) * VECTORS;
  // The second product has 16 × 8 tiles of 4 samples and 4 sites, whatever the number of threads.
  const tiles = (SAMPLES / FOUR) * VECTORS;
  const rounds = Math.ceil(tiles / threads);
  const eachTile = (write: (tile: string, i: number) => string) =>
    each(rounds, (i) => `{ let tile = me + ${i * threads}u; if (tile < ${tiles}u) { ${write('tile', i)} } }\n  `);
  return `${head(shape)}
@group(0) @binding(0) var<storage, read> r: array<f32>;
@group(0) @binding(1) var<storage, read> A: array<vec4f>; // [sample][atom]
@group(0) @binding(2) var<storage, read> kappa: array<f32>;
@group(0) @binding(3) var<storage, read> B: array<vec4f>; // [atom][sample]
@group(0) @binding(4) var<storage, read_write> alpha: array<vec4f>; // [atom][site]
@group(0) @binding(5) var<storage, read_write> q: array<vec4f>; // [sample][site]
/** The patches of the sites, [sample][site]; later the codes of a part of the atoms. */
var<workgroup> near: array<vec4f, ${PART * VECTORS}>;

/** Where a site's patch begins in r. */
fn begin(site: u32) -> u32 {
  let block = site / SITES_PER_BLOCK; let within = site % SITES_PER_BLOCK;
  return block * PIXELS + ${STRIDE}u * (within / COLUMNS) * ROW + ${STRIDE}u * (within % COLUMNS);
}
/** From there to sample n, in the order of the model: row and column of squares, row and column in the square. */
fn offset(n: u32) -> u32 {
  return (${STRIDE}u * (n >> 4u) + ((n >> 1u) & 1u)) * ROW + ${STRIDE}u * ((n >> 2u) & 3u) + (n & 1u);
}
fn sampleOf(site: u32, n: u32) -> f32 {
  if (site >= SITES) { return 0.0; }
  return r[begin(site) + offset(n)];
}
fn soft(z: vec4f, threshold: f32) -> vec4f { return z - clamp(z, vec4f(-threshold), vec4f(threshold)); }

${entryPoint(threads)}
  // Of more than 65,535 workgroups the last ones may be too many: they do the last one's work again.
  let first = min(group * ${VECTORS}u, VECTORS - ${VECTORS}u); // vector of sites
  for (var i = me; i < ${SAMPLES * VECTORS}u; i += ${threads}u) {
    let n = i / ${VECTORS}u; let site = ${FOUR}u * (first + i % ${VECTORS}u);
    near[i] = vec4f(sampleOf(site, n), sampleOf(site + 1u, n), sampleOf(site + 2u, n), sampleOf(site + 3u, n));
  }
  workgroupBarrier();
  // 8 atoms, 4 sites.
  let s = me % ${VECTORS}u; let m = ${ATOMS}u * (me / ${VECTORS}u);
  ${each(ATOMS, (a) => `var z${a} = alpha[(m + ${a}u) * VECTORS + first + s];`)}
  for (var n = 0u; n < ${SAMPLES}u; n++) {
    let p = near[n * ${VECTORS}u + s];
    let a0 = A[(n * ${atoms}u + m) / 4u]; let a1 = A[(n * ${atoms}u + m) / 4u + 1u];
    ${each(ATOMS, (a) => `z${a} = fma(vec4f(a${a >> 2}.${'xyzw'[a & 3]}), p, z${a});`)}
  }
  ${each(ATOMS, (a) => `z${a} = soft(z${a}, kappa[m + ${a}u]); alpha[(m + ${a}u) * VECTORS + first + s] = z${a};`)}
  // 4 samples, 4 sites: over all atoms, a part of them at a time.
  ${each(rounds, (i) => each(FOUR, (k) => `var y${i}${k} = vec4f(0.0);`))}
  for (var part = 0u; part < ${atoms}u; part += ${PART}u) {
    workgroupBarrier();
    if (m >= part && m < part + ${PART}u) {
      ${each(ATOMS, (a) => `near[(m - part + ${a}u) * ${VECTORS}u + s] = z${a};`)}
    }
    workgroupBarrier();
    ${eachTile(
      (tile, i) => `
      for (var a = 0u; a < min(${PART}u, ${atoms}u - part); a++) {
        let z = near[a * ${VECTORS}u + ${tile} % ${VECTORS}u]; let b = B[(part + a) * ${SAMPLES / FOUR}u + ${tile} / ${VECTORS}u];
        ${each(FOUR, (k) => `y${i}${k} = fma(vec4f(b.${'xyzw'[k]}), z, y${i}${k});`)}
      }`,
    )}
  }
  ${eachTile((tile, i) =>
    each(
      FOUR,
      (k) => `q[(${FOUR}u * (${tile} / ${VECTORS}u) + ${k}u) * VECTORS + first + ${tile} % ${VECTORS}u] = y${i}${k};`,
    ),
  )}
}`;
}

/** The size of the plane and then the blocks, as the kernels that copy blocks see them. */
export function blockWords({ width, height }: Size, blocks: readonly Rectangle[]): Int32Array {
  return Int32Array.from([
    ...[width, height, 0, 0],
    ...blocks.flatMap(({ left, top, width, height }) => [left, top, width, height]),
  ]);
}

const blocksAt = (binding: number) => `
/** Width and height of the plane; then left, top, width and height of each block. */
@group(0) @binding(${binding}) var<storage, read> blocks: array<vec4i>;`;

/** Threads of the kernels with a thread per pixel. */
export const PIXEL_THREADS = 64;

/** Begins a kernel with a thread for each of this many pixels, number i. */
const beginPixels = (pixels: number) => `
${entryPoint(PIXEL_THREADS)}
  let i = group * ${PIXEL_THREADS}u + me;
  if (i >= ${pixels}u) { return; }`;

/** y and r ← the blocks with their surroundings, mirrored beyond the edges of the plane, in a rim of zeros. */
export function gatherKernel(shape: LearnedShape): string {
  const { width, height, blocks } = shape;
  return `${head(shape)}
@group(0) @binding(0) var<storage, read> plane: array<f32>;
${blocksAt(1)}
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> r: array<f32>;
/** As image/mirror.ts. */
fn mirror(i: vec2i, n: vec2i) -> vec2i {
  let j = (i % (2 * n) + 2 * n) % (2 * n);
  return min(j, 2 * n - 1 - j);
}
${beginPixels(blocks * rimmed(shape).pixels)}
  let at = vec2i(vec2u(i % PIXELS % ROW, i % PIXELS / ROW)) - ${RIM.before};
  let size = blocks[0].xy;
  let place = mirror(blocks[1u + i / PIXELS].xy - ${HALO} + at, size);
  let sample = plane[u32(place.y * size.x + place.x)];
  let inside = all(at >= vec2i(0)) && all(at < vec2i(${width}, ${height}));
  y[i] = select(0.0, sample, inside);
  r[i] = select(0.0, sample, inside);
}`;
}

/** Begins a kernel with a thread per pixel of the blocks: its place in its block with the rim, and fold(q) there. */
function beginFold(shape: LearnedShape): string {
  const { width, height, blocks } = shape;
  return `${beginPixels(blocks * width * height)}
  let block = i / ${width * height}u; let pixel = i % ${width * height}u;
  let x = pixel % ${width}u + ${RIM.before}u; let down = pixel / ${width}u + ${RIM.before}u;
  // The patches over a pixel begin at its own square and at the three before it, as far as there are sites.
  var sum = 0.0;
  for (var v = 0u; v < ${SQUARES}u; v++) {
    let row = (down >> 1u) - v;
    if (row >= ${height / STRIDE}u) { continue; } // those below 0 too, as they wrap around
    for (var u = 0u; u < ${SQUARES}u; u++) {
      let column = (x >> 1u) - u;
      if (column >= COLUMNS) { continue; }
      let n = ((v * ${SQUARES}u + u) * 2u + (down & 1u)) * 2u + (x & 1u);
      sum += q[n * (${FOUR}u * VECTORS) + block * SITES_PER_BLOCK + row * COLUMNS + column];
    }
  }`;
}

/** r ← y − fold(q). The rim stays zero. */
export function foldKernel(shape: LearnedShape): string {
  return `${head(shape)}
@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> r: array<f32>;
${beginFold(shape)}
  let at = block * PIXELS + down * ROW + x;
  r[at] = y[at] - sum;
}`;
}

/** x ← fold(q) in the plane of the result, without the surroundings of the blocks. */
export function putKernel(shape: LearnedShape): string {
  return `${head(shape)}
@group(0) @binding(0) var<storage, read> q: array<f32>;
${blocksAt(1)}
@group(0) @binding(2) var<storage, read_write> plane: array<f32>;
${beginFold(shape)}
  let here = blocks[1u + block];
  let at = vec2i(vec2u(x, down)) - ${RIM.before + HALO};
  if (any(at < vec2i(0)) || any(at >= here.zw)) { return; }
  let place = here.xy + at;
  plane[u32(place.y * blocks[0].x + place.x)] = sum;
}`;
}
