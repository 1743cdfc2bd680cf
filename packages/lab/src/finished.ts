import { createHash } from 'node:crypto';
import type { Samples } from 'ght';
import type { ExperimentName } from './catalogue.js';
import type { Findings } from './experiments/index.js';
import type { Setting } from './setting.js';
import type { ReportStore } from './store.js';

/** What an experiment left behind. */
export interface Finished {
  /** Seconds it took as a whole. */
  readonly seconds: number;
  readonly data: Findings[ExperimentName];
}

/** The finished experiments of one run, which a later run of the same key can go on from. */
export interface FinishedRuns {
  /** The results of an experiment; undefined when there are none, or those of another key, or damaged ones. */
  load(name: ExperimentName): Promise<Finished | undefined>;
  save(name: ExperimentName, finished: Finished): Promise<void>;
  remove(name: ExperimentName): Promise<void>;
}

/** Keeps every finished experiment in a file of its own, with the key of its run and a digest of its content. */
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

/** Everything that the findings depend on, apart from the machine. Runs of the same key may share results. */
export function keyOf({ quick, seed, images, collection, threads }: Setting, version: string): string {
  const pictures = [...images, ...collection].map(({ name, image: { width, height, planes } }) => {
    return [name, width, height, ...planes.map(digestOf)];
  });
  return JSON.stringify({ version, quick, seed, threads, pictures });
}

function digestOf(content: string | Samples): string {
  return createHash('sha256').update(content).digest('hex');
}
