/** The middle of a pass, which all its forms share: from t and c to M and the error. */

/** What to do with the dual variable: GHT-QPM has none; `again` is a step whose q has been updated already, so M = q − t. */
export type Dual = 'none' | 'step' | 'again';

/** WGSL: the tables of an iteration: V in this many vectors, σ, g = σ/(σ² + ρ), and fσ. */
export function tablesStruct(vectors: number, R4: number): string {
  const coordinates = `array<vec4f, ${R4 / 4}>`;
  return `struct Tables { V: array<vec4f, ${vectors}>, sigma: ${coordinates}, g: ${coordinates}, dualSigma: ${coordinates} }`;
}

/** Four coordinates of a patch, number 4k and on: the variables that hold t and shall hold M; undefined where a row ends. */
export interface Four {
  readonly k: number | string;
  readonly t: readonly (string | undefined)[];
}

/**
 * WGSL: some coordinates of a patch, four at a time. All are read before the first is written: a load of Q that stands after a store
 * would wait for it. M is taken as q − t, not as computed, so that `again` finds the same bits.
 */
export function middle(dual: Dual, fours: readonly Four[]): string {
  const place = (k: Four['k']) => `at + 32u * ${typeof k === 'number' ? `${k}u` : k}`;
  const reads = fours.map(
    ({ k }, f) => `let c${f} = C[${place(k)}];${dual === 'none' ? '' : ` let q${f} = Q[${place(k)}];`}`,
  );
  const each = fours.flatMap(({ k, t }, f) =>
    t.flatMap((x, i) => {
      if (!x) return [];
      const of = (name: string) => `u.${name}[${k}].${'xyzw'[i]}`;
      const [c, q, r, n] = [`c${f}.${'xyzw'[i]}`, `q${f}.${'xyzw'[i]}`, `r${f}_${i}`, `n${f}_${i}`];
      const residual = `let ${r} = fma(-${of('sigma')}, ${x}, ${c}); error = fma(${r}, ${r}, error);`;
      if (dual === 'none') return [`${residual} ${x} = ${of('g')} * ${r};`];
      if (dual === 'again') return [`${residual} ${x} = ${q} - ${x};`];
      return [
        `${residual} let ${n} = fma(${of('g')}, fma(-${of('dualSigma')}, ${x} - ${q}, ${r}), ${x}); ${x} = ${n} - ${x};`,
      ];
    }),
  );
  const writes = fours.map(
    ({ k, t }, f) => `Q[${place(k)}] = vec4f(${t.map((x, i) => (x ? `n${f}_${i}` : '0.0')).join(', ')});`,
  );
  return `{ ${[...reads, ...each, ...(dual === 'step' ? writes : [])].join('\n    ')} }`;
}

/** WGSL: the sum of `error` over a workgroup, in sums[0]; always in the same order. */
export function sumErrors(threads: number): string {
  return `sums[me] = error;
  workgroupBarrier();
  for (var n = ${threads / 2}u; n > 0u; n >>= 1u) { if (me < n) { sums[me] += sums[me + n]; } workgroupBarrier(); }`;
}
