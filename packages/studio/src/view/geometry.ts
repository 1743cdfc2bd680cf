import type { Rectangle } from 'ght';
import type { Point } from '../state/mask.svelte.js';

/** The position of the picture on the stage: image pixel (u, v) is at (x + scale·u, y + scale·v). */
export interface Placement {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** A width and a height. */
export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** The whole picture, centred and as large as the stage allows; a tiny one is enlarged at most 32 times. */
export function fitted(image: Extent, stage: Extent): Placement {
  const scale = Math.min(stage.width / image.width, stage.height / image.height, 32);
  return { scale, x: (stage.width - scale * image.width) / 2, y: (stage.height - scale * image.height) / 2 };
}

/** Zooms by a factor around a fixed point of the stage, from a quarter of the fitted scale to 64 screen pixels per image pixel. */
export function zoomed(place: Placement, factor: number, px: number, py: number, fit: number): Placement {
  const scale = Math.min(64, Math.max(fit / 4, place.scale * factor));
  const by = scale / place.scale;
  return { scale, x: px - (px - place.x) * by, y: py - (py - place.y) * by };
}

/** Moves the picture within its frame: a picture that is larger than the stage covers it, a smaller one stays in its middle. */
export function moved(place: Placement, dx: number, dy: number, image: Extent, stage: Extent): Placement {
  const keep = (at: number, size: number, room: number) =>
    size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at));
  return {
    scale: place.scale,
    x: keep(place.x + dx, place.scale * image.width, stage.width),
    y: keep(place.y + dy, place.scale * image.height, stage.height),
  };
}

/** The placement with an image pixel in the middle of the stage. */
export function placed(scale: number, middle: Point, stage: Extent): Placement {
  return { scale, x: stage.width / 2 - scale * middle.x, y: stage.height / 2 - scale * middle.y };
}

/** A placement as the zoom and the image pixel in the middle, with few digits, since they are written into a link. */
export function viewOf({ scale, x, y }: Placement, stage: Extent): { zoom: number; x: number; y: number } {
  const zoom = Number(scale.toPrecision(4));
  const middle = (at: number, room: number) => Number(((room / 2 - at) / scale).toFixed(2));
  return { zoom, x: middle(x, stage.width), y: middle(y, stage.height) };
}

/** The pixels of the image that are visible; undefined if there are none. */
export function visible(place: Placement, image: Extent, stage: Extent): Rectangle | undefined {
  const along = (at: number, room: number, size: number) => {
    const from = Math.max(0, Math.floor(-at / place.scale));
    return [from, Math.min(size, Math.ceil((room - at) / place.scale)) - from] as const;
  };
  const [left, width] = along(place.x, stage.width, image.width);
  const [top, height] = along(place.y, stage.height, image.height);
  return width > 0 && height > 0 ? { left, top, width, height } : undefined;
}

/**
 * The factor by which a wheel zooms; undefined if it is none: two fingers on a touchpad, which move the picture. A wheel turns
 * in large steps, and a pinch comes with the control key.
 */
export function wheelZoom(event: Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode' | 'ctrlKey'>): number | undefined {
  const { deltaX, deltaY, deltaMode, ctrlKey } = event;
  if (deltaMode !== 0) return 2 ** (-deltaY / 8);
  if (Math.abs(deltaY) >= 50 && deltaX === 0) return 2 ** (-deltaY / 240);
  return ctrlKey ? 2 ** (-deltaY / 60) : undefined;
}

/** A point of the stage in pixels of the image, which may be outside the picture. */
export function pointAt(place: Placement, { x, y }: Point): Point {
  return { x: (x - place.x) / place.scale, y: (y - place.y) / place.scale };
}

/** The image pixel under a point of the stage; undefined outside the picture. */
export function pixelAt(place: Placement, px: number, py: number, image: Extent): { x: number; y: number } | undefined {
  const x = Math.floor((px - place.x) / place.scale);
  const y = Math.floor((py - place.y) / place.scale);
  return x >= 0 && y >= 0 && x < image.width && y < image.height ? { x, y } : undefined;
}

/** The divider's position, as a fraction of the stage, after a key; undefined if the key does not move it. */
export function dividerKey(key: string, at: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.1, PageUp: 0.1 };
  if (key === 'Home') return 0;
  if (key === 'End') return 1;
  return key in steps ? within(at + steps[key], 0, 1) : undefined;
}

/** A value clamped to a range. */
export function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
