import type { Rectangle } from 'ght';
import type { WindowResult } from '../worker/protocol.js';
import { RequestError } from './client.js';
import type { Runner } from './runner.svelte.js';

/** What a preview would show now. */
export interface PreviewPlan {
  /** Two plans with the same key and the same window have the same picture. */
  readonly key: string;
  readonly window: Rectangle;
  readonly ask: (signal: AbortSignal) => Promise<WindowResult>;
}

interface Shown {
  readonly key: string;
  readonly window: Rectangle;
  readonly result: WindowResult;
}

/** Settings and view must rest for this long before the visible part is computed. */
const REST_MS = 250;
/** Blocks of a JPEG with reduced chroma. */
const JPEG_BLOCK = 16;

/**
 * The visible part of the picture as the settings would make it. It follows settings and view, and it waits for every task: the
 * worker does one thing at a time.
 */
export class Preview {
  #shown = $state.raw<Shown>();
  #running: AbortController | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly runner: Runner,
    /** The plan; undefined if there is nothing to preview. */
    private readonly plan: () => PreviewPlan | undefined,
  ) {
    runner.watch({ onStart: () => this.#running?.abort(), onEnd: () => this.look() });
  }

  /** The preview with this key, of whatever window. */
  shown(key: string): WindowResult | undefined {
    return this.#shown?.key === key ? this.#shown.result : undefined;
  }

  /** Computes the preview once nothing has moved for a moment, unless it is there. */
  look(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.runner.task) return;
      this.now().catch((error: unknown) => this.runner.report(error));
    }, REST_MS);
  }

  /** Computes the preview at once, unless it is there. */
  async now(signal?: AbortSignal): Promise<void> {
    this.#running?.abort();
    const plan = this.plan();
    if (!plan) return;
    const { key, window } = plan;
    if (this.#shown?.key === key && same(this.#shown.window, window)) return;
    const stop = new AbortController();
    this.#running = stop;
    const abort = () => stop.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const result = await plan.ask(stop.signal);
      if (!stop.signal.aborted) this.#shown = { key, window, result };
    } catch (error) {
      if (!(error instanceof RequestError && error.aborted)) throw error;
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', abort);
      if (this.#running === stop) this.#running = undefined;
    }
  }

  /** Called when another image is opened. */
  clear(): void {
    this.#running?.abort();
    this.#shown = undefined;
  }
}

/**
 * The middle of the visible part, if all of it has more than `most` pixels. It begins with blocks of a JPEG, whose grid stays in
 * place.
 */
export function middleOf({ left, top, width, height }: Rectangle, most: number): Rectangle {
  if (width * height <= most) return { left, top, width, height };
  const side = Math.floor(Math.sqrt(most));
  const high = Math.min(height, Math.max(side, Math.floor(most / width)));
  const wide = Math.min(width, Math.floor(most / high));
  const along = (from: number, length: number, wanted: number) => {
    const first = from + Math.max(0, Math.floor((length - wanted) / 2));
    const start = Math.max(from, first - (first % JPEG_BLOCK));
    return [start, Math.min(from + length, start + wanted) - start] as const;
  };
  const [x, across] = along(left, width, wide);
  const [y, down] = along(top, height, high);
  return { left: x, top: y, width: across, height: down };
}

function same(a: Rectangle, b: Rectangle): boolean {
  return a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
}
