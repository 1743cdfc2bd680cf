import type { BlurKernel, Rectangle } from 'ght';
import type { RestoreTask, Settings } from '../settings/settings.js';
import type { Damage, KernelShape, Restoration, Restored, WindowResult } from '../worker/protocol.js';
import type { Client } from './client.js';
import type { KeptImage } from './kept-image.js';
import { Mask, type Point } from './mask.svelte.js';
import type { OpenImage } from './open-image.svelte.js';
import type { PastResults } from './past-results.svelte.js';
import { middleOf, Preview, type PreviewPlan } from './preview.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

/** What a finger or a mouse does to the picture. */
export type Tool = 'brush' | 'eraser' | 'move';

/** The pixels of a preview: about two seconds of work. */
const PREVIEW_PIXELS: Readonly<Record<RestoreTask, number>> = {
  inpaint: 256 ** 2,
  deblur: 176 ** 2,
  upscale: 128 ** 2,
};
/** The mask is kept once it rests for this long. */
const KEEP_MS = 400;
/** How far around missing pixels the preview of their repair reaches. */
const HOLE_MARGIN = 16;

/** The side of the grid in which a kernel is drawn. */
const GRID = 15;

/** The tab that fills missing pixels, removes a blur and enlarges. */
export class Restoring {
  readonly mask = new Mask();
  tool = $state<Tool>('brush');
  /** The width of brush and eraser, in pixels of the image. */
  brush = $state(12);
  /** The weights that were drawn, or read from a file. */
  drawn = $state.raw<BlurKernel>(point());
  #shaped = $state.raw<{ readonly shape: string; readonly kernel: BlurKernel }>();
  #result = $state.raw<{ readonly of: string; readonly task: RestoreTask; readonly restored: Restored }>();
  /** Another number after every change of the drawn weights. */
  #drawing = $state(0);
  /** The part of the image that is visible. */
  #view: Rectangle | undefined;
  readonly #preview: Preview;
  #keeping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
    private readonly similarity: Similarity,
    private readonly kept: KeptImage,
    private readonly past: PastResults,
  ) {
    this.#preview = new Preview(runner, () => this.#plan());
  }

  /** The last restored image of the chosen task, which stays until another replaces it; see {@link stale}. */
  get restored(): Restored | undefined {
    return this.#result?.task === this.settings().restore ? this.#result.restored : undefined;
  }

  /** Whether the restored image is of another mask, kernel or setting. */
  get stale(): boolean {
    return this.#result !== undefined && this.#result.of !== this.key;
  }

  /** The restored image of these settings. */
  get current(): Restored | undefined {
    return this.stale ? undefined : this.restored;
  }

  /** What the visible part would become with these settings, if the whole is not there. */
  get preview(): WindowResult | undefined {
    return this.current ? undefined : this.#preview.shown(this.key);
  }

  /** Whether a preview is being computed. */
  get previewing(): boolean {
    return this.#preview.busy;
  }

  /** What was found: for the result, or for the preview, whose missing pixels are not those of the whole. */
  get found(): readonly string[] {
    const preview = this.settings().restore === 'inpaint' ? undefined : this.preview?.found;
    return (this.current ?? preview)?.messages ?? [];
  }

  /** Called when the visible part of the image has changed. */
  viewed(view: Rectangle): void {
    this.#view = view;
    this.#preview.look();
  }

  /** The visible part, or the missing pixels in it. */
  #plan(): PreviewPlan | undefined {
    const { tab, restore } = this.settings();
    if (tab !== 'restore' || !this.image.ready || this.current || !this.#view) return undefined;
    const hole = restore === 'inpaint' ? this.mask.around(this.#view, HOLE_MARGIN) : this.#view;
    if (!hole) return undefined;
    const window = middleOf(hole, PREVIEW_PIXELS[restore]);
    const whole = this.#ask();
    const restoration = whole.task === 'inpaint' ? { ...whole, missing: this.mask.cut(window) } : whole;
    const ask = (signal: AbortSignal) => this.client.ask('restoreWindow', { ...restoration, window }, { signal });
    return { key: this.key, window, ask };
  }

  /** The kernel as it will be used; undefined until the worker has made it, and if it is found in the image. */
  get kernel(): BlurKernel | undefined {
    if (this.settings().kernel === 'auto') return undefined;
    if (this.settings().kernel === 'drawn') return this.drawn;
    return this.#shaped?.kernel;
  }

  /** Two restorations with the same key have the same result. */
  get key(): string {
    const { engine, restore, factor, restoreQuality, kernel, blurNoise } = this.settings();
    if (restore === 'inpaint') return `inpaint ${this.mask.version} ${restoreQuality} ${engine}`;
    if (restore === 'upscale') return `upscale ${factor} ${restoreQuality} ${engine}`;
    const shape = kernel === 'auto' ? kernel : JSON.stringify(shapeOf(this.settings()));
    const blur = kernel === 'drawn' ? `drawn ${this.#drawing}` : shape;
    return `deblur ${blur} ${blurNoise} ${restoreQuality} ${engine}`;
  }

  /** Called after a change of the settings, the mask or the kernel: the preview is of others. */
  changed(): void {
    this.#preview.look();
    void this.#showKernel();
  }

  /** Paints or erases along a line. */
  paint(from: Point, to: Point): void {
    this.mask.stroke(from, to, this.brush / 2, this.tool === 'eraser' ? 0 : 1);
    this.#masked();
  }

  clearMask(): void {
    this.#emptyMask();
    this.#masked();
  }

  #emptyMask(): void {
    const { opened } = this.image;
    if (opened) this.mask.clear(opened.width, opened.height);
  }

  /** Called after a change of the mask, which is kept for a reload once it rests. */
  #masked(): void {
    this.changed();
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => {
      const { width = 0, height = 0 } = this.image.opened ?? {};
      // Where the browser does not allow it, the mask is only on the page.
      this.kept.saveMask({ image: this.#name, width, height, missing: this.mask.missing }).catch(() => {});
    }, KEEP_MS);
  }

  /** Marks again what was marked on this picture before the page was loaded. Returns whether there was something. */
  async reopenMask(): Promise<boolean> {
    const { opened } = this.image;
    const found = await this.kept.loadMask().catch(() => undefined);
    if (!found || !opened || opened !== this.image.opened || found.image !== this.#name) return false;
    if (found.width !== opened.width || found.height !== opened.height) return false;
    this.mask.replace(found.missing, false);
    this.changed();
    return true;
  }

  get #name(): string {
    return this.settings().image || this.image.title;
  }

  /** Takes the mask from a file, or damages the image as a test. */
  async takeMask(from: Damage | Blob): Promise<void> {
    const { opened } = this.image;
    this.runner.notice = undefined;
    await this.#attempt(async () => {
      const missing = await this.client.ask('mask', { from });
      if (opened !== this.image.opened) return;
      this.mask.replace(missing, !(from instanceof Blob));
      this.#masked();
    });
  }

  /** Sets a weight of the drawn kernel: 1, or 0. */
  draw(x: number, y: number, weight: 0 | 1): void {
    const { width, data } = this.drawn;
    const weights = Float64Array.from(data);
    // As heavy as the heaviest that is there: the weights of a file have the units of the file.
    weights[y * width + x] = weight * (weights.reduce((a, b) => Math.max(a, b), 0) || 1);
    this.#drawnAs({ ...this.drawn, data: weights });
  }

  clearDrawn(): void {
    this.#drawnAs(point());
  }

  /** Takes the drawn kernel from an image file. */
  async takeKernel(from: Blob): Promise<void> {
    this.runner.notice = undefined;
    await this.#attempt(async () => this.#drawnAs(await this.client.ask('kernel', { from })));
  }

  #drawnAs(kernel: BlurKernel): void {
    this.drawn = kernel;
    this.#drawing++;
    this.changed();
  }

  /** Blurs the picture by the chosen kernel, to see how well that is removed again. */
  async blurFirst(): Promise<void> {
    const settings = this.settings();
    await this.image.add('blur', { kernel: settings.kernel === 'drawn' ? this.drawn : shapeOf(settings) }, 'Blurred');
  }

  /** Asks for the weights of the chosen shape. While a slider moves, only those of its latest position are shown. */
  async #showKernel(): Promise<void> {
    const { tab, restore, kernel } = this.settings();
    const shape = JSON.stringify(shapeOf(this.settings()));
    if (tab !== 'restore' || restore !== 'deblur' || kernel === 'drawn' || kernel === 'auto') return;
    if (this.#shaped?.shape === shape) return;
    await this.#attempt(async () => {
      const made = await this.client.ask('kernel', { from: shapeOf(this.settings()) });
      if (shape === JSON.stringify(shapeOf(this.settings()))) this.#shaped = { shape, kernel: made };
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.runner.report(error);
    }
  }

  /** Restores the image. */
  async run(): Promise<void> {
    const of = this.key;
    const ask = this.#ask();
    const settings = this.settings();
    await this.runner.run('restore', async (signal) => {
      this.similarity.drop('restored');
      const { opened } = this.image;
      const onEvent = this.runner.progress.bind(this.runner);
      // To the end: after a cancel that comes too late, the worker holds the new result, and the page must show the same.
      const restored = await this.client.ask('restore', ask, { signal, onEvent, toTheEnd: true });
      if (opened !== this.image.opened) return;
      this.#result = { of, task: ask.task, restored };
      this.past.add(ask.task, settings, restored.picture);
      if (restored.psnr !== null) this.similarity.want('restored');
    });
  }

  #ask(): Restoration {
    const settings = this.settings();
    const { engine, restore: task, restoreQuality: quality, factor, kernel, blurNoise } = settings;
    if (task === 'inpaint') return { engine, task, quality, missing: this.mask.missing, truth: this.mask.truth };
    if (task === 'upscale') return { engine, task, quality, factor };
    const sigma = blurNoise === 'auto' ? blurNoise : this.image.inputUnits(blurNoise);
    const weights = kernel === 'auto' ? kernel : kernel === 'drawn' ? this.drawn : shapeOf(settings);
    return { engine, task, quality, sigma, kernel: weights };
  }

  /** Called when another image is opened: there are neither results nor a mask for it yet. */
  clear(): void {
    this.#preview.clear();
    this.#result = undefined;
    clearTimeout(this.#keeping);
    this.#emptyMask();
    this.changed();
  }
}

/** The shape that the settings describe. */
function shapeOf({ kernel, blur, radius, length, angle }: Settings): KernelShape {
  if (kernel === 'disk') return { kind: 'disk', radius };
  return kernel === 'motion' ? { kind: 'motion', length, angle } : { kind: 'gaussian', sigma: blur };
}

/** The kernel without a blur, from which drawing starts. */
function point(): BlurKernel {
  const data = new Float64Array(GRID ** 2);
  data[(GRID ** 2 - 1) / 2] = 1;
  return { width: GRID, height: GRID, data };
}
