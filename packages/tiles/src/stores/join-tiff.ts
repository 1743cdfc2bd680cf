import { InputError } from 'ght';
import { writeFileBy } from 'ght-images/node';
import { ChunkFiles } from './chunk-files.js';
import { interleaved, TiledTiff } from './tiled-tiff.js';
import { planesOf } from './windows.js';
import { ZarrFolder } from './zarr-chunks.js';
import { levelsOf } from './zarr-layout.js';
import { recordIn } from './zarr-sink.js';

/** How a Zarr becomes a TIFF. */
export interface JoinOptions {
  /** Whether the file is a BigTIFF. @default only if it needs more than 4 GiB */
  readonly bigTiff?: boolean;
  /** What errors call the TIFF. @default 'output' */
  readonly parameter?: string;
  /** Stops the work; nothing is left of it. */
  readonly signal?: AbortSignal;
}

/**
 * Joins a finished picture, as `zarrSink` writes it, into one TIFF: tiles of the size of a chunk, deflate, with the smaller levels as
 * SubIFDs, the profile, the resolution and the description. The file appears whole or not at all; a few chunks are in memory.
 */
export async function joinTiff(zarr: string, path: string, options: JoinOptions = {}): Promise<void> {
  const { bigTiff, parameter = 'output', signal } = options;
  const folder = new ZarrFolder(zarr, 'zarr');
  const record = await recordIn(folder);
  if (!record?.finished) {
    throw new InputError('zarr', 'must be a picture that is written to its end', zarr, 'finish it first');
  }
  const { picture, chunk } = record;
  const chunks = new ChunkFiles(folder, record);
  const planes = Array.from({ length: planesOf(picture) }, (_, plane) => plane);
  const size = { width: chunk, height: chunk };
  await writeFileBy(
    path,
    async (file) => {
      const tiff = new TiledTiff(file, picture, chunk);
      for (const [level, extent] of levelsOf(picture, chunk).entries()) {
        const tileAt = async (row: number, column: number) => {
          const contents = await Promise.all(planes.map((plane) => chunks.read(level, plane, row, column)));
          return contents.length === 1 ? contents[0] : interleaved(contents, size, chunk);
        };
        await tiff.level(extent, tileAt, signal);
      }
      await tiff.finish(bigTiff);
    },
    parameter,
  );
}
