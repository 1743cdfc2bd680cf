import { type KeptImage, keptImage } from './kept-image.js';

/** The parts of the browser that the page uses. */
export interface Environment {
  readonly startWorker: () => Worker;
  /** Loads the file of a sample. */
  readonly fetchSample: (file: string) => Promise<Blob>;
  /** Writes the settings into the page's address, as a step to which the user can go back, or in place of the last one. */
  readonly writeHash: (hash: string, step: boolean) => void;
  /** Keeps the user's image for the next visit. */
  readonly kept: KeptImage;
}

/** The browser that the page runs in. */
export const browser: Environment = {
  startWorker: () => new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' }),
  async fetchSample(file) {
    const response = await fetch(new URL(`samples/${file}`, document.baseURI));
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return response.blob();
  },
  writeHash(hash, step) {
    const address = `${location.pathname}${location.search}${hash}`;
    if (step) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  },
  kept: keptImage,
};
