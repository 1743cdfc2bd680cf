// The paper's synthetic experiment: signals that are sparse over a random dictionary, and who finds their atoms again.
import { codesFromDense, gaussianDictionary, randomSource, reconstruct, solve } from 'ght';
import { supportMismatch } from 'ght/paper';

// D is 100×200, normal entries of deviation 0.1; every signal is a sum of s atoms with coefficients ±1.
const [P, s] = [100, 20];
const D = gaussianDictionary(100, 200, 1);
const random = randomSource(2);
const X = new Float64Array(D.L * P);
for (let p = 0; p < P; p++) {
  for (let left = s; left > 0; ) {
    const i = p * D.L + random.below(D.L);
    if (X[i] !== 0) continue;
    X[i] = random.below(2) === 0 ? -1 : 1;
    left--;
  }
}
const truth = codesFromDense(X, D.L, P);
const Y = reconstruct(D, truth);

// The joint solvers know S = s·P and nothing else; the patch-wise ones know s. All atoms weigh the same, so a budget that grows does not help.
const whole = { growth: false };
for (const solver of ['qpm', 'admm', 'omp', 'aiht', 'cosamp']) {
  const { codes, rmse } = await solve(D, Y, {
    solver,
    budget: { total: s * P },
    ...(['qpm', 'admm'].includes(solver) ? whole : {}),
  });
  const missed = (100 * supportMismatch(codes, truth)).toFixed(1);
  console.log(`${solver.padEnd(7)} misses ${missed.padStart(5)}% of the support, RMSE ${rmse.toExponential(1)}`);
}
