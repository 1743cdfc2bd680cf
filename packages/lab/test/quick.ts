/** The quick run of the golden numbers, and the part of it that can be compared. */
import type { Findings, Setting } from '../src/index.js';
import { experimentNames, experiments, halved, paperSized } from '../src/index.js';

/** Every experiment with `--quick --seed 1` on the photographs that come with the lab. */
export async function quickFindings(): Promise<Findings> {
  const [images, collection] = [await paperSized(), await halved()];
  const setting: Setting = { quick: true, seed: 1, images, collection, threads: 1 };
  const entries = [];
  for (const name of experimentNames) entries.push([name, await experiments[name].run(setting)]);
  return Object.fromEntries(entries);
}

/** Times and values fitted to them, pictures, and iteration counts, which a single rounding error may change. */
const INCOMPARABLE = new Set(['seconds', 'slopes', 'png', 'iterations', 'histogram']);

/** The findings as a flat list of numbers and strings, by their path. */
export function comparable(value: unknown, path = ''): Map<string, number | string> {
  if (typeof value === 'number' || typeof value === 'string') return new Map([[path, value]]);
  const entries = Object.entries(value as object).filter(([key]) => !INCOMPARABLE.has(key));
  return new Map(entries.flatMap(([key, each]) => [...comparable(each, path === '' ? key : `${path}.${key}`)]));
}
