import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { tick } from './numbers.js';
import { type Look, neutral } from './palette.js';
import { serialise } from './svg.js';

/** An axis: its label with the unit, and its scale. */
export interface Axis {
  readonly label: string;
  readonly log?: boolean;
  /** Whether a linear axis starts at zero. */
  readonly zero?: boolean;
  readonly ticks?: readonly number[];
  readonly format?: (value: number) => string;
}

/** One curve of a plot, labelled at its end. */
export interface Curve {
  readonly label: string;
  readonly look: Look;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** Curves over a common axis. */
export interface CurvePlot {
  /** The alternative text. */
  readonly alt: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly curves: readonly Curve[];
  /** A second scale along the top: the values of x divided by this unit. */
  readonly top?: { readonly label: string; readonly unit: number };
  /** A value of x to mark. */
  readonly rule?: { readonly x: number; readonly label: string };
  /** A heading above the names of the curves. */
  readonly heading?: string;
}

/** A histogram of whole numbers. */
export interface BarPlot {
  readonly alt: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly counts: readonly number[];
  readonly rule?: CurvePlot['rule'];
}

/** The size of all plots, small enough to be readable on a phone. */
export const PLOT_SIZE = { width: 400, height: 290 } as const;
const { width: WIDTH, height: HEIGHT } = PLOT_SIZE;
const MARGIN = { left: 48, top: 32, bottom: 42 };
const FONT = 13;
const LABEL_STEP = 15;
const LABEL_GAP = 16;
/** Approximate number of symbols per curve: all points of a short one, some of a long one. */
const SYMBOLS = 8;

/** Draws curves as a standalone SVG. */
export function drawCurves(plot: CurvePlot): string {
  const { x, y, top, rule, heading } = plot;
  const curves = plot.curves
    .map((curve) => ({ ...curve, points: curve.points.filter((point) => isDrawable(point, x, y)) }))
    .filter(({ points }) => points.length > 0);
  // Empty axes remain if there is no value to draw.
  const all = curves.length > 0 ? curves.flatMap(({ points }) => points) : [{ x: 1, y: 1 }];
  const xs = all.map((point) => point.x);
  const ys = all.map((point) => point.y);
  const frame = {
    marginLeft: MARGIN.left,
    marginRight: LABEL_GAP + 9 + Math.max(...[heading ?? '', ...curves.map(({ label }) => label)].map(textWidth)),
    marginTop: MARGIN.top + (top ? 36 : 0),
    marginBottom: MARGIN.bottom,
    x: scale(x, xs, false),
    y: scale(y, ys, true),
  };
  const xTicks = x.ticks ?? (x.log ? logTicks(xs) : undefined);
  const marks: Plot.Markish[] = [
    ...axes(x, y, xTicks, y.ticks ?? (y.log ? logTicks(ys, PADDING) : undefined), frame),
    top && [secondAxis(top, xs), caption(top.label, frame, 28)],
    ...ruled(rule),
    ...curves.map(({ points, look }) =>
      Plot.line(points, { x: 'x', y: 'y', stroke: look.colour, strokeWidth: 1.75, strokeDasharray: look.dash }),
    ),
    ...curves.map(({ points, look }, i) =>
      Plot.dot(points.filter(shownOf(points.length, i, curves.length)), { x: 'x', y: 'y', ...drawn(look) }),
    ),
  ];
  // The ends of the curves are known only once they are drawn, so their names are added in a second drawing.
  const bare = render({ ...frame, marks }, plot.alt);
  const ends = curves.map(({ points }) => {
    const { x, y } = points[points.length - 1];
    return { x: bare.at('x', x), y: bare.at('y', y) };
  });
  const from = frame.marginTop + (heading ? LABEL_STEP + 3 : 0);
  const heights = spread(
    ends.map((end) => end.y),
    from,
    HEIGHT - frame.marginBottom,
  );
  const left = WIDTH - frame.marginRight + LABEL_GAP;
  const names = curves.flatMap(({ label, look }, i) => [
    joined(ends[i], { x: left - 6, y: heights[i] }, look),
    Plot.dot([0], { ...fixed(left, heights[i]), ...drawn(look) }),
    Plot.text([label], { ...fixed(left + 7, heights[i]), text: (d) => d, fill: look.colour, textAnchor: 'start' }),
  ]);
  if (heading) names.push(Plot.text([heading], { ...fixed(left - 5, frame.marginTop), textAnchor: 'start' }));
  return render({ ...frame, marks: [...marks, ...names] }, plot.alt).text();
}

/** Draws a histogram of 0, 1, 2, … as a standalone SVG. */
export function drawBars({ alt, x, y, counts, rule }: BarPlot, { colour }: Look): string {
  const frame = { marginLeft: MARGIN.left, marginRight: 14, marginTop: MARGIN.top, marginBottom: MARGIN.bottom };
  const bars = counts.map((times, value) => ({ from: value - 0.5, to: value + 0.5, times }));
  const marks = [
    ...axes(x, y, undefined, undefined, frame),
    Plot.rect(bars, {
      x1: 'from',
      x2: 'to',
      y1: () => 0,
      y2: 'times',
      fill: colour,
      insetLeft: 0.25,
      insetRight: 0.25,
    }),
    ...ruled(rule),
  ];
  return render({ ...frame, marks, x: { nice: true }, y: { nice: true } }, alt).text();
}

/** The ticks of a log axis: powers of ten, with 2 and 5 if these are few. */
export function logTicks(values: readonly number[], padding = 1): number[] {
  const [low, high] = [Math.min(...values) / padding, Math.max(...values) * padding];
  const steps = high / low > 300 ? [1] : high / low > 6 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    // By division, since multiplying by a negative power of ten does not give the nearest number.
    for (const step of steps) ticks.push(power < 0 ? step / 10 ** -power : step * 10 ** power);
  }
  return ticks.filter((value) => value >= low && value <= high);
}

