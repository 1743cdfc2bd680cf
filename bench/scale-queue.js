// The rows of bench/scale.js on a queue: overhead per tile, workers, and ten thousand tiles. Redis and workers are started here.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { queueRunner } from 'ght-queue';
import { denoisePlan } from 'ght-tiles';
import sharp from 'sharp';
import { noisyPlane } from './scale-image.js';
import { stubPlan } from './scale-stub.js';

/** Whether there is a server to measure with. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** All processes are of one machine, so that they need not compute their fingerprint. */
const FINGERPRINT = 'bench';
/** Milliseconds that a tile takes on a simulated machine. */
const TILE_MS = 50;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts Redis as docs/scale-queue.md recommends, in a folder of its own. */
async function startRedis(folder) {
  const port = await freePort();
  const settings = ['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const server = spawn('redis-server', ['--bind', '127.0.0.1', '--port', port, '--dir', folder, ...settings]);
  const ready = createInterface({ input: server.stdout });
  for await (const line of ready) if (/Ready to accept connections/.test(line)) break;
  server.stdout.resume();
  /** Numbers of `redis-cli info`. */
  const info = () => {
    const { stdout } = spawnSync('redis-cli', ['-p', port, 'info'], { encoding: 'utf8' });
    const number = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(stdout)[1]);
    return {
      cpu: number('used_cpu_user') + number('used_cpu_sys'),
      peakBytes: number('used_memory_peak'),
    };
  };
  const stop = async () => {
    server.kill();
    await once(server, 'exit');
  };
  return { url: `redis://127.0.0.1:${port}/`, info, stop };
}

/** Starts workers. `stop` ends them and returns their CPU seconds. */
async function startWorkers(count, url, folder) {
  const workers = await Promise.all(
    Array.from({ length: count }, async () => {
      const script = fileURLToPath(new URL('scale-worker.js', import.meta.url));
      const child = spawn(process.execPath, [script, url, folder, FINGERPRINT], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      await lines.next();
      return { child, lines };
    }),
  );
  const stop = async () => {
    let cpu = 0;
    for (const { child, lines } of workers) {
      child.kill('SIGTERM');
      const { value } = await lines.next();
      cpu += Number(value.split(' ')[1]);
    }
    return cpu;
  };
  return { stop };
}

/** Measures a run on the queue with this number of workers: seconds, and CPU seconds of coordinator, workers and Redis. */
async function measure({ server, folder }, count, plan, request, begin) {
  const workers = await startWorkers(count, server.url, folder);
  const before = server.info();
  const used = process.cpuUsage();
  const start = performance.now();
  const options = { roots: { data: folder }, fingerprint: FINGERPRINT, sources: () => [], begin };
  await queueRunner(server.url, options).run(plan, request);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(used);
  const after = server.info();
  const cpu = { coordinator: (user + system) / 1e6, workers: await workers.stop(), redis: after.cpu - before.cpu };
  return { workers: count, seconds, cpu };
}

/** All rows. `tiles`: of the run with stub work; `megapixels`: of the image that is really denoised. */
export async function queueRows({ tiles, megapixels }, onRow) {
  const folder = mkdtempSync(join(tmpdir(), 'ght-scale-'));
  for (const name of ['redis', 'data']) mkdirSync(join(folder, name));
  const data = join(folder, 'data');
  const server = await startRedis(join(folder, 'redis'));
  const at = { server, folder: data };
  const rows = [];
  const row = (name, measured) => {
    rows.push({ name, ...measured });
    onRow(rows.at(-1));
  };
  try {
    // First, so that the peak of the server is that of this run.
    const many = await measure(at, 2, stubPlan, { tiles, ms: 0, run: 'many' });
    row('stubs', { tiles, ...many, redisBytes: server.info().peakBytes });
    row('stubs', { tiles: 2000, ...(await measure(at, 1, stubPlan, { tiles: 2000, ms: 0, run: 'overhead' })) });
    for (const count of [1, 2, 4]) {
      const request = { tiles: 200, ms: TILE_MS, run: `wait ${count}` };
      row(`tiles of ${TILE_MS} ms`, { tiles: 200, ...(await measure(at, count, stubPlan, request)) });
    }
    const side = Math.round(Math.sqrt(1e6 * megapixels));
    const plane = (await noisyPlane())({ left: 0, top: 0, width: side, height: side });
    const raw = { width: side, height: side, channels: 1 };
    await sharp(plane, { raw }).tiff({ tile: true, tileWidth: 512, tileHeight: 512 }).toFile(join(data, 'slide.tif'));
    for (const count of [1, 2, 4]) {
      const output = `data:clean-${count}.zarr`;
      const begin = async (_run, places) => {
        const source = await places.source('data:slide.tif');
        await places.sink(output, source.picture);
      };
      const options = { quality: 'fast', sigma: 12, threads: 1 };
      const request = { input: 'data:slide.tif', output, tile: 512, options };
      const measured = await measure(at, count, denoisePlan(), request, begin);
      row(`denoising ${megapixels} megapixels`, { tiles: Math.ceil(side / 512) ** 2, ...measured });
    }
    return rows;
  } finally {
    await server.stop();
    await sleep(100);
    rmSync(folder, { recursive: true });
  }
}
