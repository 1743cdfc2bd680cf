import type { SavedFile } from '../worker/protocol.js';
import { formatsFor, resultName, savedFile } from './saving.js';
import type { Studio } from './studio.svelte.js';

/** A result of the batch, and its name in the archive. */
export interface Entry {
  readonly name: string;
  readonly file: SavedFile;
}

/** Several files that were given together: the first is open, and all can be processed with the same settings. */
export class Batch {
  files = $state.raw<readonly File[]>([]);
  /** The number of the file in progress, from 1; 0 if none is. */
  at = $state(0);
  #stopped = false;

  constructor(private readonly studio: Studio) {}

  /** Takes files, and opens the first. */
  async take(files: readonly File[]): Promise<void> {
    this.files = files.length > 1 ? files : [];
    await this.studio.openFile(files[0]);
  }

  /** Processes all files in turn, each in its own format. A file that fails is left out and named; after a cancel the rest is. */
  async run(): Promise<readonly Entry[]> {
    const { studio, files } = this;
    const { tab, restore } = studio.settings;
    const entries: Entry[] = [];
    const failed: string[] = [];
    this.#stopped = false;
    for (const [i, file] of files.entries()) {
      this.at = i + 1;
      await studio.image.open({ file, title: file.name, sample: '' });
      studio.set({ tab, restore });
      const { opened, title } = studio.image;
      const saved =
        opened && title === file.name && !this.#stopped ? await savedFile(studio, formatsFor(opened)[0]) : undefined;
      if (this.#stopped) break;
      if (saved) entries.push({ name: unused(`${resultName(studio)}.${saved.extension}`, entries), file: saved });
      else failed.push(file.name);
    }
    this.at = 0;
    if (failed.length > 0 && !this.#stopped) {
      studio.runner.notice = { message: `Left out, because they could not be processed: ${failed.join(', ')}.` };
    }
    return entries;
  }

  /** Ends the batch with the file in progress. */
  stop(): void {
    this.#stopped = true;
    this.studio.runner.cancel();
  }
}

/** A name that no other file of the archive has. */
function unused(name: string, entries: readonly Entry[]): string {
  let [free, n] = [name, 2];
  while (entries.some((each) => each.name === free)) free = name.replace(/(\.\w+)$/, `-${n++}$1`);
  return free;
}
