import { ITERATIONS, type LearnPicture, PATCH, type PatchAt } from '../worker/learn-protocol.js';
import type { Opened } from '../worker/protocol.js';
import type { Client } from './client.js';
import { type AskLesson, Live, Sweep } from './live.svelte.js';
import type { Runner } from './runner.svelte.js';
import type { Studio } from './studio.svelte.js';

/** The budgets of the noise figure, in atoms per patch. */
export const noiseStops: readonly number[] = [0.5, 0.7, 1, 1.4, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 11, 15];
/** The budgets of the last figure, in atoms per patch. */
export const versusStops: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
/** The deviations of the noise that the reader can add, and the strides between patches. */
export const sigmas: readonly number[] = [10, 25, 50];
export const strides: readonly number[] = [8, 4];
/** The budgets of the cut, in atoms per patch. */
export const cutLimits: readonly [number, number] = [0.1, 20];

/** The Learn tab: the small picture of the story, and what each of its figures shows. A figure is computed when it is seen. */
export class Learning {
  picture = $state.raw<LearnPicture>();
  /** The chosen patch. */
  at = $state.raw<PatchAt>({ x: 0, y: 0 });
  /** The number of atoms of that patch. */
  n = $state(3);
  /** Atoms per patch, of the third and the fourth figure. */
  s = $state(5);
  /** The iteration that is shown. */
  k = $state(1);
  /** The budget of the cut, in atoms of the whole picture. */
  total = $state(0);
  refit = $state(false);
  sigma = $state(25);
  stride = $state(4);
  /** The positions in {@link noiseStops} and {@link versusStops}. */
  noiseAt = $state(noiseStops.indexOf(3));
  versusAt = $state(versusStops.indexOf(5));

  readonly patch: Live<'learnPatch'>;
  readonly shares: Live<'learnShares'>;
  readonly iterations: Sweep<'learnIteration'>;
  readonly cut: Live<'learnCut'>;
  readonly noise: Sweep<'learnNoise'>;
  readonly versus: Sweep<'learnVersus'>;
  /** The figures that have been seen. */
  readonly #seen = new Set<number>();
  /** The image that the story is about. */
  #image: Opened | undefined;
  readonly #ask: AskLesson;
  readonly #report: (error: unknown) => void;

  constructor(client: Client, runner: Runner) {
    this.#ask = (kind, ask, signal) => client.ask(kind, ask, { signal });
    this.#report = (error) => runner.report(error);
    this.patch = new Live('learnPatch', this.#ask, this.#report);
    this.shares = new Live('learnShares', this.#ask, this.#report);
    this.iterations = new Sweep('learnIteration', this.#ask, this.#report);
    this.cut = new Live('learnCut', this.#ask, this.#report);
    this.noise = new Sweep('learnNoise', this.#ask, this.#report);
    this.versus = new Sweep('learnVersus', this.#ask, this.#report);
  }

  /** The number of patches of the picture. */
  get patches(): number {
    return this.picture ? this.picture.columns * this.picture.rows : 0;
  }

  /** Called with the open image. If it is another one, every figure that was seen is computed for it. */
  async open(image: Opened): Promise<void> {
    if (image === this.#image) return;
    this.#image = image;
    this.picture = undefined;
    for (const each of [this.patch, this.shares, this.iterations, this.cut, this.noise, this.versus]) each.clear();
    try {
      const picture = await this.#ask('learnPicture', null);
      if (image !== this.#image) return;
      this.picture = picture;
      this.at = picture.busiest;
      this.total = 5 * this.patches;
      for (const step of this.#seen) this.#compute(step);
    } catch (error) {
      if (image === this.#image) this.#report(error);
    }
  }

  /** Called when a figure comes into view. */
  see(step: number): void {
    if (this.#seen.has(step)) return;
    this.#seen.add(step);
    if (this.picture) this.#compute(step);
  }

  #compute(step: number): void {
    if (step <= 2) this.patch.want(this.at);
    else if (step === 3) this.shares.want({ s: this.s });
    else if (step === 4) this.#iterate();
    else if (step === 5) this.#cutAt();
    else if (step === 6) this.#clean();
    else
      void this.versus.start(
        versusStops.map((s) => ({ s })),
        () => this.versusAt,
      );
  }

  /** Chooses the patch at a pixel of the picture. */
  choosePatch(at: PatchAt): void {
    this.at = { x: at.x - (at.x % PATCH), y: at.y - (at.y % PATCH) };
    this.patch.want(this.at);
  }

  /** Sets the atoms per patch of the third and the fourth figure. */
  setBudget(s: number): void {
    this.s = s;
    this.shares.want({ s });
    if (this.#seen.has(4)) this.#iterate();
  }

  /** Sets the budget of the cut. */
  setTotal(total: number): void {
    const [least, most] = cutLimits.map((s) => Math.max(1, Math.round(s * this.patches)));
    this.total = Math.min(most, Math.max(least, Math.round(total)));
    this.#cutAt();
  }

  setRefit(refit: boolean): void {
    this.refit = refit;
    this.#cutAt();
  }

  /** Sets the noise and how far patches overlap. */
  setNoise(change: { readonly sigma?: number; readonly stride?: number }): void {
    this.sigma = change.sigma ?? this.sigma;
    this.stride = change.stride ?? this.stride;
    this.#clean();
  }

  #iterate(): void {
    const { s } = this;
    const asks = Array.from({ length: ITERATIONS }, (_, i) => ({ s, k: i + 1 }));
    void this.iterations.start(asks, () => this.k - 1);
  }

  #cutAt(): void {
    this.cut.want({ total: this.total, refit: this.refit });
  }

  #clean(): void {
    const { sigma, stride } = this;
    void this.noise.start(
      noiseStops.map((s) => ({ sigma, stride, s })),
      () => this.noiseAt,
    );
  }
}

const stories = new WeakMap<Studio, Learning>();

/** The story of a page, as the reader left it: it is loaded with the tab, and stays when the tab is closed. */
export function learningOf(studio: Studio): Learning {
  const learning = stories.get(studio) ?? new Learning(studio.client, studio.runner);
  stories.set(studio, learning);
  return learning;
}
