import type { Image, SolverName } from 'ght';

/** A grey image that experiments run on. */
export interface NamedImage {
  readonly name: string;
  readonly image: Image;
  /** Its origin and how it was processed, for the report. */
  readonly source: string;
}

/** The input of an experiment. Its results depend on nothing else, except for the times. */
export interface Setting {
  /** Whether to use smaller sizes, fewer budgets and one dictionary; all experiments then take about two minutes. */
  readonly quick: boolean;
  readonly seed: number;
  /** The images at their full size, three at most. */
  readonly images: readonly NamedImage[];
  /** The images from which random natural patches are cut. */
  readonly collection: readonly NamedImage[];
  /** Threads of the engine, the same for every run, so that times can be compared. */
  readonly threads: number;
  readonly signal?: AbortSignal;
  /** Called with the fraction of the experiment that is done, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** An experiment of the paper: a small module that returns plain data. */
export interface Experiment<Data> {
  /** The part of the paper that it repeats. */
  readonly paper: string;
  readonly title: string;
  /** What is computed, in a sentence or two, with the sizes of this setting. */
  describe(data: Data): string;
  /** Seconds it took on a common server, full on two cores and quick on one. */
  readonly seconds: { readonly full: number; readonly quick: number };
  run(setting: Setting): Promise<Data>;
}

/** The result of one solver at one budget. */
export interface Run {
  readonly solver: SolverName;
  /** Atoms per patch on average. */
  readonly s: number;
  /** The paper's RMSE per patch. */
  readonly rmse: number;
  readonly iterations: number;
  /** Seconds of computing, after the problem is loaded into the engine. */
  readonly seconds: number;
}

/** A picture that is part of the data. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** A PNG in base64. */
  readonly png: string;
}

/** Runs pieces of work one after the other and reports how much of their total weight is done. */
export function pacer({ signal, onProgress }: Setting, total: number) {
  let done = 0;
  return async <T>(weight: number, work: (watch: Watch) => Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    const report = (fraction: number) => onProgress?.(Math.min(1, (done + weight * fraction) / total));
    const result = await work({ signal, onProgress: ({ fraction }) => report(fraction) });
    done += weight;
    report(0);
    return result;
  };
}

/** The options that pass progress and abort to a solver. */
interface Watch {
  readonly signal?: AbortSignal;
  readonly onProgress: (progress: { readonly fraction: number }) => void;
}
