import { InputError } from 'ght';
import type { RasterSamples } from 'ght-images';
import { bytesOf, chunkName, type ZarrFolder, zstd } from './zarr-chunks.js';
import { type SampleType, sampleArrays, sampleTypeOf, type ZarrRecord } from './zarr-layout.js';

/** The chunks of all levels as samples. */
export class ChunkFiles {
  readonly #Samples: (typeof sampleArrays)[SampleType];

  constructor(
    readonly folder: ZarrFolder,
    readonly record: ZarrRecord,
  ) {
    this.#Samples = sampleArrays[sampleTypeOf(record.picture)];
  }

  /** A chunk of zeros. */
  empty(): RasterSamples {
    return new this.#Samples(this.record.chunk ** 2);
  }

  /** Whether a chunk is there and unpacks to all of its samples: a crash of the machine or a full disk may have cut it. */
  async isIntact(level: number, plane: number, row: number, column: number): Promise<boolean> {
    const length = this.record.chunk ** 2 * this.#Samples.BYTES_PER_ELEMENT;
    return (await this.folder.readChunk(chunkName(level, plane, row, column), length)) !== undefined;
  }

  /** The samples of a chunk that must be there. */
  async read(level: number, plane: number, row: number, column: number): Promise<RasterSamples> {
    const name = chunkName(level, plane, row, column);
    const samples = this.empty();
    const bytes = await this.folder.readChunk(name, samples.byteLength);
    if (!bytes) {
      const { parameter, path } = this.folder;
      const rule = `must have intact chunks, which ${name} is not`;
      throw new InputError(parameter, rule, path, 'remove this chunk and run the command again');
    }
    bytesOf(samples).set(bytes);
    return samples;
  }

  /** Writes a chunk. */
  async write(level: number, plane: number, row: number, column: number, samples: RasterSamples): Promise<void> {
    await this.folder.write(chunkName(level, plane, row, column), await (await zstd()).encode(bytesOf(samples)));
  }
}
