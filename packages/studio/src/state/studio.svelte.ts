import { type EngineInfo, type SolverName, solverNames } from 'ght';
import { samples } from '../image/samples.js';
import { fromHash, fromJson, toHash } from '../settings/link.js';
import { type Settings, sameDenoising, sameRun } from '../settings/settings.js';
import type { Denoised, Event, Layer, Opened, Readings, Slot } from '../worker/protocol.js';
import { Client, RequestError } from './client.js';
import { PatchLook } from './patchLook.svelte.js';

/** What went wrong, and the one thing that can be done about it here. */
export interface Notice {
  readonly message: string;
  readonly remedy?: { readonly title: string; readonly act: () => void };
}

/** What is being worked on. */
export type Task = 'open' | 'represent' | 'compare' | 'denoise' | 'codes';

/** Nothing yet; a result of older settings; a preview, reduced or at full size; the result itself. */
export type ResultStage = 'none' | 'stale' | 'coarse' | 'preview' | 'final';

/** A preview that takes longer than this is stale when the slider has moved on. */
const PATIENCE_MS = 1000;

/** Up to so many samples six solvers take a few seconds, and a comparison need not be asked for twice. */
const QUICK_SAMPLES = 3e6;

/** The state of the page, and the only one who asks the worker. */
export class Studio {
  settings = $state.raw<Settings>(fromHash(location.hash));
  opened = $state.raw<Opened>();
  fileName = $state('');
  pictures = $state.raw<Partial<Record<Slot, Layer>>>({});
  readings = $state.raw<Partial<Record<Slot, Readings>>>({});
  /** How far the result on show is what the settings ask for. */
  stage = $state<ResultStage>('none');
  /** The settings that the comparison on show was made with. */
  compared = $state.raw<Settings>();
  /** The solvers of the comparison under way that are done; the other rows are of the last one. */
  arrived = $state.raw<ReadonlySet<Slot>>(new Set());
  points = $state.raw<readonly { k: number; rmse: number }[]>([]);
  denoised = $state.raw<Denoised>();
  /** Where the close-ups of denoising look; the middle unless told. */
  closeUp = $state.raw<{ x: number; y: number }>();
  /** What the denoised image is held against. */
  against = $state<'noisy' | 'original'>('noisy');
  noisyPsnr = $state<number | null>(null);
  task = $state<Task>();
  fraction = $state(0);
  doing = $state('');
  notice = $state.raw<Notice>();
  memory = $state<number>();
  /** Rises whenever a kept result changes, for whoever draws from it. */
  version = $state(0);

  /** What will run, before anything has. */
  probed = $state.raw<EngineInfo>();

