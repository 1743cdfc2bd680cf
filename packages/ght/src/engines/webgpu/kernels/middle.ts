/** The middle of a pass, which all its forms share: from t and c to M and the error. */

/** What to do with the dual variable: GHT-QPM has none; `again` is a step whose q has been updated already, so M = q − t. */
export type Dual = 'none' | 'step' | 'again';

/** WGSL: the tables of an iteration: V in so many vectors, σ, g = σ/(σ² + ρ), and fσ. */
export function tablesStruct(vectors: number, R4: number): string {
  const coordinates = `array<vec4f, ${R4 / 4}>`;
  return `struct Tables { V: array<vec4f, ${vectors}>, sigma: ${coordinates}, g: ${coordinates}, dualSigma: ${coordinates} }`;
}

/**
 * WGSL: coordinates 4k … 4k + 3 of a patch. `t` names the variables that hold t and shall hold M; undefined where a row ends.
 * M is taken as q − t, not as computed, so that `again` finds the same bits.
 */
export function middle(dual: Dual, k: number | string, t: readonly (string | undefined)[]): string {
  const at = `at + 32u * ${typeof k === 'number' ? `${k}u` : k}`;
  const each = t.flatMap((x, i) => {
    if (!x) return [];
    const of = (name: string) => `u.${name}[${k}].${'xyzw'[i]}`;
    const c = `.${'xyzw'[i]}`;
    const residual = `let r${i} = fma(-${of('sigma')}, ${x}, c${c}); error = fma(r${i}, r${i}, error);`;
    if (dual === 'none') return [`${residual} ${x} = ${of('g')} * r${i};`];
    if (dual === 'again') return [`${residual} ${x} = q${c} - ${x};`];
    return [
      `${residual} let n${i} = fma(${of('g')}, fma(-${of('dualSigma')}, ${x} - q${c}, r${i}), ${x}); ${x} = n${i} - ${x};`,
    ];
  });
  const news = t.map((x, i) => (x ? `n${i}` : '0.0')).join(', ');
  return `{ let c = C[${at}];${dual === 'none' ? '' : ` let q = Q[${at}];`}
    ${each.join('\n    ')}${dual === 'step' ? `\n    Q[${at}] = vec4f(${news});` : ''} }`;
}

/** WGSL: the sum of `error` over a workgroup, in sums[0]; always in the same order. */
export function sumErrors(threads: number): string {
  return `sums[me] = error;
  workgroupBarrier();
  for (var n = ${threads / 2}u; n > 0u; n >>= 1u) { if (me < n) { sums[me] += sums[me + n]; } workgroupBarrier(); }`;
}
