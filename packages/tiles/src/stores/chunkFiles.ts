import { InputError } from 'ght';
import type { RasterSamples } from 'ght-images';
import { bytesOf, type Codec, chunkName, type ZarrFolder, zstd } from './zarrChunks.js';
import { type SampleType, sampleTypeOf, type ZarrRecord } from './zarrLayout.js';

const arrays = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const satisfies Record<SampleType, unknown>;

/** The chunks of all levels as samples. */
export class ChunkFiles {
  readonly #Samples: (typeof arrays)[SampleType];

  private constructor(
    readonly folder: ZarrFolder,
    readonly record: ZarrRecord,
    readonly codec: Codec,
  ) {
    this.#Samples = arrays[sampleTypeOf(record.picture)];
  }

  /** The chunks of a picture in a folder. */
  static async open(folder: ZarrFolder, record: ZarrRecord): Promise<ChunkFiles> {
    return new ChunkFiles(folder, record, await zstd());
  }

  /** A chunk of zeros. */
  empty(): RasterSamples {
    return new this.#Samples(this.record.chunk ** 2);
  }

  /** The samples of a chunk that must be there. */
  async read(level: number, plane: number, row: number, column: number): Promise<RasterSamples> {
    const name = chunkName(level, plane, row, column);
    const packed = await this.folder.read(name);
    const bytes = packed && (await Promise.resolve(this.codec.decode(packed)).catch(() => undefined));
    const samples = this.empty();
    if (bytes?.length !== samples.byteLength) {
      const rule = `must have intact chunks, which ${name} is not`;
      throw new InputError(
        this.folder.parameter,
        rule,
        this.folder.path,
        'remove this chunk and run the command again',
      );
    }
    bytesOf(samples).set(bytes);
    return samples;
  }

  /** Writes a chunk. */
  async write(level: number, plane: number, row: number, column: number, samples: RasterSamples): Promise<void> {
    await this.folder.write(chunkName(level, plane, row, column), await this.codec.encode(bytesOf(samples)));
  }
}
