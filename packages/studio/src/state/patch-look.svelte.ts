import type { Inspection, Requests } from '../worker/protocol.js';
import type { Client } from './client.js';

/** The inspection of one patch: only one at a time, the latest. */
export class PatchLook {
  found = $state.raw<Inspection>();
  looking = $state(false);
  /** A patch that was picked before there was a result to look into. */
  awaited = $state.raw<{ readonly x: number; readonly y: number }>();
  #running: AbortController | undefined;

  constructor(private readonly client: Client) {}

  async look(ask: Requests['inspect']['ask']): Promise<Inspection> {
    this.#running?.abort();
    const stop = new AbortController();
    this.#running = stop;
    this.looking = true;
    this.awaited = undefined;
    try {
      this.found = await this.client.ask('inspect', ask, { signal: stop.signal });
      return this.found;
    } finally {
      if (this.#running === stop) this.looking = false;
    }
  }

  close(): void {
    this.#running?.abort();
    this.looking = false;
    this.awaited = undefined;
    this.found = undefined;
  }
}
