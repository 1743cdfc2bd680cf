/** The noise of an image as a picture of two panels: its deviation over frequency, and its level over brightness. */
import type { ColouredNoise, NoiseModel } from 'ght';
import { escapeText } from './markup.js';
import type { Look } from './palette.js';
import { type Axis, type Curve, drawCurves, PLOT_SIZE } from './plot.js';

/** The contents of a noise plot. */
export interface NoisePlot {
  /** The heading, such as the name of the file. */
  readonly title: string;
  /** A description of the noise, below the title. */
  readonly description: string;
  readonly noise: NoiseModel;
  /** The range of samples that the image may have. */
  readonly range: readonly [least: number, most: number];
}

type Point = Curve['points'][number];

const [SIDE, MARGIN, LINE] = [8, 14, 18];
/** Characters per line over both panels, in the widest of the common fonts. */
const LINE_LENGTH = 105;
/** The radii that count as middle frequencies: wavelengths of 3 to 8 pixels. */
const isMiddle = (r: number) => r >= 2 && r < 5;

const black: Look = { colour: '#333333', dark: '#dddddd', symbol: 'circle' };
const orange: Look = { colour: '#d55e00', dark: '#f0803c', symbol: 'square' };
const green: Look = { colour: '#009e73', dark: '#2fc79a', symbol: 'triangle' };
const blue: Look = { colour: '#0072b2', dark: '#56a8e0', symbol: 'diamond' };

/** Draws the noise of an image as a standalone SVG. */
export function drawNoise({ title, description, noise, range }: NoisePlot): string {
  const planes = planesOf(noise, range);
  const named = (points: (plane: Plane) => readonly Point[]): Curve[] =>
    planes.map((plane) => ({ label: plane.label, look: plane.look, points: points(plane) }));
  const y: Axis = { label: 'deviation', zero: true };
  const panels = [
    drawCurves({
      alt: `Deviation of the noise over frequency, ${title}.`,
      x: { label: 'frequency (half waves per 8 pixels)', ticks: [0, 2, 4, 6, 8] },
      y,
      curves: named(({ overFrequency }) => overFrequency),
    }),
    drawCurves({
      alt: `Level of the noise over brightness, ${title}.`,
      x: { label: 'brightness' },
      y: { ...y, label: noise.kind === 'coloured' ? 'deviation at middle frequencies' : y.label },
      curves: named(({ overBrightness }) => overBrightness),
    }),
  ];
  const lines = [title, ...wrapped(description), ...notes(noise)];
  // The axis labels and the lines of text above are aligned, slightly inside each panel.
  const left = MARGIN - 4;
  const [width, top] = [left + 2 * PLOT_SIZE.width, MARGIN + LINE * lines.length];
  const placed = panels.map((svg, i) => {
    const place = `<svg x="${left + i * PLOT_SIZE.width}" y="${top}" width="${PLOT_SIZE.width}" height="${PLOT_SIZE.height}"`;
    return svg.replace('<svg', place);
  });
  const text = lines.map((line, i) => {
    const weight = i === 0 ? ' font-weight="bold"' : '';
    return `  <text x="${MARGIN}" y="${MARGIN + LINE * (i + 0.5)}"${weight}>${escapeText(line)}</text>\n`;
  });
  const height = top + PLOT_SIZE.height + left;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(`${title}: ${description}`)}" font-family="system-ui, sans-serif" font-size="13" fill="#222222">
  <rect width="${width}" height="${height}" fill="#ffffff"/>
${text.join('')}${placed.join('')}</svg>
`;
}

/** Notes that are needed to read the deviations. */
function notes(noise: NoiseModel): string[] {
  if (noise.kind !== 'coloured') return [];
  return ['Drawn as denoise removes it: with its margin for overlapping patches, and the steps of a JPEG.'];
}

interface Plane {
  readonly label: string;
  readonly look: Look;
  readonly overFrequency: readonly Point[];
  readonly overBrightness: readonly Point[];
}

function planesOf(noise: NoiseModel, range: NoisePlot['range']): Plane[] {
  const [least, most] = range;
  switch (noise.kind) {
    case 'white':
      return noise.sigma.map((sigma, c, { length }) => ({
        ...channel(c, length),
        overFrequency: [0, SIDE].map((x) => ({ x, y: sigma })),
        overBrightness: [least, most].map((x) => ({ x, y: sigma })),
      }));
    case 'signal-dependent':
      return noise.planes.map(({ gain, sigma, offset }, c, { length }) => {
        const at = (x: number) => Math.sqrt(gain * Math.max(0, x - offset) + sigma ** 2);
        return {
          ...channel(c, length),
          overFrequency: [0, SIDE].map((x) => ({ x, y: at((least + most) / 2) })),
          overBrightness: Array.from({ length: 33 }, (_, i) => least + (i / 32) * (most - least)).map((x) => {
            return { x, y: at(x) };
          }),
        };
      });
    default:
      return noise.deviations.map((_, c) => ({
        ...axis(c, noise.deviations.length),
        overFrequency: rings(noise.deviations[c][Math.floor(noise.brightness.length / 2)]),
        overBrightness: levels(noise, c, range),
      }));
  }
}

function channel(c: number, channels: number): Pick<Plane, 'label' | 'look'> {
  if (channels === 1) return { label: 'grey', look: black };
  const rgb = ['red', 'green', 'blue'];
  return { label: channels === 3 ? rgb[c] : `channel ${c}`, look: [orange, green, blue, black][c % 4] };
}

/** The look of a colour axis; images with another number of channels have none. */
function axis(c: number, channels: number): Pick<Plane, 'label' | 'look'> {
  if (channels !== 3) return channel(c, channels);
  return { label: ['luma', 'chroma 1', 'chroma 2'][c], look: [black, orange, blue][c] };
}

/** The root mean square of the deviations at each whole radius. */
function rings(deviations: ArrayLike<number>): Point[] {
  return Array.from({ length: SIDE + 1 }, (_, x) => ({ x, y: levelAt(deviations, (r) => Math.round(r) === x) }));
}

/** The level at middle frequencies over brightness, in the units of one channel; constant beyond the known range. */
function levels({ brightness, deviations }: ColouredNoise, c: number, [least, most]: NoisePlot['range']): Point[] {
  const unit = deviations.length === 3 ? Math.sqrt(3) : 1;
  const known = brightness.map((value, b) => ({ x: value / unit, y: levelAt(deviations[c][b], isMiddle) }));
  const within = known.filter(({ x }) => x > least && x < most);
  return [{ x: least, y: known[0].y }, ...within, { x: most, y: known[known.length - 1].y }];
}

function levelAt(deviations: ArrayLike<number>, counts: (r: number) => boolean): number {
  let [sum, count] = [0, 0];
  for (let f = 0; f < SIDE * SIDE; f++) {
    if (!counts(Math.hypot(f % SIDE, Math.floor(f / SIDE)))) continue;
    sum += deviations[f] ** 2;
    count++;
  }
  return Math.sqrt(sum / count);
}

/** A text broken into lines that fit over both panels. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (longer.length <= LINE_LENGTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
