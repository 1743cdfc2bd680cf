/** Words that the threads of a job share: 1 to stop all threads; the next piece of work to take; how much is done. */
export interface SharedWords {
  readonly stop: number;
  readonly next: number;
  readonly done: number;
}

/** Yields the numbers up to `count` that no other thread has claimed; ends early when all threads are to stop. */
export function* claimIndices(
  { layout, memory }: { readonly layout: SharedWords; readonly memory: WebAssembly.Memory },
  count: number,
): Generator<number> {
  const words = new Int32Array(memory.buffer);
  for (;;) {
    const n = Atomics.add(words, layout.next / 4, 1);
    if (n >= count || Atomics.load(words, layout.stop / 4) === 1) return;
    yield n;
  }
}
