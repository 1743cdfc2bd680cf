import type { EngineInfo, Rectangle } from 'ght';
import { exampleFor, isClean, samples } from '../image/samples.js';
import { fromJson } from '../settings/link.js';
import {
  restoredTitles,
  type Settings,
  sameDenoising,
  sameMemory,
  sameRun,
  usualNoise,
  type View,
  wholeImage,
} from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';
import type { Readings, ResultSlot, Slot } from '../worker/protocol.js';
import { Address } from './address.js';
import { Client } from './client.js';
import { Comparing } from './comparing.svelte.js';
import { Denoising } from './denoising.svelte.js';
import type { Environment } from './environment.js';
import { Machine } from './machine.svelte.js';
import { OpenImage } from './open-image.svelte.js';
import { PastResults } from './past-results.svelte.js';
import { PatchLook } from './patch-look.svelte.js';
import { Representing } from './representing.svelte.js';
import { Restoring } from './restoring.svelte.js';
import { Runner } from './runner.svelte.js';
import { Similarity } from './similarity.svelte.js';

/** The state of the page: passes the settings to the active tab, and writes them into the link. */
export class Studio {
  settings: Settings;
  /** The bytes that a run with these settings needs. */
  memory = $state<number>();

  readonly client: Client;
  readonly runner: Runner;
  readonly image: OpenImage;
  /** The engines of this machine. */
  readonly machine: Machine;
  readonly similarity: Similarity;
  readonly representing: Representing;
  readonly comparing: Comparing;
  readonly denoising: Denoising;
  readonly restoring: Restoring;
  /** The results of the open picture so far. */
  readonly past = new PastResults();
  /** The inspection of a patch. */
  readonly patch: PatchLook;
  readonly #address: Address;
  /** Whether the image being opened comes from a link, which says how it is seen. */
  #linked = true;

  constructor(
    settings: Settings,
    private readonly environment: Environment,
  ) {
    this.settings = $state.raw(settings);
    this.#address = new Address(settings, environment.writeHash);
    const now = () => this.settings;
    this.client = new Client(environment.startWorker, (message) => this.#lost(message));
    this.runner = new Runner((n) => this.image.reopen(n));
    this.image = new OpenImage(this.client, this.runner, environment, {
      onOpened: (sample) => this.#opened(sample),
      onPage: () => this.#paged(),
      onChanged: (resized) => this.#changed(resized),
      onSettled: () => this.#settled(),
    });
    this.machine = new Machine(this.client, this.runner, this.image);
    this.similarity = new Similarity(this.client, this.runner);
    this.representing = new Representing(this.client, this.runner, now, this.similarity);
    this.representing.onFinal = () => this.#lookAtAwaited();
    this.comparing = new Comparing(this.client, this.runner, now, this.image, this.representing, this.similarity);
    this.comparing.onDone = () => this.#lookAtAwaited();
    this.denoising = new Denoising(this.client, this.runner, now, this.image, this.similarity, this.past);
    this.restoring = new Restoring(
      this.client,
      this.runner,
      now,
      this.image,
      this.similarity,
      environment.kept,
      this.past,
    );
    this.patch = new PatchLook(this.client);
    void this.machine.probe();
  }

  /** The picture of a slot, if there is one to show. */
  picture(slot: Slot): Layer | undefined {
    if (slot === 'original') return this.image.opened?.picture;
    if (slot === 'noisy') return this.denoising.noisy?.picture;
    if (slot === 'denoised') return this.denoising.denoised?.picture;
    if (slot === 'restored') return this.restoring.restored?.picture;
    return this.#represented(slot)?.picture;
  }

  /** Whether the denoised or restored image that is shown is of older settings. */
  get stale(): boolean {
    const { tab } = this.settings;
    return tab === 'denoise' ? this.denoising.stale : tab === 'restore' && this.restoring.stale;
  }

  /** The measurements of a slot filled by a solver. */
  readings(slot: Slot): Readings | undefined {
    if (slot === 'original' || slot === 'noisy' || slot === 'denoised' || slot === 'restored') return undefined;
    return this.#represented(slot)?.readings;
  }

  #represented(slot: ResultSlot) {
    return slot === 'result' ? this.representing.shown : this.comparing.row(slot);
  }

  /** The engine of the result that is shown; without one, of the last representation, or the one that will run. */
  get engine(): EngineInfo | undefined {
    const { tab } = this.settings;
    const shown =
      tab === 'denoise'
        ? this.denoising.denoised
        : tab === 'restore'
          ? this.restoring.restored
          : this.readings(this.inspected);
    return (shown ?? this.readings('result'))?.engine ?? this.machine.probed;
  }

