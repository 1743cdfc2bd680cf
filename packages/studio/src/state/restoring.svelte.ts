import type { BlurKernel } from 'ght';
import type { Settings } from '../settings/settings.js';
import type { Damage, KernelShape, Restoration, Restored } from '../worker/protocol.js';
import type { Client } from './client.js';
import { Mask, type Point } from './mask.svelte.js';
import type { OpenImage } from './open-image.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Similarity } from './similarity.svelte.js';

/** What a finger or a mouse does to the picture. */
export type Tool = 'brush' | 'eraser' | 'move';

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
  #result = $state.raw<{ readonly of: string; readonly restored: Restored }>();
  /** Another number after every change of the drawn weights. */
  #drawing = $state(0);
  /** The key of the run in progress. */
  #running = '';

  constructor(
    private readonly client: Client,
    private readonly runner: Runner,
    private readonly settings: () => Settings,
    private readonly image: OpenImage,
    private readonly similarity: Similarity,
  ) {}

  /** The restored image; one of another mask, kernel or setting is not shown. */
  get restored(): Restored | undefined {
    return this.#result?.of === this.key ? this.#result.restored : undefined;
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

  /** Called after a change of the settings, the mask or the kernel: a run whose result would not be shown ends. */
  changed(): void {
    if (this.runner.task === 'restore' && this.#running !== this.key) this.runner.cancel();
    void this.#showKernel();
  }

  /** Paints or erases along a line. */
  paint(from: Point, to: Point): void {
    this.mask.stroke(from, to, this.brush / 2, this.tool === 'eraser' ? 0 : 1);
    this.changed();
  }

  clearMask(): void {
    const { opened } = this.image;
    if (opened) this.mask.clear(opened.width, opened.height);
    this.changed();
  }

  /** Takes the mask from a file, or damages the image as a test. */
  async takeMask(from: Damage | Blob): Promise<void> {
    const { opened } = this.image;
    this.runner.notice = undefined;
    await this.#attempt(async () => {
      const missing = await this.client.ask('mask', { from });
      if (opened !== this.image.opened) return;
      this.mask.replace(missing, !(from instanceof Blob));
      this.changed();
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
    await this.runner.run('restore', async (signal) => {
      this.#running = of;
      this.similarity.drop('restored');
      // The worker may replace a result of other settings without notifying the page, so it must not be shown again.
      if (!this.restored) this.#result = undefined;
      const onEvent = this.runner.progress.bind(this.runner);
      const restored = await this.client.ask('restore', ask, { signal, onEvent });
      this.#result = { of, restored };
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
    this.#result = undefined;
    this.clearMask();
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
