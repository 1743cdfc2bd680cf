import type { Refuse } from 'ght-images';
import { changed, checkRange, type LastingBytes } from './file-bytes.js';
import { type Answer, contentTag, requestBytes, unreachable } from './http-request.js';
import { checkAddress, refusingFor, type SourceOptions } from './source-options.js';

/** Small reads are answered from blocks of this size, since the directories of a file are read in small pieces. */
const BLOCK_BYTES = 2 ** 16;
/** Longer reads are not kept: samples are read once. */
const LONGEST_KEPT = 2 ** 19;
const BLOCKS_KEPT = 64;

/** Opens an address whose server answers with ranges. */
export async function openHttpBytes(url: string, options: SourceOptions): Promise<LastingBytes> {
  checkAddress(url, options);
  const source = new HttpBytes(url, options.timeout, refusingFor(url, options));
  await source.open(options.signal);
  return source;
}

class HttpBytes implements LastingBytes {
  size = 0;
  version = '';
  #tag = '';
  /** In the order of their last use. */
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #closing = new AbortController();

  constructor(
    readonly url: string,
    readonly timeout: number | undefined,
    readonly refuse: Refuse,
  ) {}

  /** Learns length and version, together with the first block. */
  async open(signal?: AbortSignal): Promise<void> {
    const answer = await this.#request(0, BLOCK_BYTES, signal);
    const { total } = rangeOf(answer.headers);
    if (answer.status !== 206 || !total) throw this.#noRanges();
    this.size = total;
    this.#tag = contentTag(answer.headers);
    this.version = answer.headers.get('etag') ?? `${total}-${answer.headers.get('last-modified') ?? ''}`;
    this.#keep(0, this.#checked(answer, 0, Math.min(BLOCK_BYTES, total)));
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    checkRange(offset, length, this.size, this.refuse);
    if (length > LONGEST_KEPT) return this.#fetch(offset, length, signal);
    const first = Math.floor(offset / BLOCK_BYTES);
    const count = Math.ceil((offset + length) / BLOCK_BYTES) - first;
    const blocks = Array.from({ length: count }, (_, i) => this.#blocks.get(first + i));
    const [from, to] = [blocks.indexOf(undefined), blocks.lastIndexOf(undefined)];
    if (from >= 0) {
      const start = (first + from) * BLOCK_BYTES;
      const end = Math.min((first + to + 1) * BLOCK_BYTES, this.size);
      const content = await this.#fetch(start, end - start, signal);
      // Copies, so that a block that is kept does not keep its neighbours.
      for (let i = from, at = 0; i <= to; i++, at += BLOCK_BYTES) blocks[i] = content.slice(at, at + BLOCK_BYTES);
    }
    const bytes = new Uint8Array(length);
    for (const [i, block] of blocks.entries()) {
      if (!block) continue;
      this.#keep(first + i, block);
      const at = (first + i) * BLOCK_BYTES - offset;
      bytes.set(block.subarray(Math.max(0, -at), Math.max(0, length - at)), Math.max(0, at));
    }
    return bytes;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#blocks.clear();
  }

  #keep(block: number, content: Uint8Array): void {
    this.#blocks.delete(block);
    this.#blocks.set(block, content);
    if (this.#blocks.size <= BLOCKS_KEPT) return;
    const [oldest] = this.#blocks.keys();
    this.#blocks.delete(oldest);
  }

  async #fetch(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const answer = await this.#request(offset, length, signal);
    const { total } = rangeOf(answer.headers);
    // 416: the content ends before the range now.
    const same = answer.status !== 416 && contentTag(answer.headers) === this.#tag;
    if (!same || (answer.status === 206 && total !== this.size)) throw changed(this.refuse);
    if (answer.status !== 206) throw this.#noRanges();
    return this.#checked(answer, offset, length);
  }

  /** The answer to a request for a range. The body is read only if it is a range, and only as far as that goes. */
  async #request(offset: number, length: number, signal?: AbortSignal): Promise<Answer> {
    const answer = await requestBytes(
      this.url,
      {
        headers: { Range: `bytes=${offset}-${offset + length - 1}` },
        most: ({ status }) => (status === 206 ? length : 0),
        timeout: this.timeout,
        signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
      },
      this.refuse,
    );
    if ([200, 206, 416].includes(answer.status)) return answer;
    throw unreachable(answer.status, this.refuse);
  }

  /** The bytes of an answer that is exactly the range. */
  #checked({ headers, bytes }: Answer, offset: number, length: number): Uint8Array {
    const { start, end } = rangeOf(headers);
    if (start === offset && end === offset + length - 1 && bytes.length === length) return bytes;
    const rule = `must be on a server that sends the ${length} bytes from byte ${offset} on, not ${bytes.length} bytes from byte ${start ?? 'unknown'} on`;
    throw this.refuse(rule, 'fetch the file first');
  }

  #noRanges() {
    return this.refuse('must be on a server that answers with ranges', 'fetch the file first');
  }
}

/** The numbers of a Content-Range header. */
function rangeOf(headers: Headers): { start?: number; end?: number; total?: number } {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '');
  const [start, end, total] = (match?.slice(1) ?? []).map(Number);
  return Number.isSafeInteger(total) ? { start, end, total } : {};
}
