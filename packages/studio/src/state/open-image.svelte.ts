import { samples } from '../image/samples.js';
import type { Opened, Requests } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { Environment } from './environment.js';
import type { Runner } from './runner.svelte.js';

/** An image file and the name shown for it. */
interface ImageFile {
  readonly file: Blob;
  readonly title: string;
  /** The name of the sample; empty for a file of the user's own. */
  readonly sample: string;
}

interface Hooks {
  /** Called when an image has replaced the last one, with the name of its sample, or an empty string. */
  readonly onOpened: (sample: string) => void;
  /** Called when another page of the same stack is shown. */
  readonly onPage: () => void;
  /** Called when another version of the same image is shown. */
  readonly onChanged: (resized: boolean) => void;
  /** Called when an opening has ended, successfully or not, and no later one is in progress. */
  readonly onSettled: () => void;
}

/** A larger file is not kept, in bytes. */
const MOST_KEPT = 2 ** 28;

/** The open image, and the opening of another. If two are being opened, the later one counts. */
export class OpenImage {
  opened = $state.raw<Opened>();
  title = $state('');
  /** What was done to the picture, one text per version; the first is the picture as it was opened. */
  versions = $state.raw<readonly string[]>([]);
  /** The version that is open. */
  version = $state(0);
  /** The page of a stack that is wanted, from 0; the open one follows. */
  page = $state(0);
  /** Whether this browser keeps the user's image for the next visit. */
  kept = $state(false);
  #opening: Promise<void> | undefined;
  /** The number of openings requested so far, including those whose file has not arrived yet. */
  #asked = 0;
  #reopen: (n: number) => void = () => {};
  #paging: Promise<void> | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly environment: Pick<Environment, 'fetchSample' | 'kept'>,
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
      const file = await this.environment.fetchSample(sample.file);
      // The user may have chosen something else in the meantime.
      if (turn === this.#asked) await this.open({ file, title: sample.title, sample: sample.name });
    } catch (error) {
      if (turn !== this.#asked) return;
      const reason = error instanceof Error ? error.message : error;
      this.runner.notice = { message: `The sample could not be loaded (${reason}).` };
    }
  }

  /** Opens what a link names: a sample, or the file that this browser keeps. */
  async openLinked(name: string): Promise<void> {
    if (name !== '') return this.openSample(name);
    const turn = ++this.#asked;
    const file = await this.environment.kept.load();
    if (turn !== this.#asked) return;
    if (file) return this.open({ file, title: file.name, sample: '' });
    await this.openSample(samples[0].name);
    this.runner.notice ??= { message: 'The image of this link is not in this browser. Open or drop it here.' };
  }

  /** Erases the kept image from this browser; it stays open. */
  async forget(): Promise<void> {
    await this.environment.kept.erase();
    this.kept = false;
  }

  async #keep(file: Blob): Promise<void> {
    this.kept = false;
    if (!(file instanceof File) || file.size > MOST_KEPT) return;
    // A private window or a full disk: the image is then only open.
    this.kept = await this.environment.kept.save(file).then(
      () => true,
      () => false,
    );
  }

  /** Opens an image in place of the last one; with `reduce` n, each side is divided by n, if it would not fit otherwise. */
  async open(image: ImageFile, reduce = 1): Promise<void> {
    this.#asked++;
    this.runner.notice = undefined;
    const reopen = (n: number) => void this.open(image, n * reduce);
    const opening = this.runner.run(
      'open',
      async (signal) => {
        const ask = { file: image.file, reduce };
        // To the end: the worker holds either the old image or the new one, and the page must show the same.
        this.opened = await this.client.ask('open', ask, { signal, toTheEnd: true });
        this.title = image.title;
        this.#first();
        this.page = 0;
        this.#reopen = reopen;
        this.hooks.onOpened(image.sample);
        if (image.sample === '') void this.#keep(image.file);
      },
      reopen,
    );
    this.#opening = opening;
    await opening;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.hooks.onSettled();
  }

  #first(): void {
    this.versions = ['Opened'];
    this.version = 0;
  }

  /** Opens another page of a stack. While a slider moves, only its latest position is used. */
  showPage(at: number): Promise<void> {
    this.page = at;
    this.#paging ??= this.#showPages().finally(() => {
      this.#paging = undefined;
    });
    return this.#paging;
  }

  async #showPages(): Promise<void> {
    try {
      while (this.ready && this.opened && this.opened.page !== this.page) {
        const { opened } = this;
        const next = await this.client.ask('page', { at: this.page });
        if (opened !== this.opened) return;
        this.opened = next;
        this.#first();
        this.hooks.onPage();
      }
    } catch (error) {
      this.page = this.opened?.page ?? 0;
      this.runner.report(error);
    }
  }

  /** Makes a result, or a blur as an experiment, the picture. */
  add<K extends 'apply' | 'blur'>(kind: K, ask: Requests[K]['ask'], title: string): Promise<void> {
    const titles = [...this.versions.slice(0, this.version + 1), title];
    return this.#change(kind, ask, titles, titles.length - 1);
  }

  /** Goes back or forth to a version of the picture. */
  goTo(version: number): Promise<void> {
    return this.#change('version', { at: version }, this.versions, version);
  }

  async #change<K extends 'apply' | 'blur' | 'version'>(
    kind: K,
    ask: Requests[K]['ask'],
    titles: readonly string[],
    version: number,
  ): Promise<void> {
    const opening = this.runner.run('open', async (signal) => {
      const { opened, count } = await this.client.ask<'apply' | 'blur' | 'version'>(kind, ask, {
        signal,
        toTheEnd: true,
      });
      const resized = opened.width !== this.opened?.width || opened.height !== this.opened.height;
      this.opened = opened;
      // The worker may have dropped the oldest.
      this.versions = titles.slice(-count);
      this.version = version - (titles.length - this.versions.length);
      this.hooks.onChanged(resized);
    });
    this.#opening = opening;
    await opening;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.hooks.onSettled();
  }

  /** Reopens the image with each side divided by n. */
  reopen(n: number): void {
    this.#reopen(n);
  }

  /** A deviation in the units of the image: σ is chosen on an 8-bit scale, and a deeper image has larger units. */
  inputUnits(sigma: number): number {
    return (sigma * (this.opened?.peak ?? 255)) / 255;
  }
}