  /** Applies new settings and runs what they request. While an image is being opened they wait for it. */
  set(change: Partial<Settings>): void {
    const before = this.settings;
    const restoration = this.restoring.key;
    const asked = this.#asked;
    this.settings = { ...before, ...change };
    const another = !sameRun(before, this.settings);
    // A link brings its own patch; otherwise that of another run is closed.
    if (change.patch !== undefined) this.#awaitPatch();
    else if (another) this.#closePatch();
    this.#address.change(this.settings, change);
    if (!this.image.opened) return;
    const { tab, noise, engine } = this.settings;
    const otherwise = !sameDenoising(before, this.settings);
    if (otherwise) this.denoising.changed();
    this.restoring.changed();
    if (!this.image.ready) return;
    const restored = restoration !== this.restoring.key;
    if (another || otherwise || restored || before.tab !== tab) this.runner.notice = undefined;
    if (before.tab !== tab) this.#enterTab();
    else if (another && tab === 'represent') this.representing.run();
    else if (before.engine !== engine && asked) this.#runAgain();
    else if (before.noise !== noise && tab === 'denoise') void this.denoising.showNoise();
    if (change.patch !== undefined) this.#lookAtAwaited();
    if (another || !sameMemory(before, this.settings)) void this.#estimate();
  }

