import type { Rectangle } from 'ght';
import { denoisingKeys, type Settings, sameDenoising } from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';
import type { DenoiseAsk, Denoised, Event, PlacedLayer, WindowResult } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { OpenImage } from './open-image.svelte.js';
import type { PastResults } from './past-results.svelte.js';
import { middleOf, Preview, type PreviewPlan } from './preview.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

interface Noisy {
  readonly noise: number;
  readonly picture: Layer;
  /** Against the clean image; null if no noise was added. */
  readonly psnr: number | null;
}

/** A denoised image, and what it was asked for. */
interface Result {
  readonly settings: Settings;
  readonly denoised: Denoised;
}

/** The pages of a stack that are denoised, by their numbers, without their pictures. */
interface Series {
  readonly settings: Settings;
  readonly pages: ReadonlyMap<number, Omit<Denoised, 'picture'>>;
}

/** Above this many pixels the whole image takes so long that the visible part is denoised first. */
const LARGE_PIXELS = 2e6;
/** Up to the first number of pixels an image is previewed as a whole; of a larger one the second number is, which takes about a second. */
const [SMALL_PIXELS, PREVIEW_PIXELS] = [700 ** 2, 512 ** 2];

/** The tab that removes noise and, as an experiment, adds noise. */
export class Denoising {
  /** The image with the noise that was added last. */
  noisy = $state.raw<Noisy>();
  /** The position of the close-ups. @default slightly below the middle */
  closeUp = $state.raw<{ x: number; y: number }>();
  /** The image that the denoised one is compared with. */
  against = $state<'noisy' | 'original'>('noisy');
  #result = $state.raw<Result>();
  #tiles = $state.raw<{ readonly settings: Settings; readonly parts: readonly PlacedLayer[] }>();
  #series = $state.raw<Series>();
  /** Whether a series has begun for this stack: the first one begins by itself. */
  #begun = false;
  #addingNoise: Promise<void> | undefined;
  /** The part of the image that is visible. */
  #view: Rectangle | undefined;
  readonly #preview: Preview;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
    private readonly similarity: Similarity,
    private readonly past: PastResults,
  ) {
    this.#preview = new Preview(
      runner,
      () => this.#plan(),
      () => this.#beginSeries(),
    );
  }

  /** The last denoised image, which stays until another replaces it; see {@link stale}. One with other noise is not shown. */
  get denoised(): Denoised | undefined {
    return this.#result?.settings.noise === this.settings().noise ? this.#result.denoised : undefined;
  }

  /** Whether the denoised image is of older settings. */
  get stale(): boolean {
    return this.#result !== undefined && !sameDenoising(this.#result.settings, this.settings());
  }

  /** The denoised image of these settings. */
  get current(): Denoised | undefined {
    return this.stale ? undefined : this.denoised;
  }

  /** Whether the image is denoised together with the other pages of its stack. */
  get inSeries(): boolean {
    return (this.image.opened?.pages ?? 1) > 1 && this.settings().noise === 0;
  }

  /** Whether all that is saved is denoised with these settings: the image, or all pages of a stack. */
  get complete(): boolean {
    if (!this.inSeries) return this.current !== undefined;
    return this.#series?.pages.size === this.image.opened?.pages && this.current !== undefined;
  }

  /** Which pages of the stack are denoised. */
  get pagesDone(): number {
    return this.#series?.pages.size ?? 0;
  }

  /** What the visible part would become with these settings, if the whole is not there. */
  get preview(): WindowResult | undefined {
    return this.current ? undefined : this.#preview.shown(keyOf(this.settings()));
  }

  /** Whether a preview is being computed. */
  get previewing(): boolean {
    return this.#preview.busy;
  }

  /** The parts that are denoised already, while the whole is not: the preview, and the tiles over it. */
  get parts(): readonly PlacedLayer[] {
    if (this.current) return [];
    const tiles = this.#tiles && sameDenoising(this.#tiles.settings, this.settings()) ? this.#tiles.parts : [];
    return [...(this.preview ? [this.preview] : []), ...tiles];
  }

  /** What was found in the noise: of the result, or of the preview. */
  get found(): Pick<Denoised, 'looks' | 'messages' | 'changed'> | undefined {
    return this.current ?? this.preview?.found;
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
      this.#preview.look();
    } catch (error) {
      this.runner.report(error);
    }
  }

  /** Called when the visible part of the image has changed. */
  viewed(view: Rectangle): void {
    this.#view = view;
    this.#preview.look();
  }

  /** Called when the settings have changed: the preview is of others. */
  changed(): void {
    this.#preview.look();
  }

  /** The visible part, unless the whole is denoised already. */
  #plan(): PreviewPlan | undefined {
    const settings = this.settings();
    if (settings.tab !== 'denoise' || !this.image.ready || this.current || !this.#view) return undefined;
    if (this.noisy?.noise !== settings.noise) return undefined;
    // Its picture is on its way.
    if (this.#series && sameDenoising(this.#series.settings, settings) && this.#series.pages.has(this.image.page))
      return undefined;
    const { width = 0, height = 0 } = this.image.opened ?? {};
    const window = middleOf(this.#view, width * height <= SMALL_PIXELS ? SMALL_PIXELS : PREVIEW_PIXELS);
    const ask = (signal: AbortSignal) => this.client.ask('denoiseWindow', { ...this.#ask(), window }, { signal });
    return { key: keyOf(settings), window, ask };
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
    if (this.inSeries) return this.#runSeries(settings);
    await this.runner.run('denoise', async (signal) => {
      this.similarity.drop('denoised');
      const { opened } = this.image;
      const { width = 0, height = 0 } = opened ?? {};
      if (width * height > LARGE_PIXELS) await this.#preview.now(signal);
      this.#tiles = { settings, parts: [] };
      const onEvent = (event: Event) => {
        this.runner.progress(event);
        if (event.kind === 'tile') this.#tiles = { settings, parts: [...(this.#tiles?.parts ?? []), event.part] };
      };
      try {
        // To the end: after a cancel that comes too late, the worker holds the new result, and the page must show the same.
        const denoised = await this.client.ask('denoise', this.#ask(), { signal, onEvent, toTheEnd: true });
        if (opened !== this.image.opened) return;
        this.#result = { settings, denoised };
        this.past.add('denoise', settings, denoised.picture);
        if (denoised.psnr !== null) this.similarity.want('denoised');
      } finally {
        if (this.#tiles?.settings === settings) this.#tiles = undefined;
      }
    });
  }

  /** A stack is denoised in the background, once the first preview is there. */
  #beginSeries(): void {
    if (!this.inSeries || this.#begun) return;
    this.#begun = true;
    void this.run();
  }

  async #runSeries(settings: Settings): Promise<void> {
    this.#begun = true;
    await this.runner.run('denoise', async (signal) => {
      this.#series = { settings, pages: new Map() };
      const onEvent = (event: Event) => {
        this.runner.progress(event);
        if (event.kind !== 'page' || this.#series?.settings !== settings) return;
        this.#series = { settings, pages: new Map([...this.#series.pages, [event.page, event.denoised]]) };
        if (event.page === this.image.opened?.page) void this.#showDenoised();
      };
      await this.client.ask('denoiseSeries', this.#ask(), { signal, onEvent, toTheEnd: true });
    });
  }

  /** Fetches the picture of the open page, if it is denoised. */
  async #showDenoised(): Promise<void> {
    const { opened } = this.image;
    const series = this.#series;
    const found = series?.pages.get(opened?.page ?? 0);
    if (!series || !found) return;
    // It fails if another series has begun, whose page follows.
    const picture = await this.client.ask('picture', { slot: 'denoised' }).catch(() => undefined);
    if (!picture || opened !== this.image.opened || series.settings !== this.#series?.settings) return;
    this.#result = { settings: series.settings, denoised: { ...found, picture } };
  }

  /** Called when another page of the stack is open. */
  paged(): void {
    this.#preview.clear();
    this.noisy = undefined;
    this.#result = undefined;
    void this.#showDenoised();
  }

  /** Called when another image is opened: there are no results for it yet. */
  clear(): void {
    this.#preview.clear();
    this.noisy = undefined;
    this.closeUp = undefined;
    this.#result = undefined;
    this.#series = undefined;
    this.#begun = false;
  }
}

/** Two settings with the same key request the same denoising. */
function keyOf(settings: Settings): string {
  return JSON.stringify(denoisingKeys.map((key) => settings[key]));
}
