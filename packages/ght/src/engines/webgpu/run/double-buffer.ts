import type { Batch, Gpu } from '../gpu.js';

/**
 * Runs batches one after the other. While one runs, the next is already submitted, so the GPU does not wait for this thread. An abort
 * stops the work after these two at the latest.
 */
export class DoubleBuffer {
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
    // If the batch before fails, nothing else handles a rejection of this one.
    this.#last.catch(() => undefined);
    await before;
  }

  /** Waits until the last batch is done. */
  end(): Promise<void> {
    return this.#last;
  }
}
