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
import { nothing, number, numbers, record } from 'ght/check';
import { definePass, workByName } from 'ght/plans';
import { tiledTask } from 'ght-tiles';

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
          gate();
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
 * Stops the first write of this process in its middle, until the file TOY_GATE is there. All of the process stands still meanwhile, as
 * if it were stopped by a signal.
 */
function gate() {
  const { TOY_GATE } = process.env;
  if (!TOY_GATE || gate.passed) return;
  gate.passed = true;
  note('gate');
  while (!existsSync(TOY_GATE)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

/**
 * Takes a while, and stops early when the run is cancelled. TOY_MS: milliseconds of tile 0, of tile 1 and so on; the last for all
 * others. TOY_WRITE_MS: the same for the second pass. TOY_DEAF: it does not stop.
 */
async function pause(signal, work, tile) {
  const { TOY_MS, TOY_WRITE_MS, TOY_DEAF } = process.env;
  const given = work === 'write' ? (TOY_WRITE_MS ?? TOY_MS) : TOY_MS;
  if (!given) return;
  const times = given.split(',').map(Number);
  const stop = TOY_DEAF ? undefined : signal;
  await sleep(times[Math.min(tile, times.length - 1)], undefined, { signal: stop }).catch((error) => {
    note('stopped', work, tile);
    throw error;
  });
}

/** The part of the source that is tile `tile`. */
async function bytesOf({ request, places }, tile) {
  const { input, length } = request;
  const opened = await places.source(input);
  const [bytes] = await opened.read({ left: tile * length, top: 0, width: length, height: 1 });
  return bytes;
}

const sum = definePass({
  name: 'sum',
  argument: nothing,
  answer: numbers(1),
  async work(context, { part, signal }) {
    const bytes = await bytesOf(context, part);
    note('sum', part);
    await pause(signal, 'sum', part);
    const { forbidden } = context.request;
    if (bytes.includes(forbidden)) {
      throw new InputError(`tile ${part}`, 'must not hold the forbidden byte', forbidden, 'replace it');
    }
    return Float64Array.of(bytes.reduce((a, b) => a + b, 0));
  },
});

const write = definePass({
  name: 'write',
  argument: record({ mean: numbers(1) }),
  answer: record({ norm: number }),
  async work(context, { part, argument, signal }) {
    const bytes = await bytesOf(context, part);
    note('write', part);
    await pause(signal, 'write', part);
    const rest = Float64Array.from(bytes, (byte) => byte - argument.mean[0]);
    const { output, length } = context.request;
    const sink = await context.places.sink(output);
    await sink.write({ left: part * length, top: 0, width: length, height: 1 }, [rest]);
    return { norm: Math.hypot(...rest) };
  },
});

const plan = {
  name: 'toy',
  work: workByName(sum, write),
  async run({ request, places }, perform) {
    const { output, tiles, length } = request;
    const answers = await perform(sum, null, { parts: tiles, share: 0.5 });
    const total = answers.reduce((all, [part]) => all + part, 0);
    const argument = { mean: Float64Array.of(total / (tiles * length)) };
    const written = await perform(write, argument, { parts: tiles, share: 0.5, name: 'write-1' });
    await (await places.sink(output)).finish();
    return { mean: argument.mean[0], written: written.map(({ norm }) => norm) };
  },
};

/** Request: { input, output, tiles, length, forbidden }: a tile that holds the byte `forbidden` is invalid. */
export const toyTask = tiledTask(plan, record({}), async (request, places) => ({ request, places }));
