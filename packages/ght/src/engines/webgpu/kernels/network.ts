/**
 * The layers of the network for colour pictures (`denoisers/learned/network.ts`) in WGSL, for blocks of one size side by side. A place has the
 * sites of all blocks one after the other, and a site its channels, four in a vector. A thread computes 8 outputs of 4 sites: the
 * weights are read from the cache once for 4 sites, the inputs once for 8 outputs. Outside a block are zeros.
 */
import { type Layer, tapsOf } from '../../../denoisers/learned/colour-model.js';
import { entryPoint } from '../gpu.js';

/** Sites and outputs of a thread, and threads of a workgroup. */
const [SITES, OUTPUTS, THREADS] = [4, 8, 64];
/** Numbers of a vector. */
const FOUR = 4;

/** Channels have room for whole threads. */
export function paddedChannels(channels: number): number {
  return OUTPUTS * Math.ceil(channels / OUTPUTS);
}

/** A layer over blocks of one size: inputs and outputs are padded, columns and rows are those of the sites that are read. */
export interface LayerShape extends Pick<Layer, 'kind' | 'mode'> {
  readonly inputs: number;
  readonly outputs: number;
  readonly columns: number;
  readonly rows: number;
  readonly blocks: number;
}

/** The sites that threads go through: those that are written; for `up` those that are read. */
function gridOf({ kind, columns, rows }: LayerShape) {
  return kind === 'down' ? { columns: columns / 2, rows: rows / 2 } : { columns, rows };
}

/** The workgroups of a layer. */
export function groupsOf(shape: LayerShape): number {
  const { columns, rows } = gridOf(shape);
  const tiles = Math.ceil((shape.blocks * columns * rows) / SITES);
  return Math.ceil((tiles * (shape.outputs / OUTPUTS)) / THREADS);
}

/** The weights as the kernel reads them: for each tap and input all outputs. */
export function weightTable({ kind, mode, weights, ...layer }: Layer): Float32Array {
  const taps = tapsOf({ kind }) ** 2;
  const [inputs, outputs] = [paddedChannels(layer.inputs), paddedChannels(layer.outputs)];
  const table = new Float32Array(taps * inputs * outputs);
  const sign = mode === 'subtract' ? -1 : 1;
  for (let o = 0; o < layer.outputs; o++) {
    for (let tap = 0; tap < taps; tap++) {
      for (let i = 0; i < layer.inputs; i++) {
        table[(tap * inputs + i) * outputs + o] = sign * weights[(o * taps + tap) * layer.inputs + i];
      }
    }
  }
  return table;
}

/** Repeats a piece of WGSL, with numbers in the place of a loop's index. */
const each = (n: number, write: (i: number) => string) => Array.from({ length: n }, (_, i) => write(i)).join(' ');

/** The kernel of a layer. */
export function layerKernel(shape: LayerShape): string {
  const { kind, mode, inputs, outputs, columns, rows, blocks } = shape;
  const taps = tapsOf(shape);
  const grid = gridOf(shape);
  const threads = outputs / OUTPUTS;
  const halves = OUTPUTS / FOUR;
  const source = { same: 'vec2i(x, y) + vec2i(u, v) - 1', down: '2 * vec2i(x, y) + vec2i(u, v)', up: 'vec2i(x, y)' }[
    kind
  ];
  const first = kind === 'up' ? 'i32(result_site(site + SITE, v, u))' : 'i32(site + SITE)';
  const fold = (sum: string, old: string) =>
    mode === 'rectify' ? `max(${sum}, vec4f(0.0))` : mode === 'set' ? sum : `${old} + ${sum}`;
  const clear = each(SITES, (s) => each(halves, (k) => `s${s}${k} = vec4f(0.0);`));
  const write = each(SITES, (s) => {
    const to = each(halves, (k) => `result[at + ${k}u] = ${fold(`s${s}${k}`, `result[at + ${k}u]`)};`);
    return `if (site + ${s}u < ALL) { let at = u32(${first.replace('SITE', `${s}u`)}) * ${outputs / FOUR}u + out; ${to} }`;
  });
  return `const ALL = ${blocks * grid.columns * grid.rows}u; const COLUMNS = ${grid.columns}u; const PER_BLOCK = ${grid.columns * grid.rows}u;
@group(0) @binding(0) var<storage, read> h: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>; // [tap][input][output]
@group(0) @binding(2) var<storage, read_write> result: array<vec4f>;

/** The site that a tap reads, or -1. */
fn source_site(site: u32, v: i32, u: i32) -> i32 {
  let within = site % PER_BLOCK; let x = i32(within % COLUMNS); let y = i32(within / COLUMNS);
  let at = ${source};
  if (site >= ALL || any(at < vec2i(0)) || any(at >= vec2i(${columns}, ${rows}))) { return -1; }
  return (i32(site / PER_BLOCK) * ${rows} + at.y) * ${columns} + at.x;
}
/** The site of a square of 2×2 that a tap of an enlarging layer writes. */
fn result_site(site: u32, v: i32, u: i32) -> u32 {
  let within = site % PER_BLOCK;
  return 4u * PER_BLOCK * (site / PER_BLOCK) + (2u * (within / COLUMNS) + u32(v)) * 2u * COLUMNS + 2u * (within % COLUMNS) + u32(u);
}
fn input(site: i32, i: u32) -> vec4f {
  if (site < 0) { return vec4f(0.0); }
  return h[u32(site) * ${inputs / FOUR}u + i];
}

${entryPoint(THREADS)}
  let thread = group * ${THREADS}u + me;
  let site = ${SITES}u * (thread / ${threads}u); let out = ${halves}u * (thread % ${threads}u);
  if (site >= ALL) { return; }
  ${each(SITES, (s) => each(halves, (k) => `var s${s}${k} = vec4f(0.0);`))}
  for (var v = 0; v < ${taps}; v++) {
    for (var u = 0; u < ${taps}; u++) {
      ${each(SITES, (s) => `let n${s} = source_site(site + ${s}u, v, u);`)}
      ${kind === 'up' ? clear : ''}
      var w = u32(v * ${taps} + u) * ${(inputs * outputs) / FOUR}u + out;
      for (var i = 0u; i < ${inputs / FOUR}u; i++) {
        ${each(SITES, (s) => `let h${s} = input(n${s}, i);`)}
        ${each(FOUR, (c) => {
          const lane = 'xyzw'[c];
          const loads = each(halves, (k) => `let w${c}${k} = weights[w + ${k}u];`);
          const adds = each(SITES, (s) =>
            each(halves, (k) => `s${s}${k} = fma(vec4f(h${s}.${lane}), w${c}${k}, s${s}${k});`),
          );
          return `${loads} ${adds} w += ${outputs / FOUR}u;\n       `;
        })}
      }
      ${kind === 'up' ? write : ''}
    }
  }
  ${kind === 'up' ? '' : write}
}`;
}
