import { type FileHandle, open } from 'node:fs/promises';

/** A part of a file. */
interface Range {
  readonly offset: number;
  readonly length: number;
}

/**
 * A file for geotiff. Ranges that go beyond the end come back shorter, so that what is missing is noticed: geotiff's own reader of files
 * gives zeros there, and allocates whatever a damaged file asks for.
 */
export class FileRanges {
  private constructor(
    readonly file: FileHandle,
    readonly fileSize: number,
  ) {}

  /** Opens a file. */
  static async open(path: string): Promise<FileRanges> {
    const file = await open(path);
    return new FileRanges(file, (await file.stat()).size);
  }

  /** The content of several ranges. */
  fetch(ranges: readonly Range[], signal?: AbortSignal): Promise<ArrayBuffer[]> {
    return Promise.all(ranges.map(async (range) => (await this.fetchSlice(range, signal)).data));
  }

  /** The content of a range. */
  async fetchSlice({ offset, length }: Range, signal?: AbortSignal): Promise<Range & { readonly data: ArrayBuffer }> {
    signal?.throwIfAborted();
    const data = new ArrayBuffer(Math.max(0, Math.min(length, this.fileSize - offset)));
    for (let done = 0; done < data.byteLength; ) {
      const { bytesRead } = await this.file.read(new Uint8Array(data, done), 0, data.byteLength - done, offset + done);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      done += bytesRead;
    }
    return { offset, length: data.byteLength, data };
  }

  /** Closes the file. */
  close(): Promise<void> {
    return this.file.close();
  }
}
