/** Bytes and buffers that are kept, at most. */
const [MOST_BYTES, MOST_BUFFERS] = [2 ** 29, 256];
/** How long they are kept after the last use, in milliseconds. */
const IDLE_MS = 5_000;

/**
 * Buffers that are no longer in use, kept for a while for the next request of the same size: a device takes milliseconds to
 * make one of many megabytes. They are taken with the contents they have. What was submitted before sees the old contents, since a
 * queue keeps its order.
 */
export class BufferPool {
  /** In the order of their last use, the oldest first. */
  readonly #buffers: GPUBuffer[] = [];
  #bytes = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly device: GPUDevice) {}

  /** A buffer with any contents. */
  take(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const at = this.#buffers.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    if (at < 0) return this.device.createBuffer({ size, usage });
    const [taken] = this.#buffers.splice(at, 1);
    this.#bytes -= size;
    return taken;
  }

  /** Keeps a buffer that is not mapped and no longer used. If there are too many then, the oldest are freed. */
  keep(buffer: GPUBuffer): void {
    this.#buffers.push(buffer);
    this.#bytes += buffer.size;
    while (this.#bytes > MOST_BYTES || this.#buffers.length > MOST_BUFFERS) this.#freeOldest();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.free(), IDLE_MS);
    // In Node, this timer must not keep a program from ending.
    (this.#idle as { unref?: () => void }).unref?.();
  }

  /** Frees all. */
  free(): void {
    clearTimeout(this.#idle);
    while (this.#buffers.length > 0) this.#freeOldest();
  }

  #freeOldest(): void {
    const oldest = this.#buffers.shift();
    this.#bytes -= oldest?.size ?? 0;
    oldest?.destroy();
  }
}
