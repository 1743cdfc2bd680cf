import type { SolverName } from 'ght';
import { type Settings, sameRun } from '../settings/settings.js';
import type { Event, Layer, Readings } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { Runner } from './runner.svelte.js';

/** Nothing yet; a result of older settings; a preview, reduced or at full size; the result itself. */
export type ResultStage = 'none' | 'stale' | 'coarse' | 'preview' | 'final';

/** A request under these settings. Two requests are never the same one, even under the same settings. */
export interface Asked {
  readonly settings: Settings;
}

interface Shown {
  readonly of: Asked;
  readonly kind: 'coarse' | 'preview' | 'final';
  readonly picture: Layer;
  readonly readings: Readings;
}

/** RMSE by iteration, of the run under way or of the result. */
interface Curve {
  readonly solver: SolverName;
  readonly points: readonly { readonly k: number; readonly rmse: number }[];
}

/** A preview that takes longer than this is not waited for when the settings have changed. */
const PATIENCE_MS = 1000;

/** The tab that represents the image as the settings say, whenever they change. */
export class Representing {
  /** The result on show, or its preview. */
  shown = $state.raw<Shown>();
  curve = $state.raw<Curve>();
  /** The request whose result the worker holds, or may hold by now. */
  #asked = $state.raw<Asked>();
  /** The run whose first picture is still to come. */
  #awaited: { readonly asked: Asked; readonly since: number } | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
  ) {}

  /** How far the result on show is what the settings ask for. */
  get stage(): ResultStage {
    if (!this.shown) return 'none';
    const { of, kind } = this.shown;
    if (kind !== 'final') return kind;
    return of === this.#asked && sameRun(of.settings, this.settings()) ? 'final' : 'stale';
  }

  /** The tab has come to the front, or another image was opened in it. */
  enter(): void {
    if (this.stage !== 'final') this.run();
  }

  /** Runs with the newest settings; a preview on its way is let through, or a moving slider would never show one. */
  run(): void {
    if (!this.#awaited || performance.now() - this.#awaited.since >= PATIENCE_MS) void this.#represent();
  }

  async #represent(): Promise<void> {
    const asked: Asked = { settings: this.settings() };
    const awaited = { asked, since: performance.now() };
    await this.runner.run('represent', async (signal) => {
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

  /** The first picture has come, or never will: if the settings have changed meanwhile, the newest are next. */
  #seen(awaited: { readonly asked: Asked }): void {
    if (this.#awaited !== awaited) return;
    this.#awaited = undefined;
    if (!sameRun(awaited.asked.settings, this.settings())) void this.#represent();
  }

  /** Shows codes that were saved, in the place of a result. */
  async openCodes(file: Blob): Promise<void> {
    const asked: Asked = { settings: this.settings() };
    await this.runner.run('codes', async (signal) => {
      const onEvent = (event: Event) => this.take(event, asked);
      try {
        await this.client.ask('readCodes', { file, settings: asked.settings }, { signal, onEvent });
      } catch (error) {
        if (signal.aborted) this.interrupted(asked);
        throw error;
      }
    });
  }

  /** A request was cancelled. The worker may have replaced its result before that, without the page being told. */
  interrupted(asked: Asked): void {
    this.#asked = asked;
  }

  /** Takes a result, a preview or an SSIM that was made under settings which may no longer be those of the page. */
  take(event: Event, asked: Asked): void {
    if (event.kind === 'progress') return;
    if (event.kind === 'ssim') {
      if (this.shown) this.shown = { ...this.shown, readings: { ...this.shown.readings, ssim: event.ssim } };
      return;
    }
    const { picture, readings } = event;
    const kind = event.kind === 'shown' ? 'final' : event.coarse ? 'coarse' : 'preview';
    this.#asked = asked;
    this.shown = { of: asked, kind, picture, readings };
    if (kind === 'final') this.curve = { solver: readings.solver, points: readings.history };
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

  /** Another image was opened, of which there is nothing yet. */
  clear(): void {
    this.shown = undefined;
    this.curve = undefined;
    this.#asked = undefined;
  }
}
