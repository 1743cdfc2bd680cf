import type { Rectangle } from 'ght';
import { type Settings, sameDenoising } from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';
import type { DenoiseAsk, Denoised, Event, PlacedLayer } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { OpenImage } from './open-image.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

interface Noisy {
  readonly noise: number;
  readonly picture: Layer;
  /** Against the clean image; null if no noise was added. */
  readonly psnr: number | null;
}

/** A part of the image that was denoised alone, with these settings. */
interface Preview {
  readonly settings: Settings;
  readonly window: Rectangle;
  readonly part: PlacedLayer;
}

/** Above this many pixels the whole image takes so long that the visible part is denoised first. */
const LARGE_PIXELS = 2e6;
/** The view must rest for this long before its part is denoised. */
const REST_MS = 250;
/** The side of the part that is denoised first, in pixels: about a second of work. */
const MOST_SIDE = 640;
/** Blocks of a JPEG with reduced chroma. */
const JPEG_BLOCK = 16;

/** The tab that removes noise and, as an experiment, adds noise. */
export class Denoising {
  /** The image with the noise that was added last. */
  noisy = $state.raw<Noisy>();
  /** The position of the close-ups. @default slightly below the middle */
  closeUp = $state.raw<{ x: number; y: number }>();
  /** The image that the denoised one is compared with. */
  against = $state<'noisy' | 'original'>('noisy');
  #result = $state.raw<{ readonly settings: Settings; readonly denoised: Denoised }>();
  #tiles = $state.raw<{ readonly settings: Settings; readonly parts: readonly PlacedLayer[] }>();
  #preview = $state.raw<Preview>();
  #addingNoise: Promise<void> | undefined;
  /** The part of the image that is visible. */
  #view: Rectangle | undefined;
  #previewing: AbortController | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
    private readonly similarity: Similarity,
  ) {}

  /** The denoised image; one with other settings, or other noise, is not shown. */
  get denoised(): Denoised | undefined {
    return this.#result && sameDenoising(this.#result.settings, this.settings()) ? this.#result.denoised : undefined;
  }

  /** The parts that are denoised already, while the whole is not: the preview, and the tiles over it. */
  get parts(): readonly PlacedLayer[] {
    if (this.denoised) return [];
    const current = (of: Settings | undefined) => of !== undefined && sameDenoising(of, this.settings());
    const preview = current(this.#preview?.settings) && this.#preview ? [this.#preview.part] : [];
    return [...preview, ...(current(this.#tiles?.settings) ? (this.#tiles?.parts ?? []) : [])];
  }

  /** Whether the visible part is denoised before the whole. */
  get large(): boolean {
    const { width = 0, height = 0 } = this.image.opened ?? {};
    return width * height > LARGE_PIXELS;
  }

  /** Shows the image with its noise before it is denoised. While a slider moves, only its latest position is used. */
  showNoise(): Promise<void> {
    this.#addingNoise ??= this.#addNoise().finally(() => {
      this.#addingNoise = undefined;
    });
    return this.#addingNoise;
  }

  async #addNoise(): Promise<void> {
    try {
      while (this.image.ready && this.noisy?.noise !== this.settings().noise) {
        const { opened } = this.image;
        const { noise } = this.settings();
        if (noise === 0) {
          this.noisy = opened && { noise, picture: opened.picture, psnr: null };
        } else {
          const reply = await this.client.ask('noise', this.#ask());
          if (opened === this.image.opened) this.noisy = { noise, ...reply };
        }
      }
      this.#look();
    } catch (error) {
      this.runner.report(error);
    }
  }

  /** Called when the visible part of the image has changed. */
  viewed(view: Rectangle): void {
    this.#view = middleOf(view);
    this.#look();
  }

  /** Called when the settings have changed: the preview is of others. */
  changed(): void {
    this.#look();
  }

  /** Denoises the visible part of a large image, once the view rests, unless it is denoised already. */
  #look(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.settings().tab !== 'denoise' || this.runner.task || !this.image.ready || this.denoised) return;
      this.#previewing?.abort();
      const stop = new AbortController();
      this.#previewing = stop;
      this.#denoiseView(stop.signal).catch((error: unknown) => this.runner.report(error));
    }, REST_MS);
  }

  async #denoiseView(signal: AbortSignal): Promise<void> {
    const settings = this.settings();
    const window = this.#view;
    const { opened } = this.image;
    if (!window || !this.large) return;
    const known = this.#preview;
    if (known && sameDenoising(known.settings, settings) && same(known.window, window)) return;
    const part = await this.client.ask('denoiseWindow', { ...this.#ask(), window }, { signal });
    if (opened === this.image.opened) this.#preview = { settings, window, part };
  }

  #ask(): DenoiseAsk {
    const { engine, noise, sigma, strength, strengthChroma, quality } = this.settings();
    const units = (deviation: number) => this.image.inputUnits(deviation);
    return {
      noise: units(noise),
      sigma: sigma === 'auto' ? sigma : units(sigma),
      ...{ engine, strength, strengthChroma, quality },
    };
  }

  /** Denoises the image, with the noise of the experiment if there is one; the visible part of a large image first. */
  async run(): Promise<void> {
    await this.showNoise();
    // If an image is being opened by now, this ends, as the run would have.
    if (this.image.opening) return;
    const settings = this.settings();
    await this.runner.run('denoise', async (signal) => {
      this.#previewing?.abort();
      this.similarity.drop('denoised');
      // The worker may replace a result of other settings without notifying the page, so it must not be shown again.
      if (!this.denoised) this.#result = undefined;
      await this.#denoiseView(signal);
      this.#tiles = { settings, parts: [] };
      const onEvent = (event: Event) => {
        this.runner.progress(event);
        if (event.kind === 'tile') this.#tiles = { settings, parts: [...(this.#tiles?.parts ?? []), event.part] };
      };
      try {
        const denoised = await this.client.ask('denoise', this.#ask(), { signal, onEvent });
        this.#result = { settings, denoised };
        if (denoised.psnr !== null) this.similarity.want('denoised');
      } finally {
        this.#tiles = undefined;
      }
    });
  }

  /** Called when another image is opened: there are no results for it yet. */
  clear(): void {
    this.#previewing?.abort();
    this.noisy = undefined;
    this.closeUp = undefined;
    this.#result = undefined;
    this.#preview = undefined;
    this.#view = undefined;
  }
}

/** The middle of the visible part, if all of it would take too long. It begins with blocks of a JPEG, whose grid stays in place. */
function middleOf({ left, top, width, height }: Rectangle): Rectangle {
  const along = (from: number, length: number) => {
    const first = from + Math.max(0, Math.floor((length - MOST_SIDE) / 2));
    const start = first - (first % JPEG_BLOCK);
    return [start, Math.min(from + length, start + MOST_SIDE) - start] as const;
  };
  const [x, wide] = along(left, width);
  const [y, high] = along(top, height);
  return { left: x, top: y, width: wide, height: high };
}

function same(a: Rectangle, b: Rectangle): boolean {
  return a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
}
