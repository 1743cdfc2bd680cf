// `learn` in its own process. Prints one JSON object.
// usage: node bench/learner.js SETTINGS
// SETTINGS is JSON: { training, folder, s, threads, iterations, separable, patch, atoms }. It starts from the DCT. Each dictionary that is
// the best so far goes to a file in the folder, and the CPU and wall seconds until then are printed. The kernels are compiled before the
// clock starts, by learning a little, as those of the peers are; the CPU seconds that the first call takes more than the next one are
// printed as `start`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, learn } from 'ght';
import { readNpy, writeNpy } from 'ght/npy';

const { training, folder, s, threads, iterations, separable, patch, atoms } = JSON.parse(process.argv[2]);
const Y = readNpy(readFileSync(training)).data;
const common = { patch, atoms, separable, budget: { perPatch: s }, threads };
const aLittle = async () => {
  const used = process.cpuUsage();
  await learn(Y.subarray(0, patch ** 2 * 8192), { ...common, iterations: 2 });
  return cpuSince(used);
};
const start = (await aLittle()) - (await aLittle());
const snapshots = [];
const [wall, used] = [performance.now(), process.cpuUsage()];
const { history, engine } = await learn(Y, {
  ...common,
  iterations,
  onBest: ({ N, L, atoms }) => {
    const cpu = cpuSince(used);
    const file = join(folder, `${snapshots.length}.npy`);
    snapshots.push({ wall: (performance.now() - wall) / 1e3, cpu, file });
    writeFileSync(file, writeNpy({ type: 'f4', shape: [L, N], data: Float32Array.from(atoms.data) }));
  },
});
console.log(JSON.stringify({ engine: describe(engine).join('; '), iterations: history.length, start, snapshots }));

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
