/** Denoises made series in parts, as stores do. */
import { cut, type Rectangle } from '../src/image/rectangle.js';
import { denoiseSeries, type Image, type SeriesOptions } from '../src/index.js';
import { denoiseWhole } from '../src/pipelines/denoise/whole.js';
import { resolveSeriesOptions } from '../src/pipelines/series/options.js';
import { type SeriesPage, wholePage } from '../src/pipelines/series/page.js';
import { denoisePages, type PageResult, type SeriesOutput } from '../src/pipelines/series/series.js';

/** What came of a series. */
export interface Parted {
  readonly planes: Float64Array[][];
  readonly results: PageResult[];
}

/** Denoises pages in parts of about this side; whole without one. `sampled` are the most pixels in which noise is looked for. */
export async function inParts(
  images: readonly Image[],
  { side, sampled, ...options }: SeriesOptions & { readonly side?: number; readonly sampled?: number },
): Promise<Parted> {
  const settings = resolveSeriesOptions(images[0].planes.length, options);
  const page = sampled === undefined ? settings.page : { ...settings.page, sampled };
  const planes = images.map((image) => image.planes.map((plane) => new Float64Array(plane.length)));
  const pages = images.map((image) => {
    const { width, height, peak, read } = wholePage(image);
    const copied = async (at: Rectangle) => (await read(at)).map((plane) => plane.slice());
    return { width, height, peak, read: copied };
  });
  const write = (number: number, at: Rectangle, result: readonly ArrayLike<number>[]) => {
    for (const [c, plane] of planes[number].entries()) {
      for (let y = 0; y < at.height; y++) {
        for (let x = 0; x < at.width; x++) {
          plane[(at.top + y) * images[0].width + at.left + x] = result[c][y * at.width + x];
        }
      }
    }
  };
  const all = { left: 0, top: 0, width: images[0].width, height: images[0].height };
  const output: SeriesOutput<SeriesPage> = {
    ...(side !== undefined && { tiles: { chunk: { width: 16, height: 16 }, side } }),
    has: async () => false,
    async write(number, _, at, result) {
      write(number, at, result ?? images[number].planes.map((plane) => cut(plane, all, at)));
    },
    async alone(number, _, own) {
      const { image, ...report } = await denoiseWhole(images[number], own);
      write(number, all, image.planes);
      return report;
    },
  };
  async function* stream() {
    yield* pages;
  }
  const results: PageResult[] = [];
  for await (const result of denoisePages(stream(), images.length, undefined, { ...settings, page }, output)) {
    results.push(result);
  }
  return { planes, results };
}

/** The same by the public function, from a stream. */
export async function asStream(images: readonly Image[], options: SeriesOptions): Promise<Float64Array[][]> {
  async function* stream() {
    yield* images;
  }
  const planes: Float64Array[][] = [];
  for await (const { image } of denoiseSeries(stream(), options)) {
    planes.push(image.planes.map((plane) => Float64Array.from(plane)));
  }
  return planes;
}
