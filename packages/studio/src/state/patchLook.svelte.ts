import type { Inspection, Requests } from '../worker/protocol.js';
import type { Client } from './client.js';

/** The inspection of one patch: only one at a time, the latest. */
export class PatchLook {
  found = $state.raw<Inspection>();
  looking = $state(false);
  #running: AbortController | undefined;

  constructor(private readonly client: Client) {}

  async look(ask: Requests['inspect']['ask']): Promise<void> {
    this.#running?.abort();
    const stop = new AbortController();
    this.#running = stop;
    this.looking = true;
    try {
      this.found = await this.client.ask('inspect', ask, { signal: stop.signal });
    } finally {
      if (this.#running === stop) this.looking = false;
    }
  }

  close(): void {
    this.#running?.abort();
    this.looking = false;
    this.found = undefined;
  }
}
