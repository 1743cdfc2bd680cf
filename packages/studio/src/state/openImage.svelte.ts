import { samples } from '../image/samples.js';
import type { Settings } from '../settings/settings.js';
import type { Opened } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { Runner } from './runner.svelte.js';

/** An image file, with the name to show for it. */
interface ImageFile {
  readonly file: Blob;
  readonly title: string;
  /** The name of the sample that it is; empty for a file of the user's own. */
  readonly sample: string;
}

interface Hooks {
  /** Told when an image has taken the place of the last one; with the name of the sample that it is, or nothing. */
  readonly onOpened: (sample: string) => void;
  /** Told when an opening has ended, well or not, and no later one is under way. */
  readonly onSettled: () => void;
}

/** The image that is open, and the opening of another. Of two openings the later one counts. */
export class OpenImage {
  opened = $state.raw<Opened>();
  title = $state('');
  #opening: Promise<void> | undefined;
  /** The openings that were asked for so far, including those whose file has not come yet. */
  #asked = 0;
  #reopen: (n: number) => void = () => {};

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly fetchSample: (name: string) => Promise<Blob>,
    private readonly settings: () => Settings,
    private readonly hooks: Hooks,
  ) {}

  /** Whether an image is being opened. */
  get opening(): boolean {
    return this.#opening !== undefined;
  }

  /** Whether there is an image to work on. */
  get ready(): boolean {
    return this.opened !== undefined && !this.opening && !this.runner.lost;
  }

  /** Waits until no image is being opened. */
  async settled(): Promise<void> {
    while (this.#opening) await this.#opening;
  }

  /** Opens a sample by its name, or the first one where no sample has that name. */
  async openSample(name: string): Promise<void> {
    const sample = samples.find((each) => each.name === name) ?? samples[0];
    const turn = ++this.#asked;
    try {
      const file = await this.fetchSample(sample.name);
      // Whoever has chosen something else meanwhile wants that.
      if (turn === this.#asked) await this.open({ file, title: sample.title, sample: sample.name });
    } catch (error) {
      if (turn !== this.#asked) return;
      const reason = error instanceof Error ? error.message : error;
      this.runner.notice = { message: `The sample could not be loaded (${reason}).` };
    }
  }

  /** Opens an image in the place of the last one; with `reduce` n at an n-th of its size, where it would not fit otherwise. */
  async open(image: ImageFile, reduce = 1): Promise<void> {
    this.#asked++;
    this.runner.notice = undefined;
    const reopen = (n: number) => void this.open(image, n * reduce);
    const opening = this.runner.run(
      'open',
      async (signal) => {
        const ask = { file: image.file, reduce, settings: this.settings() };
        // To the end: the worker has either the one image or the other, and the page must show that.
        this.opened = await this.client.ask('open', ask, { signal, toTheEnd: true });
        this.title = image.title;
        this.#reopen = reopen;
        this.hooks.onOpened(image.sample);
      },
      reopen,
    );
    this.#opening = opening;
    await opening;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.hooks.onSettled();
  }

  /** Opens the image that is open once more, at an n-th of its size. */
  reopen(n: number): void {
    this.#reopen(n);
  }

  /** A deviation in the units of the image: σ is chosen on the scale of 8 bits, and a deeper image has larger units. */
  inputUnits(sigma: number): number {
    return (sigma * (this.opened?.peak ?? 255)) / 255;
  }
}
