// `learn` in its own process, so that its time includes starting threads and compiling kernels. Prints one JSON object.
// usage: node bench/learner.js SETTINGS
// SETTINGS is JSON: { training, folder, s, threads, iterations, separable }. It starts from the DCT. Each dictionary that is
// the best so far goes to a file in the folder, and the CPU and wall seconds until then are printed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, learn, overcompleteDct } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';

const { training, folder, s, threads, iterations, separable } = JSON.parse(process.argv[2]);
const Y = readNpy(readFileSync(training)).data;
const snapshots = [];
const [wall, used] = [performance.now(), process.cpuUsage()];
const { history, engine } = await learn(Y, {
  ...{ initial: overcompleteDct(8, 16), separable, budget: { perPatch: s }, iterations, threads },
  onBest: ({ N, L, atoms }) => {
    const { user, system } = process.cpuUsage(used);
    const file = join(folder, `${snapshots.length}.npy`);
    snapshots.push({ wall: (performance.now() - wall) / 1e3, cpu: (user + system) / 1e6, file });
    writeFileSync(file, writeNpy({ type: 'f4', shape: [L, N], data: Float32Array.from(atoms.data) }));
  },
});
console.log(JSON.stringify({ engine: describe(engine).join('; '), iterations: history.length, snapshots }));
