/**
 * The memory of the problem solved last, kept for a moment for the next one. A new memory costs more than it seems: the system
 * zeroes each of its pages when it is first written, and the host collects garbage because so much memory has been allocated. For small
 * budgets that took a third of the time. No result depends on it.
 */

/** How long it is kept, in milliseconds. */
const KEPT_MS = 1000;
/** The largest memory that is kept, in bytes. */
const MOST_KEPT = 2 ** 28;

let spare: WebAssembly.Memory | undefined;
let release: ReturnType<typeof setTimeout> | undefined;

/** A memory that is no longer in use, if there is one. Its contents are those of an earlier problem. */
export function takeSpare(): WebAssembly.Memory | undefined {
  const memory = spare;
  spare = undefined;
  clearTimeout(release);
  return memory;
}

/** Keeps a memory that nothing uses any more, and which threads do not share. */
export function keepSpare(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength > MOST_KEPT) return;
  takeSpare();
  spare = memory;
  release = setTimeout(takeSpare, KEPT_MS);
  // It does not keep the process alive.
  (release as { unref?: () => void }).unref?.();
}
