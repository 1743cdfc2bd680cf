// Draws the error on unseen patches against the CPU time of every learner: node bench/plot.js, after bench/learning.js has run.
// Reads bench/results/learning.json and writes bench/results/learning.svg.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { learners, start, s } = JSON.parse(readFileSync(here('results/learning.json'), 'utf8'));

const [width, height, margin] = [640, 400, 56];
const COLOURS = ['#0b6', '#06c', '#c50', '#777'];
const points = learners.flatMap(({ snapshots }) => snapshots);
const times = points.map(({ cpu }) => Math.log10(cpu));
const errors = [start.joint, ...points.map(({ joint }) => joint)];
const [left, right] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
const [bottom, top] = [Math.floor(Math.min(...errors)), Math.ceil(Math.max(...errors))];
const x = (cpu) => margin + ((Math.log10(cpu) - left) / (right - left)) * (width - 2 * margin);
const y = (error) => height - margin - ((error - bottom) / (top - bottom)) * (height - 2 * margin);
const label = (at, down, text, anchor = 'middle') =>
  `<text x="${at}" y="${down}" text-anchor="${anchor}">${text}</text>`;
const line = (from, to) => `<path d="M${from}L${to}" stroke="#ddd"/>`;

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const grid = [
  ...range(left, right).flatMap((power) => [
    line([x(10 ** power), margin], [x(10 ** power), height - margin]),
    label(x(10 ** power), height - margin + 18, 10 ** power),
  ]),
  ...range(bottom, top).flatMap((error) => [
    line([margin, y(error)], [width - margin, y(error)]),
    label(margin - 8, y(error) + 4, error, 'end'),
  ]),
];
const curves = learners.flatMap(({ name, snapshots }, i) => {
  const colour = COLOURS[i % COLOURS.length];
  const path = snapshots.map(({ cpu, joint }) => `${x(cpu).toFixed(1)} ${y(joint).toFixed(1)}`).join('L');
  const legend = label(width - margin - 8, margin + 18 * (i + 1), name, 'end').replace(
    '<text',
    `<text fill="${colour}"`,
  );
  return [`<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>`, legend];
});
const titles = [
  label(width / 2, height - 14, 'CPU seconds'),
  label(width / 2, 28, `RMSE per unseen patch, ${s} atoms per patch`),
];
const font = 'font-family="sans-serif" font-size="13"';
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${font}>`;
const parts = [svg, '<rect width="100%" height="100%" fill="#fff"/>', ...grid, ...curves, ...titles, '</svg>'];
writeFileSync(here('results/learning.svg'), `${parts.join('\n')}\n`);
