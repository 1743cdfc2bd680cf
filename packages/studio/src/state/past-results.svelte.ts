import { denoisingKeys, type RestoreTask, restorationKeys, type Settings } from '../settings/settings.js';
import type { Layer } from '../worker/layer.js';

/** What was done to get a result. */
export type ResultTask = 'denoise' | RestoreTask;

/** The task of a tab whose results are kept. */
export function resultTaskOf({ tab, restore }: Settings): ResultTask | undefined {
  return tab === 'denoise' ? tab : tab === 'restore' ? restore : undefined;
}

/** A result of the open picture, as it was shown. */
export interface PastResult {
  readonly id: number;
  readonly task: ResultTask;
  /** The settings that tell it from others, in a few words. */
  readonly title: string;
  readonly settings: Settings;
  readonly picture: Layer;
}

/** The most results that are kept, and the most bytes that their pictures may take. */
const [MOST, MOST_BYTES] = [8, 2 ** 28];

/** The results of the open picture so far, the latest last: any of them can be compared with the one that is shown. */
export class PastResults {
  #all = $state.raw<readonly PastResult[]>([]);
  #chosen = $state<number>();
  #next = 1;

  /** The results of a task. */
  of(task: ResultTask): readonly PastResult[] {
    return this.#all.filter((each) => each.task === task);
  }

  /** The result that is shown in place of the picture as it was. */
  chosen(task: ResultTask): PastResult | undefined {
    return this.of(task).find(({ id }) => id === this.#chosen);
  }

  /** Chooses a result by its number, or the picture as it was. */
  choose(id: number | undefined): void {
    this.#chosen = id;
  }

  /** Goes on to the next result, from the last one back to the picture as it was. The latest is the one that they are compared with. */
  chooseNext(task: ResultTask): void {
    const older = this.of(task).slice(0, -1);
    this.#chosen = older[older.findIndex(({ id }) => id === this.#chosen) + 1]?.id;
  }

  /** Adds a result, in place of one with the same settings; the oldest are dropped if there are too many. */
  add(task: ResultTask, settings: Settings, picture: Layer): void {
    const title = titleOf(task, settings);
    const others = this.#all.filter((each) => each.task !== task || each.title !== title);
    const all = [...others, { id: this.#next++, task, title, settings, picture }];
    let bytes = all.reduce((sum, each) => sum + each.picture.pixels.length, 0);
    while (all.length > MOST || (all.length > 2 && bytes > MOST_BYTES)) {
      bytes -= all[0].picture.pixels.length;
      all.shift();
    }
    this.#all = all;
  }

  /** Called when there is another picture. */
  clear(): void {
    this.#all = [];
    this.#chosen = undefined;
  }
}

/** The settings that made a result. */
export function settingsOf({ task, settings }: PastResult): Partial<Settings> {
  const keys = task === 'denoise' ? denoisingKeys : restorationKeys;
  return Object.fromEntries(keys.map((key) => [key, settings[key]]));
}

function titleOf(task: ResultTask, settings: Settings): string {
  const { engine, noise, sigma, strength, strengthChroma, quality, restoreQuality, factor, kernel } = settings;
  const on = engine === 'auto' ? [] : [engine];
  if (task === 'denoise') {
    return [
      quality,
      ...(noise > 0 ? [`noise ${noise}`] : []),
      ...(sigma === 'auto' ? [] : [`σ ${sigma}`]),
      ...(strength === 1 ? [] : [`strength ${strength}`]),
      ...(strengthChroma === 1 ? [] : [`colour ${strengthChroma}`]),
      ...on,
    ].join(', ');
  }
  if (task === 'inpaint') return [restoreQuality, ...on].join(', ');
  if (task === 'upscale') return [`× ${factor}`, restoreQuality, ...on].join(', ');
  const sizes = {
    auto: 'found',
    gaussian: `Gaussian ${settings.blur}`,
    disk: `disk ${settings.radius}`,
    motion: `motion ${settings.length}, ${settings.angle}°`,
    drawn: 'own',
  };
  const { blurNoise } = settings;
  return [sizes[kernel], ...(blurNoise === 'auto' ? [] : [`σ ${blurNoise}`]), restoreQuality, ...on].join(', ');
}
