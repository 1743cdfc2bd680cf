import { type Settings, sameDenoising } from '../settings/settings.js';
import type { Denoised, Layer } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { OpenImage } from './openImage.svelte.js';
import type { Runner } from './runner.svelte.js';

interface Noisy {
  readonly noise: number;
  readonly picture: Layer;
  /** Against the clean image; null if no noise was added. */
  readonly psnr: number | null;
}

/** The tab that adds noise and removes noise. */
export class Denoising {
  /** The image with the noise that was added last. */
  noisy = $state.raw<Noisy>();
  /** The position of the close-ups. @default slightly below the middle */
  closeUp = $state.raw<{ x: number; y: number }>();
  /** The image that the denoised one is compared with. */
  against = $state<'noisy' | 'original'>('noisy');
  #result = $state.raw<{ readonly settings: Settings; readonly denoised: Denoised }>();
  #addingNoise: Promise<void> | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
  ) {}

  /** The denoised image; one with other settings, or other noise, is not shown. */
  get denoised(): Denoised | undefined {
    return this.#result && sameDenoising(this.#result.settings, this.settings()) ? this.#result.denoised : undefined;
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
        const reply = await this.client.ask('noise', { noise: this.image.inputUnits(noise) });
        if (opened === this.image.opened) this.noisy = { noise, ...reply };
      }
    } catch (error) {
      this.runner.report(error);
    }
  }

  /** Denoises the image with its noise. */
  async run(): Promise<void> {
    await this.showNoise();
    // If an image is being opened by now, this ends, as the run would have.
    if (this.image.opening) return;
    const settings = this.settings();
    const { noise, sigma, strength, quality } = settings;
    await this.runner.run('denoise', async (signal) => {
      // The worker may replace a result of other settings without notifying the page, so it must not be shown again.
      if (!this.denoised) this.#result = undefined;
      const ask = {
        noise: this.image.inputUnits(noise),
        sigma: sigma === 'auto' ? sigma : this.image.inputUnits(sigma),
        strength,
        quality,
      };
      const onEvent = this.runner.progress.bind(this.runner);
      const denoised = await this.client.ask('denoise', ask, { signal, onEvent });
      this.#result = { settings, denoised };
    });
  }

  /** Called when another image is opened: there are no results for it yet. */
  clear(): void {
    this.noisy = undefined;
    this.closeUp = undefined;
    this.#result = undefined;
  }
}
