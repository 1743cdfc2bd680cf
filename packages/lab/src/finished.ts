import { createHash } from 'node:crypto';
import type { Samples } from 'ght';
import type { ExperimentName } from './catalogue.js';
import type { Findings } from './experiments/index.js';
import type { Setting } from './setting.js';
import type { ReportStore } from './store.js';

/** The stored result of an experiment. */
export interface Finished {
  /** Seconds it took in total. */
  readonly seconds: number;
  readonly data: Findings[ExperimentName];
}

/** The finished experiments of a run, from which a later run with the same key can resume. */
export interface FinishedRuns {
  /** The result of an experiment; undefined if there is none, if its key differs, or if it is damaged. */
  load(name: ExperimentName): Promise<Finished | undefined>;
  save(name: ExperimentName, finished: Finished): Promise<void>;
  remove(name: ExperimentName): Promise<void>;
}

/** Stores every finished experiment in its own file, with the key of its run and a digest of its content. */
export function finishedRuns(store: ReportStore, key: string): FinishedRuns {
  return {
    async load(name) {
      const text = await store.read(finishedFile(name));
      try {
        const { seconds, data, ...stored } = JSON.parse(text ?? 'null');
        const sound = stored.key === key && stored.digest === digestOf(JSON.stringify({ seconds, data }));
        return sound ? { seconds, data } : undefined;
      } catch {
        return undefined;
      }
    },
    async save(name, { seconds, data }) {
      const digest = digestOf(JSON.stringify({ seconds, data }));
      await store.write(finishedFile(name), JSON.stringify({ key, digest, seconds, data }));
    },
    remove: (name) => store.remove(finishedFile(name)),
  };
}

/** The name of the file of a finished experiment. */
export function finishedFile(name: ExperimentName): string {
  return `experiments/${name}.json`;
}

/** Everything that the findings depend on, except the machine. Runs with the same key may share results. */
export function keyOf({ quick, seed, images, collection, threads }: Setting, version: string): string {
  const pictures = [...images, ...collection].map(({ name, image: { width, height, planes } }) => {
    return [name, width, height, ...planes.map(digestOf)];
  });
  return JSON.stringify({ version, quick, seed, threads, pictures });
}

function digestOf(content: string | Samples): string {
  return createHash('sha256').update(content).digest('hex');
}