  readonly #client = new Client(
    () => new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' }),
    (message) => this.#lost(message),
  );
  /** The look inside a patch. */
  readonly patch = new PatchLook(this.#client);
  /** Opens the image that is open once more, at an n-th of its size. */
  #openReduced: (n: number) => void = () => {};
  #running: AbortController | undefined;
  /** The opening that is under way, and how many were asked for: of two the later one counts. */
  #opening: Promise<void> | undefined;
  #openings = 0;
  /** Set when the worker has died, and with it the image: nothing can be done before that is opened again. */
  #dead: Notice | undefined;
  /** What the noisy picture on show was made of, and whether another is being made. */
  #noisyOf: { readonly opened: Opened; readonly noise: number } | undefined;
  #addingNoise = false;
  /** The run whose first picture is still to come, and whether the settings have moved on since. */
  #live: { readonly since: number; overtaken: boolean } | undefined;

  constructor() {
    // Nothing depends on it: a badge without an answer says so.
    this.#client.ask('engine', null).then(
      (engine) => {
        this.probed = engine;
      },
      () => {},
    );
  }

  /** Everything there is to ask, for parts of the page that draw. */
  get ask() {
    return this.#client.ask.bind(this.#client);
  }

  /** Takes new settings and does what they ask for. While an image is being opened they wait for it. */
  set(change: Partial<Settings>): void {
    const before = this.settings;
    this.settings = { ...before, ...change };
    this.#writeHash();
    if (!this.opened) return;
    const { tab } = this.settings;
    const another = !sameRun(before, this.settings);
    if (another) {
      this.patch.close();
      if (this.stage === 'final') this.stage = 'stale';
    }
    const otherwise = !sameDenoising(before, this.settings);
    if (otherwise) this.#dropDenoised();
    // An opening that fails leaves what is on show, which must not pass for what is asked for now.
    if (this.#opening || this.#dead) return;
    if (another || otherwise || before.tab !== tab) this.notice = undefined;
    if (before.tab !== tab) this.#enterTab();
    else if (another && tab === 'represent') this.#runNewest();
    else if (before.noise !== this.settings.noise && tab === 'denoise') void this.showNoise();
    if (another || before.tab !== tab || before.quality !== this.settings.quality) void this.#estimate();
  }

  /** Opens a sample by its name, or starts with the one of the link. */
  async openSample(name: string): Promise<void> {
    const sample = samples.find((each) => each.name === name) ?? samples[0];
    const turn = ++this.#openings;
    try {
      const response = await fetch(new URL(`samples/${sample.name}.png`, document.baseURI));
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      const file = await response.blob();
      // Whoever has chosen something else meanwhile wants that.
      if (turn === this.#openings) await this.#open(file, sample.title, sample.name, 1);
    } catch (error) {
      if (turn !== this.#openings) return;
      this.notice = { message: `The sample could not be loaded (${error instanceof Error ? error.message : error}).` };
    }
  }

  /** Opens whatever file was dropped or chosen: an image, codes, or saved settings. */
  async openFile(file: File): Promise<void> {
    if (/\.npz$/i.test(file.name)) return this.#openCodes(file);
    if (/\.json$/i.test(file.name)) {
      const settings = fromJson(await file.text());
      if (!settings) this.notice = { message: `${file.name} holds no settings of the studio.` };
      else await this.restore(settings);
      return;
    }
    await this.#open(file, file.name, '', 1);
  }

  /** Takes the settings of a link or a file, and their sample with them. */
  async restore(settings: Settings): Promise<void> {
    const image = settings.image || this.settings.image;
    if (image === this.settings.image) return this.set({ ...settings, image });
    this.settings = { ...settings, image };
    await this.openSample(image);
  }

  /** Opens an image in the place of the last one; `reduce` n at an n-th of its size, where it would not fit otherwise. */
  async #open(file: Blob, name: string, sample: string, reduce: number): Promise<void> {
    this.#openings++;
    this.notice = undefined;
    const open = (n: number) => void this.#open(file, name, sample, n * reduce);
    const opening = this.#work(
      'open',
      async (signal) => {
        const ask = { file, reduce, settings: this.settings };
        // To the end: the worker has either the one image or the other, and the page must show that.
        const opened = await this.#client.ask('open', ask, { signal, toTheEnd: true });
        this.#openReduced = open;
        this.#dead = undefined;
        this.fileName = name;
        this.patch.close();
        this.compared = undefined;
        this.closeUp = undefined;
        this.#dropDenoised();
        this.#noisyOf = undefined;
        this.noisyPsnr = null;
        this.stage = 'none';
        this.readings = {};
        this.points = [];
        this.opened = opened;
        this.pictures = { original: opened.picture };
        this.settings = { ...this.settings, image: sample };
        this.#writeHash();
      },
      open,
    );
    this.#opening = opening;
    await opening;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    // Also after one that failed: the settings may have changed meanwhile, and what was under way has ended.
    if (!this.opened || this.#dead) return;
    void this.#estimate();
    this.#enterTab();
  }

  /** What a run under these settings needs; nothing is said where it would be refused, for the run says it. */
  async #estimate(): Promise<void> {
    const { settings } = this;
    const estimate = await this.#client.ask('estimate', { settings }).catch(() => undefined);
    if (settings === this.settings) this.memory = estimate?.bytes;
  }

  #writeHash(): void {
    history.replaceState(null, '', `${location.pathname}${location.search}${toHash(this.settings)}`);
  }

  async #openCodes(file: File): Promise<void> {
    await this.#opening;
    this.notice = undefined;
    if (this.settings.tab !== 'represent') this.set({ tab: 'represent' });
    const { settings } = this;
    await this.#work('codes', async (signal) => {
      let shown = false;
      const onEvent = (event: Event) => {
        this.#receive(event, settings);
        shown ||= event.kind === 'shown';
      };
      try {
        await this.#client.ask('readCodes', { file, settings }, { signal, onEvent });
      } catch (error) {
        // A cancel may have come when the worker had taken them and the page had not yet heard of it.
        if (signal.aborted && !shown && this.stage === 'final') this.stage = 'stale';
        throw error;
      }
    });
  }

  #enterTab(): void {
    const { tab } = this.settings;
    this.patch.close();
    if (tab === 'represent' && this.stage !== 'final') this.#runNewest();
    else if (tab !== 'represent' && this.task === 'represent') this.cancel();
    if (tab === 'denoise' && this.#noisyIsOld) void this.showNoise();
    if (tab === 'compare' && !this.compared && this.#samples <= QUICK_SAMPLES) void this.compare();
  }

  /** Starts with the newest settings; a preview on its way is let through, or a moving slider would never show one. */
  #runNewest(): void {
    const live = this.#live;
    if (live && performance.now() - live.since < PATIENCE_MS) live.overtaken = true;
    else void this.#represent();
  }

  async #represent(): Promise<void> {
    const settings = this.settings;
    const live = { since: performance.now(), overtaken: false };
    const seen = () => {
      if (this.#live !== live) return;
      this.#live = undefined;
      if (live.overtaken) void this.#represent();
    };
    await this.#work('represent', async (signal) => {
      this.#live = live;
      this.points = [];
      const onEvent = (event: Event) => {
        this.#receive(event, settings);
        if (event.kind === 'preview' || event.kind === 'shown') seen();
      };
      await this.#client.ask('represent', { settings, live: true }, { signal, onEvent });
    });
    seen();
  }

  /** Solves again what was cancelled. */
  solve(): void {
    this.notice = undefined;
    this.#runNewest();
  }

  /** Runs every solver under the budget. */
  async compare(): Promise<void> {
    await this.#opening;
    this.notice = undefined;
    const settings = this.settings;
    this.patch.close();
    await this.#work('compare', async (signal) => {
      this.arrived = new Set();
      this.compared = settings;
      try {
        await this.#client.ask('compare', { settings }, { signal, onEvent: (event) => this.#receive(event, settings) });
      } catch (error) {
        if (this.compared === settings) this.#dropRows((slot) => !this.arrived.has(slot));
        throw error;
      }
    });
  }

  /** Rows of the comparison before do not belong beside those of one that was cancelled. */
  #dropRows(old: (slot: SolverName) => boolean): void {
    const [readings, pictures] = [{ ...this.readings }, { ...this.pictures }];
    for (const slot of solverNames.filter(old)) {
      delete readings[slot];
      delete pictures[slot];
    }
    this.readings = readings;
    this.pictures = pictures;
  }

  get #noisyIsOld(): boolean {
    return this.#noisyOf?.opened !== this.opened || this.#noisyOf?.noise !== this.settings.noise;
  }

  /** Shows the image with its noise, before anything is done about it; of a moving slider the newest position only. */
  async showNoise(): Promise<void> {
    if (this.#addingNoise) return;
    this.#addingNoise = true;
    try {
      while (this.opened && !this.#opening && !this.#dead && this.#noisyIsOld) {
        const { opened } = this;
        const { noise } = this.settings;
        const { picture, psnr } = await this.#client.ask('noise', { noise: this.inputUnits(noise) });
        if (opened !== this.opened) continue;
        this.#noisyOf = { opened, noise };
        this.noisyPsnr = psnr;
        this.pictures = { ...this.pictures, noisy: picture };
        this.version++;
      }
    } catch (error) {
      this.#report(error);
    } finally {
      this.#addingNoise = false;
    }
  }

  /** A denoised image of other settings, or of another noise, is neither shown nor waited for. */
  #dropDenoised(): void {
    if (this.task === 'denoise') this.cancel();
    this.denoised = undefined;
    const { denoised: _, ...others } = this.pictures;
    this.pictures = others;
  }

  async denoise(): Promise<void> {
    await this.#opening;
    this.notice = undefined;
    await this.showNoise();
    const { noise, sigma, quality } = this.settings;
    await this.#work('denoise', async (signal) => {
      const ask = {
        noise: this.inputUnits(noise),
        sigma: sigma === 'auto' ? sigma : this.inputUnits(sigma),
        quality,
      };
      const onEvent = (event: Event) => this.#receive(event, this.settings);
      const denoised = await this.#client.ask('denoise', ask, { signal, onEvent });
      this.denoised = denoised;
      this.pictures = { ...this.pictures, denoised: denoised.picture };
      this.version++;
    });
  }

  /** Samples of all patches: what the time of a run grows with. */
  get #samples(): number {
    if (!this.opened) return 0;
    const { width, height, channels } = this.opened;
    return width * height * channels * (8 / this.settings.stride) ** 2;
  }

  /** σ is chosen on the scale of 8 bits; a deeper image has larger units. */
  inputUnits(sigma: number): number {
    return (sigma * (this.opened?.peak ?? 255)) / 255;
  }

  /** Looks inside the patch at a pixel. */
  async inspect(x: number, y: number, slot: Slot): Promise<void> {
    await this.patch.look({ x, y, slot }).catch((error: unknown) => this.#report(error));
  }

  /** Stops what is being worked on, at once for the page and as soon as it breathes for the worker. */
  cancel(): void {
    this.#live = undefined;
    this.#running?.abort();
    this.#running = undefined;
    this.task = undefined;
  }

  /** One task at a time: a new one ends the last. */
  async #work(task: Task, run: (signal: AbortSignal) => Promise<unknown>, reopen = this.#openReduced): Promise<void> {
    if (this.#dead && task !== 'open') {
      this.notice = this.#dead;
      return;
    }
    this.#live = undefined;
    this.#running?.abort();
    const stop = new AbortController();
    this.#running = stop;
    this.task = task;
    this.fraction = 0;
    this.doing = '';
    try {
      await run(stop.signal);
    } catch (error) {
      this.#report(error, reopen);
    } finally {
      if (this.#running === stop) {
        this.#running = undefined;
        this.task = undefined;
      }
    }
  }

  #report(error: unknown, reopen = this.#openReduced): void {
    if (error instanceof RequestError && error.aborted) return;
    if (this.#dead) {
      this.notice = this.#dead;
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    const reduce = error instanceof RequestError ? error.reduce : undefined;
    const remedy = reduce && { title: `Open at 1/${reduce} of its size`, act: () => reopen(reduce) };
    this.notice = { message, ...(remedy ? { remedy } : {}) };
  }

  /** Takes what is told of a run that was asked for under these settings, which may no longer be those of the page. */
  #receive(event: Event, settings: Settings): void {
    if (event.kind === 'progress') {
      this.fraction = event.fraction;
      this.doing = event.doing ?? '';
      const { k, rmse } = event;
      if (k === undefined || rmse === undefined || k === this.points.at(-1)?.k) return;
      // A search for a target starts over with every budget it tries.
      this.points = k < (this.points.at(-1)?.k ?? 0) ? [{ k, rmse }] : [...this.points, { k, rmse }];
      return;
    }
    if (event.kind === 'ssim') {
      const readings = this.readings[event.slot];
      if (readings) this.readings = { ...this.readings, [event.slot]: { ...readings, ssim: event.ssim } };
      return;
    }
    const slot = event.kind === 'shown' ? event.slot : 'result';
    this.pictures = { ...this.pictures, [slot]: event.picture };
    this.readings = { ...this.readings, [slot]: event.readings };
    this.arrived = new Set([...this.arrived, slot]);
    if (slot === 'result') this.stage = stageOf(event, sameRun(settings, this.settings));
    if (slot === 'result' && event.kind === 'shown') this.points = event.readings.history;
    this.version++;
  }

  /** The worker died, most likely of memory: everything it held is opened again when asked for. */
  #lost(message: string): void {
    this.task = undefined;
    const remedy = { title: 'Open the image again', act: () => this.#openReduced(1) };
    this.#dead = { message, ...(this.opened ? { remedy } : {}) };
    this.notice = this.#dead;
  }
}

/** How near a picture that has come is to what is asked for. */
function stageOf(event: Extract<Event, { readonly picture: Layer }>, asked: boolean): ResultStage {
  if (event.kind === 'shown') return asked ? 'final' : 'stale';
  return event.coarse ? 'coarse' : 'preview';
}
