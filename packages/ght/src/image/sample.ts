/**
 * A sample of an image that is too large to be looked at as a whole: windows, usually of 512×512 pixels, spread evenly and put
 * together to an image. Windows begin at multiples of their side, so that a grid of 8×8 or 16×16 blocks in the image is one in the sample.
 */
import type { Image, Samples } from './image.js';
import { allOf, cut, emptyLike, place, type Rectangle, type Size } from './rectangle.js';

/** The most pixels that are looked at. The estimates use fewer blocks than that, so a larger sample would not change them much. */
export const SAMPLED = 2 ** 24;
/** The largest and the smallest side of a window: powers of two. */
const LARGEST = 512;
const SMALLEST = 16;

/** The windows of an image that are put together to a sample. */
export interface SampleLayout {
  /** The size of the sample. */
  readonly size: Size;
  /** Whether the sample is the whole image. */
  readonly whole: boolean;
  /** Where each window is in the image, and where it is in the sample. */
  readonly windows: readonly { readonly from: Rectangle; readonly to: Rectangle }[];
}

/** The sample of an image of at most this many pixels, or of one window. */
export function sampleLayout(image: Size, pixels: number): SampleLayout {
  if (image.width * image.height <= pixels) {
    const all = allOf(image);
    return { size: all, whole: true, windows: [{ from: all, to: all }] };
  }
  // There are about 16 windows or more.
  const side = Math.min(LARGEST, Math.max(SMALLEST, 2 ** Math.floor(Math.log2(Math.sqrt(pixels) / 4))));
  const [width, height] = [Math.min(side, image.width), Math.min(side, image.height)];
  // Whole windows alone, so that all have the same size.
  const [across, down] = [Math.floor(image.width / width), Math.floor(image.height / height)];
  const most = Math.max(1, Math.floor(pixels / (width * height)));
  const columns = Math.min(across, most, Math.max(1, Math.floor(Math.sqrt((most * across) / down))));
  const rows = Math.min(down, Math.max(1, Math.floor(most / columns)));
  const windows = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [left, top] = [middle(column, columns, across) * width, middle(row, rows, down) * height];
      const to = { left: column * width, top: row * height, width, height };
      windows.push({ from: { left, top, width, height }, to });
    }
  }
  return { size: { width: columns * width, height: rows * height }, whole: false, windows };
}

/** The window in the middle of part i of n equal parts of a row of `count` windows. */
function middle(i: number, n: number, count: number): number {
  return Math.floor(((i + 0.5) * count) / n);
}

/** The sample of planes of an image; the planes themselves if it is the whole image. */
export function sampledPlanes(
  planes: readonly Samples[],
  image: Size,
  { size, whole, windows }: SampleLayout,
): readonly Samples[] {
  if (whole) return planes;
  return planes.map((plane) => {
    const sample = emptyLike(plane, size.width * size.height);
    for (const { from, to } of windows) place(cut(plane, allOf(image), from), to, sample, allOf(size));
    return sample;
  });
}

/** The sample of an image. */
export function sampledImage(image: Image, layout: SampleLayout): Image {
  const { width, height } = layout.size;
  const { planes, alpha } = image;
  const [sampled, [opacity]] = [planes, alpha ? [alpha] : []].map((some) => sampledPlanes(some, image, layout));
  return { ...image, width, height, planes: sampled, ...(opacity && { alpha: opacity }) };
}
