import { type SolverName, solverNames } from 'ght';
import { type Settings, sameComparison } from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';
import type { Event, Readings } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { OpenImage } from './open-image.svelte.js';
import type { Asked, Representing } from './representing.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

interface Row {
  readonly of: Asked;
  readonly picture: Layer;
  readonly readings: Readings;
}

/** Up to this many samples six solvers take a few seconds, so a comparison can start without being requested. */
const QUICK_SAMPLES = 3e6;

/** The tab that runs every solver under one budget. */
export class Comparing {
  /** The comparison that is shown or in progress. */
  #asked = $state.raw<Asked>();
  #rows = $state.raw<Partial<Record<SolverName, Row>>>({});
  /** Called when a comparison has ended. */
  onDone: () => void = () => {};

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
    /** Receives the result of the chosen solver, which runs first for a target PSNR, to find the budget. */
    private readonly representing: Representing,
    private readonly similarity: Similarity,
  ) {}

  /** Whether the settings have changed since the comparison was requested. */
  get stale(): boolean {
    return this.#asked !== undefined && !sameComparison(this.#asked.settings, this.settings());
  }

  /** Whether a comparison was run, or is running. */
  get started(): boolean {
    return this.#asked !== undefined;
  }

  /** The result of a solver. */
  row(solver: SolverName): Row | undefined {
    return this.#rows[solver];
  }

  /** Whether a row belongs to the previous comparison and waits to be replaced. */
  isOld(solver: SolverName): boolean {
    return this.runner.task === 'compare' && this.#rows[solver]?.of !== this.#asked;
  }

  /** Called when the tab is shown, or when another image is opened in it. The first comparison starts by itself if it is quick. */
  enter(): void {
    if (!this.#asked && this.#samples <= QUICK_SAMPLES) void this.run();
  }

  /** Runs every solver under the budget. */
  async run(): Promise<void> {
    const asked: Asked = { settings: this.settings() };
    const { settings } = asked;
    await this.runner.run('compare', async (signal) => {
      this.#asked = asked;
      this.similarity.drop(...solverNames);
      try {
        await this.client.ask('compare', { settings }, { signal, onEvent: (event) => this.#take(event, asked) });
      } catch (error) {
        if (this.#asked === asked) this.#dropOldRows();
        if (signal.aborted && settings.goal === 'psnr') this.representing.interrupted(asked);
        throw error;
      }
    });
    this.onDone();
  }

  /** Removes the rows of the previous comparison when the current one is cancelled: they do not belong together. */
  #dropOldRows(): void {
    this.#rows = Object.fromEntries(Object.entries(this.#rows).filter(([, row]) => row.of === this.#asked));
  }

  #take(event: Event, asked: Asked): void {
    this.runner.progress(event);
    if (event.kind !== 'shown') return;
    const { slot } = event;
    if (slot === 'result') {
      this.representing.take(event, asked);
      return;
    }
    this.#rows = { ...this.#rows, [slot]: { ...event, of: asked } };
    this.similarity.want(slot);
  }

  /** The number of samples in all patches, to which the run time is proportional. */
  get #samples(): number {
    const { opened } = this.image;
    if (!opened) return 0;
    const { width, height, channels } = opened;
    return width * height * channels * (8 / this.settings().stride) ** 2;
  }

  /** Called when another image is opened: there are no results for it yet. */
  clear(): void {
    this.#asked = undefined;
    this.#rows = {};
  }
}
