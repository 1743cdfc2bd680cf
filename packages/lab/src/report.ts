import type { EngineInfo } from 'ght';
import type { ExperimentName, Findings } from './experiments/index.js';

/** The outcome for a claim of the paper. */
export type Outcome = 'confirmed' | 'partly' | 'not reproduced';

/** One claim of the paper and the verdict of the data. */
export interface Verdict {
  readonly experiment: ExperimentName;
  /** Where the paper makes the claim. */
  readonly where: string;
  readonly claim: string;
  /** When the claim counts as confirmed, and when as partly confirmed. */
  readonly rule: string;
  readonly measured: string;
  readonly outcome: Outcome;
  /** Whether it is about time: it then holds for this machine, and for how busy it was. */
  readonly timing: boolean;
}

/** A run of the lab as plain data: the only input of the report. */
export interface Report {
  /** When the run was finished, as an ISO date. */
  readonly date: string;
  readonly version: string;
  readonly quick: boolean;
  readonly seed: number;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly system: string;
    readonly node: string;
    /**
     * The load average of one minute before and after the run; the run itself adds its threads to the second. Experiments
     * that were kept from an earlier run had a load of their own.
     */
    readonly load: { readonly before: number; readonly after: number };
  };
  readonly engine: EngineInfo;
  readonly images: readonly {
    readonly name: string;
    readonly source: string;
    readonly width: number;
    readonly height: number;
  }[];
  readonly collection: readonly { readonly name: string; readonly source: string }[];
  /** The result of each experiment that was run. */
  readonly findings: Partial<Findings>;
  /** Seconds that each experiment took in total. */
  readonly seconds: Partial<Record<ExperimentName, number>>;
  readonly verdicts: readonly Verdict[];
}
