import type { Batch, Gpu } from '../gpu.js';

/**
 * Batches one after the other. One of them waits for the GPU behind the one at work: so the GPU does not wait for this thread, and an
 * abort is noticed after two batches at most.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly gpu: Gpu,
    private readonly signal?: AbortSignal,
  ) {}

  /** Submits a batch, and waits until the one before it is done. `onDone` is called when this one is. */
  async submit(batch: Batch, onDone?: () => void): Promise<void> {
    this.signal?.throwIfAborted();
    batch.submit();
    const before = this.#last;
    this.#last = this.gpu.done(this.signal).then(onDone);
    // If the batch before fails, nobody waits for this one.
    this.#last.catch(() => undefined);
    await before;
  }

  /** Waits until the last batch is done. */
  end(): Promise<void> {
    return this.#last;
  }
}