/** Moves heights apart, keeping their order, until they are one line of text from each other and within limits. */
export function spread(heights: readonly number[], top: number, bottom: number, step = LABEL_STEP): number[] {
  const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b] || a - b);
  const moved = [...heights];
  order.forEach((i, rank) => {
    moved[i] = Math.max(heights[i], rank === 0 ? top : moved[order[rank - 1]] + step);
  });
  order.reverse().forEach((i, rank) => {
    moved[i] = Math.min(moved[i], rank === 0 ? bottom : moved[order[rank - 1]] - step);
  });
  return moved;
}

/** The space that a log axis leaves beyond the smallest and the largest value. */
const PADDING = 1.08;

function scale(axis: Axis, values: readonly number[], padded: boolean): Plot.ScaleOptions {
  const pad = padded ? PADDING : 1;
  if (axis.log) return { type: 'log', domain: [Math.min(...values) / pad, Math.max(...values) * pad] };
  return {
    type: 'linear',
    zero: axis.zero,
    nice: padded,
    ...(padded ? {} : { domain: [Math.min(...values), Math.max(...values)] }),
  };
}

function axes(
  x: Axis,
  y: Axis,
  xTicks: readonly number[] | undefined,
  yTicks: readonly number[] | undefined,
  frame: Margins,
) {
  const light = { stroke: 'currentColor', strokeOpacity: 0.12 };
  return [
    Plot.gridY({ ticks: yTicks ?? 5, ...light }),
    Plot.gridX({ ticks: xTicks ?? 6, ...light }),
    // As text, not as tickFormat, which omits some labels on a log scale.
    Plot.axisY({ ticks: yTicks ?? 5, text: y.format ?? tick, label: null, tickSize: 4 }),
    Plot.axisX({
      ticks: xTicks ?? 6,
      text: x.format ?? tick,
      tickSize: 4,
      label: x.label,
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: 38,
    }),
    caption(y.label, frame, 10),
  ];
}

