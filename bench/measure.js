// One measurement in its own process, so that memory and threads start clean. Prints one JSON object.
// usage: node bench/measure.js SOLVER P s THREADS ITERATIONS [dense]
// dense: the same atoms in another order, so that they are no Kronecker product
import { denseDictionary, describe, overcompleteDct } from 'ght';
import { spectralNormSquared } from 'ght/paper';
import { halved, naturalPatches } from 'ght-lab';
import { engines } from '../packages/ght/dist/engines/engines.js';
import { signalsIn } from '../packages/ght/dist/image/signals.js';
import { CONSTANT_RHO, otherOrder } from './given.js';

const [solver, ...numbers] = process.argv.slice(2);
const [P, s, threads, iterations] = numbers.map(Number);
const dct = overcompleteDct(8, 10);
const D = numbers.at(-1) === 'dense' ? denseDictionary(dct.N, dct.L, otherOrder(dct)) : dct;
const Y = naturalPatches(await halved(), P, 1);
const before = process.memoryUsage().rss;
const loadStart = performance.now();
const loaded = await engines.wasm.load(D, signalsIn(Y, D.N), { threads });
const loadMs = performance.now() - loadStart;
loaded.reset();

const S = s * P;
const STOP = { maxIterations: 100, tolerance: 0 };
const times = [];
const cpu = [];
let rmse = 0;
const timed = async (run) => {
  const [wall, used] = [performance.now(), process.cpuUsage()];
  rmse = await run();
  const { user, system } = process.cpuUsage(used);
  times.push((performance.now() - wall) * 1e6);
  cpu.push((user + system) * 1e3);
};
if (solver === 'qpm' || solver === 'admm') {
  const rho = CONSTANT_RHO[solver] * spectralNormSquared(D);
  for (let k = 0; k < iterations; k++) await timed(async () => (await loaded.iterate(solver, S, rho)).rmse);
  // The first iterations search for the threshold, so they are not counted.
  times.splice(0, 4);
  cpu.splice(0, 4);
} else {
  const run = () => (solver === 'joint-omp' ? loaded.jointOmp(S) : loaded.sweep(solver, s, STOP));
  for (let k = 0; k < iterations; k++) await timed(async () => (await run()).at(-1).rmse);
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(
  JSON.stringify({
    solver,
    P,
    s,
    threads,
    rmse,
    wall: median(times) / P,
    cpu: median(cpu) / P,
    loadMs,
    engine: describe(loaded.info).join('; '),
    engineBytes: loaded.bytes() / P,
    peakBytes: (1024 * process.resourceUsage().maxRSS - before) / P,
  }),
);
loaded.dispose();
