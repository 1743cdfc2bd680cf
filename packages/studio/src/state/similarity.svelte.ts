import type { Slot } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { Runner } from './runner.svelte.js';

/**
 * Measures the structural similarity of results. It takes much longer than a picture, so it is computed after it, one image at a
 * time, and stops for every task; what was not finished is continued when the task has ended.
 */
export class Similarity {
  /** SSIM with the original, by slot; missing until it is known. */
  values = $state.raw<Partial<Record<Slot, number>>>({});
  readonly #wanted = new Set<Slot>();
  #running: AbortController | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
  ) {
    runner.watch({ onStart: () => this.#running?.abort(), onEnd: () => void this.#next() });
  }

  /** Measures the image that a slot has now. */
  want(slot: Slot): void {
    this.drop(slot);
    this.#wanted.add(slot);
    void this.#next();
  }

  /** Forgets the values of slots whose images may be replaced. */
  drop(...slots: readonly Slot[]): void {
    for (const slot of slots) this.#wanted.delete(slot);
    this.values = Object.fromEntries(Object.entries(this.values).filter(([slot]) => !slots.includes(slot as Slot)));
  }

  /** Called when another image is opened. */
  clear(): void {
    this.#wanted.clear();
    this.values = {};
  }

  async #next(): Promise<void> {
    const [slot] = this.#wanted;
    if (slot === undefined || this.#running || this.runner.task) return;
    const stop = new AbortController();
    this.#running = stop;
    try {
      const ssim = await this.client.ask('ssim', { slot }, { signal: stop.signal });
      if (this.#wanted.delete(slot)) this.values = { ...this.values, [slot]: ssim };
    } catch {
      // Stopped, to be continued; or the image is gone, and with it the wish to measure it.
      if (!stop.signal.aborted) this.#wanted.delete(slot);
    } finally {
      this.#running = undefined;
      void this.#next();
    }
  }
}
