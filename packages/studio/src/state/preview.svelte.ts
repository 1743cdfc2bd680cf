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
  /** Whether one is being computed. */
  busy = $state(false);
  #shown = $state.raw<Shown>();
  #running: AbortController | undefined;
  /** What is being computed. */
  #asked: Pick<Shown, 'key' | 'window'> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly runner: Runner,
    /** The plan; undefined if there is nothing to preview. */
    private readonly plan: () => PreviewPlan | undefined,
    /** Called when there is another preview. */
    private readonly onShown: () => void = () => {},
  ) {
    runner.watch({ onStart: () => this.#running?.abort(), onEnd: () => this.look() });
  }

  /** The preview with this key, of whatever window. */
  shown(key: string): WindowResult | undefined {
    return this.#shown?.key === key ? this.#shown.result : undefined;
  }

  /** Computes the preview once nothing has moved for a moment, unless it is there; the first one of a picture at once. */
  look(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(
      () => {
        if (this.runner.task) return;
        this.now().catch((error: unknown) => this.runner.report(error));
      },
      this.#shown || this.#running ? REST_MS : 0,
    );
  }

  /** Computes the preview at once, unless it is there or on its way. */
  async now(signal?: AbortSignal): Promise<void> {
    const plan = this.plan();
    if (plan && this.#running?.signal.aborted === false && same(this.#asked, plan)) return;
    this.#running?.abort();
    if (!plan || same(this.#shown, plan)) return;
    const { key, window } = plan;
    this.#asked = { key, window };
    const stop = new AbortController();
    this.#running = stop;
    this.busy = true;
    const abort = () => stop.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const result = await plan.ask(stop.signal);
      if (stop.signal.aborted) return;
      this.#shown = { key, window, result };
      this.onShown();
    } catch (error) {
      if (!(error instanceof RequestError && error.aborted)) throw error;
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', abort);
      if (this.#running === stop) {
        this.#running = undefined;
        this.busy = false;
      }
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

/** Whether a plan would show this again. */
function same(shown: Pick<Shown, 'key' | 'window'> | undefined, { key, window }: PreviewPlan): boolean {
  if (shown?.key !== key) return false;
  const { left, top, width, height } = shown.window;
  return left === window.left && top === window.top && width === window.width && height === window.height;
}
