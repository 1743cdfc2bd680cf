import { basename, dirname, join } from 'node:path';
import type { Places } from '../plan.js';
import { codesStore } from './codes-store.js';
import { folderScratch } from './folder-scratch.js';
import { openSource } from './open-source.js';
import type { SourceOptions } from './source-options.js';
import { zarrSink } from './zarr-sink.js';

/** How images are opened by their paths. */
export interface FilePlacesOptions extends SourceOptions {
  /** The identity of the run: it writes into new folders, or continues its own. */
  readonly run: string;
  /** The side of the chunks of an output that is created. @default 512 */
  readonly chunk?: number;
}

/** Images by their paths: any file or Zarr is a source, a Zarr is a sink, for codes too. Intermediate results are in a hidden folder next to it. */
export function filePlaces({ run, chunk, ...options }: FilePlacesOptions): Places {
  return {
    source: (path) => openSource(path, options),
    sink: (path, picture) => zarrSink(path, { run, picture, chunk }),
    codes: (path, layout) => codesStore(path, { run, layout }),
    scratch: async (path) => folderScratch(scratchNextTo(path)),
  };
}

function scratchNextTo(path: string): string {
  return join(dirname(path), `.${basename(path)}.scratch`);
}
