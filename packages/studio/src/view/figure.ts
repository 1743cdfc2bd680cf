/** Figures for a talk: the two pictures of the stage with their labels, side by side or on both sides of the divider. */
import { heatColour } from 'ght/draw';
import type { Layer } from '../worker/layer.js';
import { measure } from './numbers.js';

/** A picture with its overlay. */
export interface Pane {
  readonly title: string;
  readonly picture: Layer;
  readonly overlay?: Layer;
  readonly opacity?: number;
}

/** The meaning of the colours of an overlay. */
export interface Legend {
  readonly title: string;
  readonly most: number;
}

/** The longest side of a figure: beyond it browsers give no canvas. */
const MOST_SIDE = 16_000;

/** Both pictures side by side. */
export function sideBySide(left: Pane, right: Pane, legend?: Legend): HTMLCanvasElement {
  const size = sizeOf([left, right], 2);
  const gap = Math.round(size.bar / 3);
  return figure({ width: 2 * size.width + gap, height: size.height }, size.bar, legend, (context) => {
    paint(context, left, 0, size);
    paint(context, right, size.width + gap, size);
    label(context, left.title, 0, size.bar);
    label(context, right.title, size.width + gap, size.bar);
  });
}

/** Both pictures over each other, with a line between them at `divider`, from 0 to 1. */
export function divided(left: Pane, right: Pane, divider: number, legend?: Legend): HTMLCanvasElement {
  const size = sizeOf([left, right], 1);
  return figure(size, size.bar, legend, (context) => {
    const at = Math.round(divider * size.width);
    paint(context, left, 0, size);
    context.save();
    context.beginPath();
    context.rect(at, size.bar, size.width - at, size.height);
    context.clip();
    // A transparent picture must not show the other one.
    context.clearRect(at, size.bar, size.width - at, size.height);
    paint(context, right, 0, size);
    context.restore();
    context.fillStyle = '#fff';
    context.fillRect(at - 1, size.bar, 2, size.height);
    label(context, left.title, 0, size.bar);
    label(context, right.title, size.width, size.bar, 'right');
  });
}

/** One picture or overlay with its scale. */
export function single(pane: Pane, legend?: Legend): HTMLCanvasElement {
  const size = sizeOf([pane], 1);
  return figure(size, size.bar, legend, (context) => {
    paint(context, pane, 0, size);
    label(context, pane.title, 0, size.bar);
  });
}

interface FigureSize {
  readonly width: number;
  readonly height: number;
  /** The height of the line of labels. */
  readonly bar: number;
}

/** The size of one picture: that of the largest, reduced if `across` of them would be too wide. */
function sizeOf(panes: readonly Pane[], across: number): FigureSize {
  const width = Math.max(...panes.map(({ picture }) => picture.width));
  const height = Math.max(...panes.map(({ picture }) => picture.height));
  const scale = Math.min(1, MOST_SIDE / (1.05 * across * width), MOST_SIDE / (1.2 * height));
  const [w, h] = [Math.max(1, Math.round(scale * width)), Math.max(1, Math.round(scale * height))];
  return { width: w, height: h, bar: Math.max(22, Math.round(0.045 * h)) };
}

function figure(
  size: { readonly width: number; readonly height: number },
  bar: number,
  legend: Legend | undefined,
  draw: (context: CanvasRenderingContext2D) => void,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = bar + size.height + (legend ? 3 * bar : 0);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gives no canvas of this size. Open the image reduced.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  draw(context);
  if (legend) scale(context, legend, bar + size.height, canvas.width, bar);
  return canvas;
}

function paint(context: CanvasRenderingContext2D, pane: Pane, x: number, { width, height, bar }: FigureSize): void {
  const { picture, overlay, opacity = 1 } = pane;
  context.imageSmoothingEnabled = picture.width > width;
  context.drawImage(canvasOf(picture), x, bar, width, height);
  if (!overlay) return;
  context.globalAlpha = opacity;
  context.drawImage(canvasOf(overlay), x, bar, width, height);
  context.globalAlpha = 1;
}

function canvasOf({ width, height, pixels }: Layer): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas;
}

function label(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  bar: number,
  align: 'left' | 'right' = 'left',
) {
  write(context, text, align === 'left' ? x + bar / 4 : x - bar / 4, 0.72 * bar, bar, align);
}

function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  bar: number,
  align: CanvasTextAlign,
) {
  context.fillStyle = '#1d2025';
  context.font = `${Math.round(0.6 * bar)}px sans-serif`;
  context.textAlign = align;
  context.fillText(text, x, y);
}

/** The colours from 0 to the most, with a number at either end and in the middle. */
function scale(context: CanvasRenderingContext2D, legend: Legend, top: number, width: number, bar: number): void {
  const [left, right] = [0.25 * bar, Math.min(width - 0.25 * bar, Math.max(12 * bar, 0.4 * width))];
  write(context, legend.title, left, top + 0.75 * bar, bar, 'left');
  for (let x = left; x < right; x++) {
    context.fillStyle = `rgb(${heatColour((x - left) / (right - left)).join(' ')})`;
    context.fillRect(x, top + bar, 1.5, 0.7 * bar);
  }
  const y = top + 2.5 * bar;
  write(context, '0', left, y, bar, 'left');
  write(context, measure(legend.most / 2), (left + right) / 2, y, bar, 'center');
  write(context, measure(legend.most), right, y, bar, 'right');
}
