import type { EngineInfo, EngineState } from 'ght';
import type { EngineSpeed } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { OpenImage } from './open-image.svelte.js';
import type { Runner } from './runner.svelte.js';

/** The engines of this machine. */
export class Machine {
  /** The engine that will run, before the first run. */
  probed = $state.raw<EngineInfo>();
  /** What each engine offers, once {@link findEngines} was called. */
  engines = $state.raw<readonly EngineState[]>();
  /** The speed of every engine, once it was measured. */
  speeds = $state.raw<readonly EngineSpeed[]>();

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly image: OpenImage,
  ) {}

  /** Looks for the engine that will run. If this fails, the badge says that it is unknown; nothing else depends on it. */
  async probe(): Promise<void> {
    this.probed = await this.client.ask('engine', null).catch(() => undefined);
  }

  /** Looks for the engines, once. This opens a GPU, so it waits until the user wants to choose. */
  async findEngines(): Promise<void> {
    this.engines ??= await this.client.ask('engines', null).catch(() => undefined);
  }

  /** Measures every engine on the open image. */
  async measureEngines(): Promise<void> {
    await this.image.settled();
    this.runner.notice = undefined;
    await this.runner.run('measure', async (signal) => {
      const onEvent = this.runner.progress.bind(this.runner);
      this.speeds = await this.client.ask('measureEngines', null, { signal, onEvent });
    });
  }
}