interface Margins {
  readonly marginLeft: number;
  readonly marginTop: number;
}

/** The label of an axis, above the plot, `height` pixels from its upper edge. */
function caption(label: string, { marginLeft, marginTop }: Margins, height: number) {
  const place = { frameAnchor: 'top-left' as const, lineAnchor: 'middle' as const };
  return Plot.text([label], { ...place, dx: 4 - marginLeft, dy: height - marginTop });
}

function secondAxis({ unit }: { readonly unit: number }, xs: readonly number[]) {
  const ticks = logTicks(xs.map((x) => x / unit)).map((value) => value * unit);
  return Plot.axisX(ticks, { anchor: 'top', text: (x: number) => tick(x / unit), tickSize: 4, label: null });
}

function ruled(rule: CurvePlot['rule']): Plot.Markish[] {
  if (!rule) return [];
  const text = { x: () => rule.x, frameAnchor: 'top' as const, textAnchor: 'start' as const, dx: 4, dy: 5 };
  return [
    Plot.ruleX([rule.x], { stroke: neutral.colour, strokeDasharray: '3 3' }),
    Plot.text([rule.label], { ...text, fill: neutral.colour }),
  ];
}

function drawn({ symbol, colour }: Look) {
  return { symbol, fill: colour, r: 3.2 };
}

/** A position in pixels, independent of the axes. */
function fixed(x: number, y: number) {
  return { x: { value: () => x, scale: null }, y: { value: () => y, scale: null } };
}

function joined(end: Place, name: Place, { colour }: Look) {
  return Plot.link([0], {
    x1: { value: () => end.x + 4, scale: null },
    y1: { value: () => end.y, scale: null },
    x2: { value: () => name.x, scale: null },
    y2: { value: () => name.y, scale: null },
    stroke: colour,
    strokeOpacity: 0.5,
    strokeWidth: 0.75,
  });
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Approximate width of a text in the widest of the common fonts, since no font is available for measuring. */
function textWidth(text: string): number {
  const widths = [...text].map((character) =>
    /[A-Z=]/.test(character) ? 0.75 : /[ .,-]/.test(character) ? 0.36 : 0.62,
  );
  return Math.ceil(FONT * widths.reduce((sum, width) => sum + width, 0));
}

/** Symbols of long curves are thinned, each curve at different points so that they do not hide each other. */
function shownOf(length: number, index: number, curves: number) {
  const step = Math.max(1, Math.floor(length / SYMBOLS));
  const offset = Math.floor((index * step) / curves);
  return (_: unknown, i: number) => i % step === offset;
}

function isDrawable(point: Place, x: Axis, y: Axis): boolean {
  const finite = Number.isFinite(point.x) && Number.isFinite(point.y);
  return finite && (!x.log || point.x > 0) && (!y.log || point.y > 0);
}

/** The only code that uses the DOM: Plot draws into a document without a browser. */
function render(options: Plot.PlotOptions, alt: string) {
  const { document } = parseHTML('<!doctype html><html></html>');
  const svg = Plot.plot({ ...options, document, width: WIDTH, height: HEIGHT, className: 'plot' });
  const set = { height: null, width: null, xmlns: 'http://www.w3.org/2000/svg', role: 'img', 'aria-label': alt };
  const root = { ...set, color: '#222222', 'font-size': String(FONT), 'font-family': 'system-ui, sans-serif' };
  for (const [name, value] of Object.entries(root)) {
    if (value === null) svg.removeAttribute(name);
    else svg.setAttribute(name, value);
  }
  const background = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({ class: 'background', width: WIDTH, height: HEIGHT, fill: '#ffffff' })) {
    background.setAttribute(name, String(value));
  }
  svg.insertBefore(background, svg.firstChild);
  return {
    at: (name: 'x' | 'y', value: number) => Number(svg.scale(name)?.apply(value)),
    text: () => serialise(svg),
  };
}
