import type { SolverName } from 'ght';
import { type Settings, sameRun } from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';
import type { Event, Readings } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

/** No result yet; a result of older settings; a preview, reduced or at full size; the final result. */
export type ResultStage = 'none' | 'stale' | 'coarse' | 'preview' | 'final';

/** A request with these settings. Two requests are always distinct, even with the same settings. */
export interface Asked {
  readonly settings: Settings;
}

interface Shown {
  readonly of: Asked;
  readonly kind: 'coarse' | 'preview' | 'final';
  readonly picture: Layer;
  readonly readings: Readings;
  /** The file that the codes came from, if they were not solved here. */
  readonly codesFile?: string;
}

/** RMSE by iteration, of the current run or of the result. */
interface Curve {
  readonly solver: SolverName;
  readonly points: readonly { readonly k: number; readonly rmse: number }[];
}

/** If the settings have changed, a preview is not waited for longer than this. */
const PATIENCE_MS = 1000;

/** The tab that represents the image with the current settings, whenever they change. */
export class Representing {
  /** The result that is shown, or its preview. */
  shown = $state.raw<Shown>();
  curve = $state.raw<Curve>();
  /** Called when a final result is shown. */
  onFinal: () => void = () => {};
  /** The request whose result the worker holds, or may hold by now. */
  #asked = $state.raw<Asked>();
  /** The run whose first picture has not arrived yet. */
  #awaited: { readonly asked: Asked; readonly since: number } | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly similarity: Similarity,
  ) {}

  /** How far the shown result matches the settings. */
  get stage(): ResultStage {
    if (!this.shown) return 'none';
    const { of, kind } = this.shown;
    if (kind !== 'final') return kind;
    return of === this.#asked && sameRun(of.settings, this.settings()) ? 'final' : 'stale';
  }

  /** Called when the tab is shown, or when another image is opened in it. */
  enter(): void {
    if (this.stage !== 'final') this.run();
  }

  /** Runs with the latest settings. A preview in progress is finished first, or a moving slider would never show one. */
  run(): void {
    if (!this.#awaited || performance.now() - this.#awaited.since >= PATIENCE_MS) void this.#represent();
  }

  async #represent(): Promise<void> {
    const asked: Asked = { settings: this.settings() };
    const awaited = { asked, since: performance.now() };
    await this.runner.run('represent', async (signal) => {
      this.similarity.drop('result');
      signal.addEventListener('abort', () => {
        this.#awaited = undefined;
      });
      this.#awaited = awaited;
      this.#asked = asked;
      this.curve = { solver: asked.settings.solver, points: [] };
      const onEvent = (event: Event) => {
        this.runner.progress(event);
        this.#trace(event);
        this.take(event, asked);
        if (event.kind === 'preview' || event.kind === 'shown') this.#seen(awaited);
      };
      await this.client.ask('represent', { settings: asked.settings, live: true }, { signal, onEvent });
    });
    // A run that failed has shown nothing, and the settings may have changed since.
    this.#seen(awaited);
  }

  /** Called when the first picture has arrived, or never will: if the settings have changed, the latest are run next. */
  #seen(awaited: { readonly asked: Asked }): void {
    if (this.#awaited !== awaited) return;
    this.#awaited = undefined;
    if (!sameRun(awaited.asked.settings, this.settings())) void this.#represent();
  }

  /** Shows saved codes in place of a result. */
  async openCodes(file: File): Promise<void> {
    const asked: Asked = { settings: this.settings() };
    await this.runner.run('codes', async (signal) => {
      this.similarity.drop('result');
      const onEvent = (event: Event) => this.take(event, asked, file.name);
      try {
        await this.client.ask('readCodes', { file, settings: asked.settings }, { signal, onEvent });
      } catch (error) {
        if (signal.aborted) this.interrupted(asked);
        throw error;
      }
    });
  }

  /** Called when a request was cancelled. The worker may have replaced its result before, without notifying the page. */
  interrupted(asked: Asked): void {
    this.#asked = asked;
  }

  /** Handles a result or a preview, whose settings may no longer be those of the page. */
  take(event: Event, asked: Asked, codesFile?: string): void {
    if (event.kind !== 'shown' && event.kind !== 'preview') return;
    const { picture, readings } = event;
    const kind = event.kind === 'shown' ? 'final' : event.coarse ? 'coarse' : 'preview';
    this.#asked = asked;
    this.shown = { of: asked, kind, picture, readings, codesFile };
    if (kind !== 'final') return;
    this.curve = { solver: readings.solver, points: readings.history };
    this.similarity.want('result');
    this.onFinal();
  }

  #trace(event: Event): void {
    if (event.kind !== 'progress' || !this.curve) return;
    const { k, rmse } = event;
    const { solver, points } = this.curve;
    const last = points.at(-1)?.k ?? 0;
    if (k === undefined || rmse === undefined || k === last) return;
    // A search for a target starts over with every budget it tries.
    this.curve = { solver, points: k < last ? [{ k, rmse }] : [...points, { k, rmse }] };
  }

  /** Called when another image is opened: there are no results for it yet. */
  clear(): void {
    this.shown = undefined;
    this.curve = undefined;
    this.#asked = undefined;
  }
}