  /** Whether the tab shows a result that the user asked for, or is computing it. */
  get #asked(): boolean {
    const { tab } = this.settings;
    if (tab === 'compare') return this.comparing.started;
    if (tab === 'denoise') return this.runner.task === 'denoise' || this.denoising.denoised !== undefined;
    return tab === 'restore' && (this.runner.task === 'restore' || this.restoring.restored !== undefined);
  }

  /** Opens a tab; if no image is open yet, with a sample that suits it. */
  async go(change: Pick<Settings, 'tab'> & Partial<Settings>): Promise<void> {
    if (this.image.opened || this.image.opening) return this.set(change);
    await this.openExample(exampleFor({ ...this.settings, ...change }), change);
  }

  /** Opens a sample in a tab. */
  async openExample(sample: string, change: Pick<Settings, 'tab'> & Partial<Settings>): Promise<void> {
    this.set({ ...change, noise: usualNoise(sample), ...wholeImage });
    // The tab is a step of the history, and its sample belongs to it.
    this.#linked = true;
    await this.image.openSample(sample);
  }

  #runAgain(): void {
    const { tab } = this.settings;
    if (tab === 'compare') void this.compare();
    else if (tab === 'denoise') void this.denoise();
    else if (tab === 'restore') void this.restoreImage();
  }

  /** Called when another part of the picture is visible. */
  viewed(window: Rectangle): void {
    this.denoising.viewed(window);
    this.restoring.viewed(window);
  }

  /** Shows another part of the picture, or moves the divider. */
  look(view: Partial<View>): void {
    this.settings = { ...this.settings, ...view };
    this.#address.writeSoon(() => this.settings);
  }

  #enterTab(): void {
    const { tab } = this.settings;
    this.#awaitPatch();
    // It started by itself, so it ends when its tab is left.
    if (tab !== 'represent' && this.runner.task === 'represent') this.runner.cancel();
    if (tab === 'represent') this.representing.enter();
    else if (tab === 'compare') this.comparing.enter();
    else if (tab === 'denoise') void this.denoising.showNoise();
    else if (tab === 'restore') this.restoring.changed();
    this.#lookAtAwaited();
  }

  /** Opens the patch of the settings as soon as there is a result to look into. */
  #awaitPatch(): void {
    const { patch } = this.settings;
    this.patch.close();
    const [x, y] = patch.split(',').map(Number);
    if (patch) this.patch.awaited = { x, y };
  }

  /** Opens a file that was dropped or chosen: an image, codes, or saved settings. */
  async openFile(file: File): Promise<void> {
    if (/\.npz$/i.test(file.name)) return this.#openCodes(file);
    if (/\.json$/i.test(file.name)) {
      const settings = fromJson(await file.text());
      if (!settings) this.runner.notice = { message: `${file.name} is not a settings file of the studio.` };
      else await this.restore({ ...settings, image: settings.image || this.settings.image });
      return;
    }
    if (this.settings.tab === 'start') this.set({ tab: 'denoise' });
    this.#linked = false;
    await this.image.open({ file, title: file.name, sample: '' });
  }

  /** Applies the settings of a link or a file, and opens their sample. */
  async restore(settings: Settings): Promise<void> {
    const open = this.settings.image;
    this.#address.read(settings);
    if (settings.tab === 'start' || (settings.image === open && this.image.opened)) return this.set(settings);
    this.#linked = true;
    // The sample's name is set once it is open: the picture shown is not of it yet.
    this.settings = { ...settings, image: open };
    await this.image.openLinked(settings.image);
  }

  async #openCodes(file: File): Promise<void> {
    await this.image.settled();
    this.runner.notice = undefined;
    if (this.settings.tab !== 'represent') this.set({ tab: 'represent' });
    await this.representing.openCodes(file);
  }

  /** Runs again what was cancelled. */
  solve(): void {
    this.runner.notice = undefined;
    this.representing.run();
  }

  /** Runs every solver under the budget. */
  async compare(): Promise<void> {
    await this.image.settled();
    this.runner.notice = undefined;
    this.#closePatch();
    await this.comparing.run();
  }

  /** Denoises the image. */
  async denoise(): Promise<void> {
    await this.image.settled();
    this.runner.notice = undefined;
    await this.denoising.run();
  }

  /** Fills missing pixels, removes a blur or enlarges. */
  async restoreImage(): Promise<void> {
    await this.image.settled();
    this.runner.notice = undefined;
    await this.restoring.run();
  }

  /** Inspects the patch at a pixel, or, while only a preview is shown, as soon as there is a result. */
  async inspect(x: number, y: number, slot: Slot): Promise<void> {
    if (!this.readings(slot) || (slot === 'result' && this.representing.stage === 'coarse')) {
      this.patch.awaited = { x, y };
      return;
    }
    try {
      const { x: left, y: top } = await this.patch.look({ x, y, slot });
      this.settings = { ...this.settings, patch: `${left},${top}` };
      this.#address.write(this.settings, false);
    } catch (error) {
      this.runner.report(error);
    }
  }

  #lookAtAwaited(): void {
    const { awaited } = this.patch;
    const slot = this.inspected;
    const there =
      slot === 'result'
        ? this.representing.stage === 'final'
        : this.readings(slot) !== undefined && this.runner.task !== 'compare';
    if (awaited && there && ['represent', 'compare'].includes(this.settings.tab))
      void this.inspect(awaited.x, awaited.y, slot);
  }

  /** The slot whose patches are looked into. */
  get inspected(): Slot {
    const { tab, left, right } = this.settings;
    return tab !== 'compare' ? 'result' : right === 'original' ? left : right;
  }

  /** Closes the patch that is looked into. */
  closePatch(): void {
    this.#closePatch();
    this.#address.write(this.settings, false);
  }

  #closePatch(): void {
    this.patch.close();
    if (this.settings.patch) this.settings = { ...this.settings, patch: '' };
  }

  /** Drops all results of the last image. */
  #clear(): void {
    this.#clearPage();
    this.denoising.clear();
  }

  /** Drops the results of the open page, except for those of its series. */
  #clearPage(): void {
    this.patch.close();
    for (const each of [this.representing, this.comparing, this.restoring, this.similarity, this.past]) each.clear();
  }

  /** Called when another page of a stack is open. */
  #paged(): void {
    this.#clearPage();
    this.denoising.paged();
    this.#enterTab();
  }

  /** Called when a result has become the picture, or has been undone. */
  #changed(resized: boolean): void {
    this.#clear();
    // An enlarged picture has other places; and what was applied is not an experiment any more.
    this.settings = { ...this.settings, ...(resized ? wholeImage : { patch: '' }), noise: 0 };
    this.#address.write(this.settings, false);
  }

  /** Makes the result of these settings the picture, so that other work builds on it. */
  async apply(): Promise<void> {
    const { tab, restore } = this.settings;
    if (tab === 'denoise') await this.image.add('apply', { slot: 'denoised' }, 'Noise removed');
    else if (tab === 'restore') await this.image.add('apply', { slot: 'restored' }, restoredTitles[restore]);
  }

  /** Called when another image has replaced the last one. */
  #opened(sample: string): void {
    this.#clear();
    const { image, noise } = this.settings;
    // Noise is added to clean samples only, unless it was asked for.
    const alike = isClean(sample) === isClean(image);
    const seen = { ...wholeImage, noise: alike ? noise : usualNoise(sample) };
    this.settings = { ...this.settings, image: sample, ...(this.#linked ? {} : seen) };
    this.#address.write(this.settings, !this.#linked);
    const linked = this.#linked;
    this.#linked = false;
    void this.#takeMaskOf(sample, linked);
  }

  /** What was marked before a reload is marked again; the scratches of a damaged sample are marked from the start. */
  async #takeMaskOf(name: string, again: boolean): Promise<void> {
    const mask = samples.find((each) => each.name === name)?.mask;
    const { opened } = this.image;
    if ((again && (await this.restoring.reopenMask())) || !mask) return;
    const file = await this.environment.fetchSample(mask).catch(() => undefined);
    if (!file || opened !== this.image.opened) return;
    await this.restoring.takeMask(file);
    const { tab, restore } = this.settings;
    if (tab === 'restore' && restore === 'inpaint' && !this.runner.task) await this.restoreImage();
  }

  /** Also called after an opening that failed: the settings may have changed in the meantime, and running tasks have ended. */
  #settled(): void {
    this.#linked = false;
    if (!this.image.ready) return;
    void this.#estimate();
    this.#enterTab();
  }

  /** Estimates the memory of a run with these settings. If the run would be rejected, nothing is shown: the run reports it. */
  async #estimate(): Promise<void> {
    const { settings } = this;
    const estimate = await this.client.ask('estimate', { settings }).catch(() => undefined);
    if (settings === this.settings) this.memory = estimate?.bytes;
  }

  /** Called when the worker died, most likely out of memory: everything it held is opened again on request. */
  #lost(message: string): void {
    const remedy = { title: 'Open the image again', act: () => this.image.reopen(1) };
    this.runner.lose({ message, ...(this.image.opened ? { remedy } : {}) });
  }
}
