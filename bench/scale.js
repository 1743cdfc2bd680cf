// Images beyond one memory and beyond one machine: tiles compared with the whole, and the overhead of the queue.
// usage: npm run bench:scale -- [--megapixels 100] [--tiles 10000] [--only NAME …]
// --megapixels   the size of the grey image that is processed in tiles and as a whole, each in its own process
// --tiles        tiles of the simulated run on the queue; none of them has any work
// --only         fast, balanced, joint-omp or queue; the results of the others stay in the file
// Trust CPU seconds: seconds depend on what else the machine does. The queue needs redis-server, and is skipped without it.
// Writes everything to bench/results/scale.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flags } from './flags.js';
import { hasRedis, queueRows } from './scale-queue.js';

const values = flags(import.meta.filename, {
  megapixels: { type: 'string', default: '100' },
  tiles: { type: 'string', default: '10000' },
  only: { type: 'string', multiple: true },
});
const megapixels = Number(values.megapixels);
/** Tasks on an image; `goal` is the largest ratio of CPU seconds, tiled by whole. */
const TASKS = {
  fast: { task: 'denoise', options: { quality: 'fast' } },
  balanced: { task: 'denoise', options: { quality: 'balanced' }, goal: 1.3 },
  'joint-omp': { task: 'represent', options: { solver: 'joint-omp', budget: { perPatch: 5 } }, goal: 1.4 },
};
/** Megapixels that workers really denoise. */
const QUEUE_MEGAPIXELS = Math.min(megapixels, 16);

const names = [...Object.keys(TASKS), 'queue'];
const unknown = values.only?.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`--only must be one of ${names.join(', ')}, not ${unknown}`);

const file = fileURLToPath(new URL('results/scale.json', import.meta.url));
const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
for (const name of values.only ?? names) {
  const environment = {
    date: new Date().toISOString().slice(0, 10),
    ...{ node: process.version, cpu: cpus()[0].model.trim(), cores: cpus().length, load: loadavg()[0] },
  };
  const measured = name === 'queue' ? await queue() : compare(name, TASKS[name]);
  if (measured === undefined) continue;
  results[name] = { environment, ...measured };
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}

/** A task in tiles and as a whole. */
function compare(name, { task, options, goal }) {
  const [tiled, whole] = ['tiled', 'whole'].map((way) => {
    const script = fileURLToPath(new URL('scale-way.js', import.meta.url));
    const argument = JSON.stringify({ task, way, megapixels, options });
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, argument], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name}, ${way}: ${stderr}`);
    const { cpu, peakMiB, checksum } = JSON.parse(stdout);
    console.log(`${name}, ${megapixels} megapixels, ${way}: ${cpu.toFixed(1)} CPU seconds, ${peakMiB} MiB`);
    return { cpu, peakMiB, checksum };
  });
  const ratio = tiled.cpu / whole.cpu;
  const equal = tiled.checksum === whole.checksum;
  const wanted = goal === undefined ? '' : ` (goal: at most ${goal})`;
  console.log(`  tiled / whole: ${ratio.toFixed(2)}${wanted}; ${equal ? 'every bit is equal' : 'THE RESULTS DIFFER'}`);
  return { megapixels, tiled, whole, ratio, equal };
}

/** Runs on a queue. */
async function queue() {
  if (!hasRedis) {
    console.log('queue: skipped, there is no redis-server');
    return undefined;
  }
  const rows = await queueRows({ tiles: Number(values.tiles), megapixels: QUEUE_MEGAPIXELS }, (row) => {
    const { coordinator, workers, redis } = row.cpu;
    const parts = [coordinator, workers, redis].map((cpu) => ((1000 * cpu) / row.tiles).toFixed(2)).join(' + ');
    console.log(
      `${row.name}, ${row.tiles} tiles, ${row.workers} worker${row.workers > 1 ? 's' : ''}: ${row.seconds.toFixed(1)} s; ` +
        `CPU ms per tile (coordinator + workers + Redis): ${parts}` +
        (row.redisBytes ? `; Redis: ${(row.redisBytes / 2 ** 20).toFixed(1)} MiB` : ''),
    );
  });
  return { rows };
}
