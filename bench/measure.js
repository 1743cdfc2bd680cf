// One measurement in a process of its own, so that memory and threads start clean. Prints one JSON object.
// usage: node bench/measure.js SOLVER P s THREADS ITERATIONS
import { overcompleteDct, solverDefaults, spectralNormSquared } from 'ght';
import { halved, naturalPatches } from 'ght-lab';
import { abilities } from '../packages/ght/dist/engines/wasm/run/host.js';
import { wasmEngine } from '../packages/ght/dist/engines/wasm/wasm.js';
import { signalsIn } from '../packages/ght/dist/signal/signals.js';

const [solver, P, s, threads, iterations] = process.argv.slice(2).map((value, i) => (i === 0 ? value : Number(value)));
const D = overcompleteDct(8, 10);
const Y = naturalPatches(await halved(), P, 1);
const before = process.memoryUsage().rss;
const loadStart = performance.now();
const loaded = await wasmEngine(abilities(), threads).load(D, signalsIn(Y, D.N));
const loadMs = performance.now() - loadStart;
loaded.reset();

const S = s * P;
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
  const rho = solverDefaults.rho[solver] * spectralNormSquared(D);
  for (let k = 0; k < iterations; k++) await timed(async () => (await loaded[solver](S, rho)).rmse);
  // The first iterations look for the threshold.
  times.splice(0, 4);
  cpu.splice(0, 4);
} else {
  const run = { omp: () => loaded.omp(s), 'joint-omp': () => loaded.jointOmp(S) }[solver];
  for (let k = 0; k < iterations; k++) {
    await timed(async () => (await run()).at(-1).rmse);
    // Joint OMP keeps its paths: only the first run is the whole work.
    if (solver === 'joint-omp') break;
  }
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
    engine: loaded.info.why,
    engineBytes: loaded.bytes / P,
    peakBytes: (1024 * process.resourceUsage().maxRSS - before) / P,
  }),
);
loaded.dispose();
