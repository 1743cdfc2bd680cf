import { toHash } from '../settings/link.js';
import { limits, type Settings } from '../settings/settings.js';

/** A moving view is written once it rests for this long: browsers limit how often an address may change. */
const REST_MS = 300;

/** The address of the page: the settings as a link, in steps to which the user can go back. */
export class Address {
  /** As it was written or read last. */
  #hash: string;
  /** The slider that was moved last: its positions are one step. */
  #moving = '';
  #writing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    settings: Settings,
    private readonly put: (hash: string, step: boolean) => void,
  ) {
    this.#hash = toHash(settings);
  }

  /** Called when the settings come from the address. */
  read(settings: Settings): void {
    this.#hash = toHash(settings);
  }

  /** Writes changed settings, as a step unless the same slider was moved before. */
  change(settings: Settings, change: Partial<Settings>): void {
    const keys = Object.keys(change);
    const slider = keys.length === 1 && Object.hasOwn(limits, keys[0]) ? keys[0] : '';
    const again = slider !== '' && slider === this.#moving;
    this.#moving = slider;
    this.write(settings, !again);
  }

  /** Writes settings, as a step or in place of the last one. */
  write(settings: Settings, step: boolean): void {
    clearTimeout(this.#writing);
    const hash = toHash(settings);
    if (hash === this.#hash) return;
    this.#hash = hash;
    this.put(hash, step);
  }

  /** Writes the latest settings in place of the last ones, once they rest. */
  writeSoon(latest: () => Settings): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => this.write(latest(), false), REST_MS);
  }
}
