/** The Kaiser window over a patch: the weight of each sample when patches are averaged; all 1 for β = 0. */
export function kaiser(patch: number, beta: number): Float64Array {
  const side = Float64Array.from({ length: patch }, (_, i) => {
    const u = patch > 1 ? (2 * i) / (patch - 1) - 1 : 0;
    return bessel(beta * Math.sqrt(1 - u * u)) / bessel(beta);
  });
  return Float64Array.from({ length: patch * patch }, (_, i) => side[Math.floor(i / patch)] * side[i % patch]);
}

/** The modified Bessel function I₀ = Σ ((x/2)^k / k!)². */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x / 2 / k) ** 2;
    sum += term;
  }
  return sum;
}
