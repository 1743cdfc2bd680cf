import type { ColouredNoise } from 'ght';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { drawNoise } from '../../src/draw/noise.js';

const range = [0, 255] as const;
const drawn = (plot: Parameters<typeof drawNoise>[0]) => {
  const { document } = parseHTML(drawNoise(plot));
  const [frequency, brightness] = [...document.querySelectorAll('svg svg')];
  return { document, frequency, brightness };
};
const texts = (element: Element) => [...element.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
/** The heights of the points of each curve, in pixels from the top. */
const heights = (panel: Element) =>
  [...panel.querySelectorAll('[aria-label="line"] path')].map((path) => {
    const points = (path.getAttribute('d') ?? '').split(/[ML]/).slice(1);
    return points.map((point) => Number(point.split(',')[1]));
  });

describe('drawNoise', () => {
  it('shows coloured noise falling over frequency, and its level rising over brightness', () => {
    const row = (level: number) => Float64Array.from({ length: 64 }, (_, f) => level / (1 + Math.hypot(f & 7, f >> 3)));
    const noise: ColouredNoise = { kind: 'coloured', brightness: [50, 200], deviations: [[row(5), row(20)]] };
    const { frequency, brightness } = drawn({ title: 'a.png', description: 'noise: coloured', noise, range });
    const [falling] = heights(frequency);
    expect(falling).toHaveLength(9);
    expect(falling).toEqual([...falling].sort((a, b) => a - b));
    const [rising] = heights(brightness);
    // Constant beyond the known range.
    expect(rising).toHaveLength(4);
    expect(rising[0]).toBe(rising[1]);
    expect(rising[2]).toBe(rising[3]);
    expect(rising[2]).toBeLessThan(rising[1]);
    expect(texts(frequency)).toContain('grey');
  });

  it('shows one line per plane: luma and chromas of coloured noise, the channels of any other', () => {
    const flat = [new Float64Array(64).fill(3)];
    const coloured: ColouredNoise = { kind: 'coloured', brightness: [0], deviations: [flat, flat, flat] };
    const names = (noise: Parameters<typeof drawNoise>[0]['noise']) =>
      texts(drawn({ title: 'a.png', description: '', noise, range }).frequency);
    expect(names(coloured)).toEqual(expect.arrayContaining(['luma', 'chroma 1', 'chroma 2']));
    expect(names({ kind: 'white', sigma: [1, 2, 3] })).toEqual(expect.arrayContaining(['red', 'green', 'blue']));
    const plane = { gain: 2, sigma: 1, offset: 10 };
    expect(names({ kind: 'signal-dependent', planes: [plane, plane] })).toEqual(
      expect.arrayContaining(['channel 0', 'channel 1']),
    );
  });

  it('shows the file name and the description above the panels, escaped and in lines that fit', () => {
    const description = `noise: coloured; ${'luma 7.9 at middle, '.repeat(12)}`.trim();
    const { document } = drawn({ title: '<a> & b.png', description, noise: { kind: 'white', sigma: [1] }, range });
    const lines = texts(document.documentElement);
    expect(lines[0]).toBe('<a> & b.png');
    expect(lines.slice(1, 4).join(' ')).toBe(description);
    for (const line of lines.slice(0, 4)) expect(line.length).toBeLessThan(110);
  });
});
