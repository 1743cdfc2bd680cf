/**
 * A toy plan for the tests of the queue, and places for it. A source is a file of bytes, cut into tiles of equal length; the plan
 * subtracts the mean of the whole from each tile, so that it takes two passes. It runs in child processes, hence plain JavaScript.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from 'ght';

const picture = (width) => ({ width, height: 1, channels: 1, alpha: false, sample: 'uint', depth: 8 });

/** Opens files by their paths. `fault` may throw instead of writing. */
export function toyFiles(fault = () => {}) {
  return {
    async source(path) {
      const { size, mtimeMs } = statSync(path);
      const bytes = readFileSync(path);
      return {
        picture: picture(size),
        chunk: { width: 1, height: 1 },
        version: `${size}-${mtimeMs}`,
        read: async ({ left, width }) => [Uint8Array.from(bytes.subarray(left, left + width))],
        close: async () => {},
      };
    },
    async sink(path) {
      mkdirSync(path, { recursive: true });
      const file = ({ left }) => join(path, `${left}.bin`);
      return {
        picture: picture(0),
        chunk: { width: 1, height: 1 },
        has: async (window) => existsSync(file(window)),
        async write(window, [samples]) {
          fault();
          const beside = `${file(window)}.${process.pid}.part`;
          writeFileSync(beside, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
          renameSync(beside, file(window));
        },
        finish: async () => writeFileSync(join(path, 'finished'), ''),
        close: async () => {},
      };
    },
    async scratch(path) {
      return { get: async () => undefined, put: async () => {}, clear: async () => rmSync(path, { recursive: true }) };
    },
  };
}

/** Notes in TOY_LOG what is done where, so that a test sees what was done twice. */
function note(...words) {
  if (process.env.TOY_LOG) appendFileSync(process.env.TOY_LOG, `${words.join(' ')} ${process.pid}\n`);
}

/**
 * Takes a while, and stops early when the run is cancelled. TOY_MS: milliseconds of tile 0, of tile 1 and so on; the last for all
 * others. TOY_DEAF: it does not stop.
 */
async function pause(signal, work, tile) {
  const { TOY_MS, TOY_DEAF } = process.env;
  if (!TOY_MS) return;
  const times = TOY_MS.split(',').map(Number);
  const stop = TOY_DEAF ? undefined : signal;
  await sleep(times[Math.min(tile, times.length - 1)], undefined, { signal: stop }).catch((error) => {
    note('stopped', work, tile);
    throw error;
  });
}

/** The part of the source that is tile `tile`. */
async function partOf({ input, length }, tile, places) {
  const opened = await places.source(input);
  const [bytes] = await opened.read({ left: tile * length, top: 0, width: length, height: 1 });
  return bytes;
}

/** Request: { input, output, tiles, length, forbidden }: a tile that holds the byte `forbidden` is invalid. */
export const toyPlan = {
  name: 'toy',
  async *passes({ output, tiles, length }, places) {
    const numbers = Array.from({ length: tiles }, (_, i) => i);
    const answers = yield { name: 'sum', work: 'sum', argument: null, tiles: numbers, share: 0.5 };
    const total = answers.reduce((sum, [part]) => sum + part, 0);
    const argument = { mean: Float64Array.of(total / (tiles * length)) };
    const written = yield { name: 'write-1', work: 'write', argument, tiles: numbers, share: 0.5 };
    await (await places.sink(output)).finish();
    return { mean: argument.mean[0], written: written.map(({ norm }) => norm) };
  },
  work: {
    async sum(request, { tile, signal }, places) {
      const bytes = await partOf(request, tile, places);
      note('sum', tile);
      await pause(signal, 'sum', tile);
      if (bytes.includes(request.forbidden)) {
        throw new InputError(`tile ${tile}`, 'must not hold the forbidden byte', request.forbidden, 'replace it');
      }
      return Float64Array.of(bytes.reduce((a, b) => a + b, 0));
    },
    async write(request, { tile, argument, signal }, places) {
      const bytes = await partOf(request, tile, places);
      note('write', tile);
      await pause(signal, 'write', tile);
      const rest = Float64Array.from(bytes, (byte) => byte - argument.mean[0]);
      const sink = await places.sink(request.output);
      await sink.write({ left: tile * request.length, top: 0, width: request.length, height: 1 }, [rest]);
      return { norm: Math.hypot(...rest) };
    },
  },
};
