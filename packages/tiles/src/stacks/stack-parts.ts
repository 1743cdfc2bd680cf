/** Parts of the pages of a stack in a folder of chunks: what is there stays there, and pages are read from it row by row. */
import type { Samples } from 'ght';
import type { Size } from 'ght/plans';
import { type LazyRaster, type RasterSamples, toRaster } from 'ght-images';
import type { Picture, Rectangle } from '../picture.js';
import { copyRows, piecesIn, planesOf, someAtOnce } from '../stores/windows.js';
import { bytesOf, type ZarrFolder, zstd } from '../stores/zarr-chunks.js';
import { sampleArrays, sampleTypeOf } from '../stores/zarr-layout.js';

/** Takes the results of pages in parts that consist of whole chunks, in any order. */
export interface PageParts {
  readonly chunk: Size;
  /** Whether a rectangle of a page is there from a run that was stopped. */
  has(page: number, at: Rectangle): Promise<boolean>;
  /** Writes the planes of a rectangle, opacity last. */
  write(page: number, at: Rectangle, planes: readonly Samples[]): Promise<void>;
}

/** The chunks of the pages of a stack. */
export class StackParts implements PageParts {
  readonly chunk: Size;
  constructor(
    readonly folder: ZarrFolder,
    readonly picture: Picture,
    readonly side: number,
    /** The folder of the chunks of a plane of a page. */
    readonly prefixOf: (page: number, plane: number) => string,
    /** Called when something is there. */
    readonly onPart: () => void,
  ) {
    this.chunk = { width: side, height: side };
  }

  async has(page: number, at: Rectangle): Promise<boolean> {
    for (const { row, column } of piecesIn(at, this.chunk)) {
      for (let plane = 0; plane < planesOf(this.picture); plane++) {
        if (!(await this.read(`${this.prefixOf(page, plane)}/${row}/${column}`))) return false;
      }
    }
    this.onPart();
    return true;
  }

  async write(page: number, at: Rectangle, planes: readonly Samples[]): Promise<void> {
    const { sample, depth } = this.picture;
    const packer = await zstd();
    const { left, top, width, height } = at;
    for (const [plane, samples] of planes.entries()) {
      const data = toRaster({ width, height, planes: [samples], peak: 1 }, sample, depth).rows(0, height);
      await someAtOnce(piecesIn(at, this.chunk), async (piece) => {
        // Chunks at the right and bottom are as large as all others, and filled up with zeros.
        const content = this.empty();
        const from = { data, at: (piece.top - top) * width + piece.left - left, stride: width };
        copyRows(from, { data: content, at: 0, stride: this.side }, piece.width, piece.height);
        const name = `${this.prefixOf(page, plane)}/${piece.row}/${piece.column}`;
        await this.folder.write(name, await packer.encode(bytesOf(content)));
      });
    }
    this.onPart();
  }

  /** A chunk of zeros. */
  empty(): RasterSamples {
    return new sampleArrays[sampleTypeOf(this.picture)](this.side ** 2);
  }

  /** The samples of a chunk; undefined if it is missing or damaged. */
  async read(name: string): Promise<RasterSamples | undefined> {
    const samples = this.empty();
    const bytes = await this.folder.readChunk(name, samples.byteLength);
    if (bytes) bytesOf(samples).set(bytes);
    return bytes && samples;
  }

  /** A page that is complete, of which a row of chunks is in memory. */
  raster(page: number): LazyRaster {
    const { width, height, alpha, sample, depth } = this.picture;
    const channels = planesOf(this.picture);
    let band: { readonly row: number; readonly planes: readonly RasterSamples[] } | undefined;
    const bandAt = async (row: number) => {
      if (band?.row !== row) band = { row, planes: await this.#bandOf(page, row) };
      return band.planes;
    };
    const rows = async (first: number, last: number) => {
      const Elements = this.empty().constructor as new (length: number) => RasterSamples;
      const samples = new Elements((last - first) * width * channels);
      for (let y = first; y < last; y++) {
        const planes = await bandAt(Math.floor(y / this.side));
        const from = (y % this.side) * width;
        for (const [c, plane] of planes.entries()) {
          let to = (y - first) * width * channels + c;
          for (let x = 0; x < width; x++, to += channels) samples[to] = plane[from + x];
        }
      }
      return samples;
    };
    return { width, height, channels, alpha, sample, depth, rows };
  }

  /** The planes of a row of chunks. */
  async #bandOf(page: number, row: number): Promise<readonly RasterSamples[]> {
    const { width, height } = this.picture;
    const top = row * this.side;
    const at = { left: 0, top, width, height: Math.min(this.side, height - top) };
    const planes: RasterSamples[] = [];
    for (let plane = 0; plane < planesOf(this.picture); plane++) {
      const Elements = this.empty().constructor as new (length: number) => RasterSamples;
      const all = new Elements(width * at.height);
      for (const piece of piecesIn(at, this.chunk)) {
        const name = `${this.prefixOf(page, plane)}/${row}/${piece.column}`;
        const data = await this.read(name);
        if (!data) throw new Error(`the chunk ${name} was removed`);
        const from = { data, at: 0, stride: this.side };
        copyRows(from, { data: all, at: piece.left, stride: width }, piece.width, piece.height);
      }
      planes.push(all);
    }
    return planes;
  }
}
