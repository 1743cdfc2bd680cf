/** The parts of the browser that the page uses. */
export interface Environment {
  readonly startWorker: () => Worker;
  /** Loads the file of a sample, by its name. */
  readonly fetchSample: (name: string) => Promise<Blob>;
  /** Writes the settings into the page's address. */
  readonly writeHash: (hash: string) => void;
}

/** The browser that the page runs in. */
export const browser: Environment = {
  startWorker: () => new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' }),
  async fetchSample(name) {
    const response = await fetch(new URL(`samples/${name}.png`, document.baseURI));
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return response.blob();
  },
  writeHash(hash) {
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
  },
};
