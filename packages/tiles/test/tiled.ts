/** Denoising whole and in tiles, side by side. */
import type { DenoiseOptions, Image, Samples } from 'ght';
import { denoiseWhole, type Perform, resolveDenoiseOptions, type Scratch } from 'ght/plans';
import { type DenoiseRequest, denoiseTask } from '../src/denoise-task.js';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';
import type { Places, TiledTask } from '../src/plan.js';

/** The options that a request can hold. */
export type Options = Omit<DenoiseOptions, 'signal' | 'onProgress'>;

/** Places for one image, with a sink that keeps every bit. */
export function placesFor(image: Image, chunk = { width: 16, height: 16 }, scratch: Scratch = memoryScratch()) {
  const source = memorySource(image);
  const sink = memorySink({ ...pictureOf(image), sample: 'float', depth: 64 }, chunk);
  const places: Places = { source: async () => source, sink: async () => sink, scratch: async () => scratch };
  return { places, source, sink, scratch };
}

/** The whole image, denoised with a given limit of the sample. */
export async function whole(image: Image, options: Options, sampled?: number) {
  const settings = resolveDenoiseOptions(image.planes.length, options);
  const { image: denoised, ...report } = await denoiseWhole(image, sampled ? { ...settings, sampled } : settings);
  return { planes: asFloat64(denoised.planes), report: plain(report) };
}

/** The image in tiles. */
export async function tiled(image: Image, options: Options, tile: number, sampled?: number, scratch?: Scratch) {
  const { places, sink } = placesFor(image, { width: Math.min(16, tile), height: Math.min(16, tile) }, scratch);
  const request = { input: 'in', output: 'out', options: options as DenoiseRequest['options'], tile, sampled };
  const { result, passes } = await runElsewhere(denoiseTask(), request, places);
  return { planes: asFloat64(sink.planes), report: plain(result), passes };
}

/** Executes a task as a queue does: everything is sent as data, parts are done in reverse order, and some of them twice. */
export async function runElsewhere<Request, Context, Result>(
  task: TiledTask<Request, Context, Result>,
  request: Request,
  places: Places,
) {
  const open = async () => task.open(sent(request), places);
  const passes: string[] = [];
  const perform: Perform<Context> = async (pass, argument, { parts, name = pass.name }) => {
    passes.push(name);
    const answers = [];
    for (let part = parts - 1; part >= 0; part--) {
      const times = part === 1 ? 2 : 1;
      for (let n = 0; n < times; n++) {
        const answer = sent(await task.work(pass.name, sent(request), { part, argument: sent(argument) }, places));
        answers[part] = pass.answer(answer, 'answer');
      }
    }
    return answers;
  };
  return { result: await task.plan.run(await open(), perform), passes };
}

/** The value as another machine receives it: JSON and typed arrays, and nothing else. */
function sent<T>(value: T): T {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${value} cannot be sent`);
    return value;
  }
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  if (Array.isArray(value)) return value.map((each) => sent(each ?? null)) as unknown as T;
  if (value === undefined || Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`${value} cannot be sent`);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, sent(each)])) as T;
}

/** What can be compared: the threads of an engine do not matter. */
function plain<T extends object>({ engine: _, ...report }: T & { engine: unknown }) {
  return report;
}

const asFloat64 = (planes: readonly Samples[]) => planes.map((plane) => Float64Array.from(plane));
