import { measure } from './numbers.js';
import { type Frame, type Point, pathOf, scalesOf } from './plot.js';

/** A curve of the convergence plot. */
export interface Curve {
  readonly name: string;
  readonly title: string;
  readonly points: readonly Point[];
  readonly dashed?: boolean;
}

/** The colours of the solvers on white paper, as in the light page. */
const colours: Readonly<Record<string, string>> = {
  qpm: '#0072b2',
  admm: '#c25400',
  'joint-omp': '#00805d',
  omp: '#555555',
  aiht: '#b25a8c',
  cosamp: '#9a6a00',
};

/** The convergence plot as a file of its own, with a legend. */
export function plotSvg(curves: readonly Curve[], width = 640, height = 400): string {
  const frame: Frame = { width, height, left: 60, right: 150, top: 16, bottom: 48 };
  const scales = scalesOf(
    curves.flatMap(({ points }) => points),
    frame,
  );
  const [right, bottom] = [width - frame.right, height - frame.bottom];
  const text = (x: number, y: number, anchor: string, label: string, more = '') =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${more}>${label}</text>`;
  const parts = [
    ...scales.yTicks.flatMap((tick) => {
      const y = scales.y(tick);
      const line = `<path d="M${frame.left} ${y.toFixed(1)}H${right}" stroke="#dcdddf"/>`;
      return [line, text(frame.left - 8, y + 4, 'end', measure(tick))];
    }),
    ...scales.xTicks.map((tick) => text(scales.x(tick), bottom + 18, 'middle', String(tick))),
    text((frame.left + right) / 2, height - 8, 'middle', 'iteration'),
    text(0, 0, 'middle', 'RMSE per patch', ` transform="translate(14 ${(frame.top + bottom) / 2}) rotate(-90)"`),
    ...curves.flatMap(({ name, title, points, dashed }, i) => {
      const colour = colours[name] ?? '#000';
      const y = frame.top + 14 + 20 * i;
      const line = `fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ''}`;
      const only = points.length === 1 ? points[0] : undefined;
      const dot = only && `<circle cx="${scales.x(only.k)}" cy="${scales.y(only.rmse)}" r="4" fill="${colour}"/>`;
      return [
        `<path d="${pathOf(points, scales)}" ${line}/>`,
        ...(dot ? [dot] : []),
        `<path d="M${right + 12} ${y - 4}h24" ${line}/>`,
        text(right + 42, y, 'start', title),
      ];
    }),
  ];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const font = 'font-family="sans-serif" font-size="12" fill="#1d2025"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>\n${parts.join('\n')}\n</svg>\n`;
}
