// A server in a process of its own, for bench/serve.js: POST an image, get it denoised by the library. `idle` serves nothing, as the
// control: how far timers slip on this machine while others use its cores.
//
//     node bench/serve-process.js library|one-thread|idle
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { denoise } from 'ght';
import { encodeImage, readImage } from 'ght-images/node';

const [mode] = process.argv.slice(2);
const RESOLUTION_MS = 5;
const threads = mode === 'one-thread' ? 1 : undefined;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
/** Milliseconds by which a timer of this process came too late at most. */
let slip = 0;
/** The most milliseconds of CPU that this thread used from one call of the timer to the next: its slip if it had a core for itself. */
let busy = 0;
let last = performance.now();
let lastCpu = cpuOfThread();
setInterval(() => {
  const [now, cpu] = [performance.now(), cpuOfThread()];
  slip = Math.max(slip, now - last - RESOLUTION_MS);
  busy = Math.max(busy, cpu - lastCpu);
  [last, lastCpu] = [now, cpu];
}, RESOLUTION_MS);

/** Milliseconds of CPU of the main thread, where the system is Linux. */
function cpuOfThread() {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6 : Number.NaN;
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  if (request.url === '/health') return response.end('ok\n');
  if (request.url === '/reset') {
    [slip, busy, last, lastCpu] = [0, 0, performance.now(), cpuOfThread()];
    delays.reset();
    return response.end();
  }
  if (request.url === '/slip') {
    const { user, system } = process.cpuUsage();
    const { rss } = process.memoryUsage();
    const most = Math.max(slip, delays.max / 1e6 - RESOLUTION_MS);
    return response.end(JSON.stringify({ slip: most, busy, cpu: (user + system) / 1e6, rss }));
  }
  try {
    const file = await readImage(await body(request));
    const { image } = await denoise(file.image, { jpeg: file.jpeg, threads });
    response.end(await encodeImage(image, 'png', file));
  } catch (error) {
    response.writeHead(500).end(error.message);
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(server.address().port);
process.stdin.resume();
process.stdin.on('end', () => process.exit());
