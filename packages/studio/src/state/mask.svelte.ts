import type { Rectangle } from 'ght';
import type { Layer } from '../worker/layer.js';

/** A point, of the image or of what shows it. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The colour of missing pixels, which few photographs have. */
const COLOUR = [255, 0, 170, 255] as const;

/** The pixels that are to be filled. */
export class Mask {
  /** Another number after every change. */
  version = $state(0);
  /** The number of missing pixels. */
  count = $state(0);
  /** Whether the image is right under the mask, because it was damaged only as a test. */
  truth = $state(false);
  /** The mask in colour, transparent elsewhere. */
  layer = $state.raw<Layer>();
  /** 1 where a pixel is missing. */
  missing = new Uint8Array(0);

  /** Starts again, for an image of this size. */
  clear(width: number, height: number): void {
    this.missing = new Uint8Array(width * height);
    this.layer = { width, height, pixels: new Uint8ClampedArray(4 * width * height) };
    this.#changed(0, false);
  }

  /** Takes a whole mask. */
  replace(missing: Uint8Array<ArrayBuffer>, truth: boolean): void {
    if (!this.layer) return;
    this.missing = missing;
    let count = 0;
    for (let i = 0; i < missing.length; i++) {
      count += missing[i];
      this.#colour(this.layer, i);
    }
    this.#changed(count, truth);
  }

  /** Marks all pixels within the radius of a line, or unmarks them. */
  stroke(from: Point, to: Point, radius: number, value: 0 | 1): void {
    if (!this.layer) return;
    const { width, height } = this.layer;
    const [left, right] = [Math.min(from.x, to.x) - radius, Math.max(from.x, to.x) + radius];
    const [top, bottom] = [Math.min(from.y, to.y) - radius, Math.max(from.y, to.y) + radius];
    let { count } = this;
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y++) {
      for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x++) {
        const i = y * width + x;
        if (this.missing[i] === value || distance({ x: x + 0.5, y: y + 0.5 }, from, to) > radius) continue;
        this.missing[i] = value;
        count += 2 * value - 1;
        this.#colour(this.layer, i);
      }
    }
    if (count !== this.count) this.#changed(count, false);
  }

  /** The part of a window that has missing pixels, with a margin around them; undefined if it has none. */
  around({ left, top, width, height }: Rectangle, margin: number): Rectangle | undefined {
    const across = this.layer?.width ?? 0;
    let [x0, x1, y0, y1] = [left + width, -1, top + height, -1];
    for (let y = top; y < top + height; y++) {
      for (let x = left; x < left + width; x++) {
        if (this.missing[y * across + x] === 0) continue;
        [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
      }
    }
    if (x1 < 0) return undefined;
    const [x, y] = [Math.max(left, x0 - margin), Math.max(top, y0 - margin)];
    const right = Math.min(left + width, x1 + 1 + margin);
    const bottom = Math.min(top + height, y1 + 1 + margin);
    return { left: x, top: y, width: right - x, height: bottom - y };
  }

  /** The samples of a window. */
  cut({ left, top, width, height }: Rectangle): Uint8Array {
    const across = this.layer?.width ?? 0;
    return Uint8Array.from(
      { length: width * height },
      (_, i) => this.missing[(top + Math.floor(i / width)) * across + left + (i % width)],
    );
  }

  #colour({ pixels }: Layer, i: number): void {
    for (let c = 0; c < 4; c++) pixels[4 * i + c] = this.missing[i] * COLOUR[c];
  }

  #changed(count: number, truth: boolean): void {
    this.count = count;
    this.truth = truth;
    this.version++;
    // The same pixels in another object: a large mask is drawn again, not copied.
    if (this.layer) this.layer = { ...this.layer };
  }
}

/** The distance of a point from a line between two points. */
function distance(p: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const square = dx ** 2 + dy ** 2;
  const along = square === 0 ? 0 : ((p.x - from.x) * dx + (p.y - from.y) * dy) / square;
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(p.x - from.x - t * dx, p.y - from.y - t * dy);
}
