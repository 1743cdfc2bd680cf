import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { reportFiles } from '../../src/draw/index.js';
import { looks, neutral } from '../../src/draw/palette.js';
import { drawCurves, logTicks, spread } from '../../src/draw/plot.js';
import { sampleReport } from './sample.js';

const files = reportFiles(sampleReport());
const svgs = [...files].filter(([name]) => name.endsWith('.svg')) as [string, string][];

describe('every plot', () => {
  it.each(svgs)('%s is an SVG by itself, with both axes named', (_, text) => {
    const { svg, texts } = read(text);
    expect(svg.getAttribute('xmlns')).toBe('http://www.w3.org/2000/svg');
    expect(svg.getAttribute('aria-label')).toMatch(/\.$/);
    expect(svg.querySelector('.background')?.getAttribute('fill')).toBe('#ffffff');
    expect(svg.querySelector('g[aria-label="x-axis label"] text')?.textContent).toMatch(/\w/);
    expect(texts.some((label) => /^(support|RMSE|time|PSNR|number of)/.test(label))).toBe(true);
  });

  it.each(svgs)(
    '%s reads well in a diff: one element per line, short numbers, nothing specific to this machine',
    (_, text) => {
      const [, ...lines] = text.trimEnd().split('\n');
      for (const line of lines) expect(line).toMatch(/^ *<[^<>]+>([^<>]*<\/\w+>)?$/);
      expect(text).not.toMatch(/="[^"]*\d\.\d{3}/);
      expect(text).not.toMatch(/\bid=|url\(|NaN|undefined|<style/);
    },
  );

  it.each(svgs)('%s keeps what it draws within its frame', (_, text) => {
    const [, , width, height] = read(text).svg.getAttribute('viewBox')?.split(' ').map(Number) ?? [];
    for (const [, x, y] of text.matchAll(/<text[^>]* transform="translate\(([-\d.]+),([-\d.]+)\)"/g)) {
      expect(Number(x)).toBeLessThan(width);
      expect(Number(y)).toBeLessThan(height);
    }
  });

  it('has one colour and one symbol per solver, brightened on a dark page', () => {
    const all = [...Object.values(looks), neutral];
    expect(new Set(all.map(({ colour }) => colour)).size).toBe(all.length);
    expect(new Set(Object.values(looks).map(({ symbol }) => symbol)).size).toBe(6);
    const page = String(files.get('report.html'));
    for (const { colour, dark } of all) expect(page).toContain(`svg [stroke="${colour}"]{stroke:${dark}}`);
  });

  it.each([
    'heatmap-histogram',
    'synthetic-mismatch',
    'synthetic-seconds',
    'megapixel-rmse-1-nagasaki-boats',
    'million-seconds',
    'convergence',
    'denoising-psnr-1-nagasaki-boats',
    'rho-rmse',
    'inpainting-psnr',
  ])('%s is drawn as before', async (name) => {
    await expect(files.get(`figures/${name}.svg`)).toMatchFileSnapshot(`golden/${name}.svg`);
  });
});

describe('the text of a plot', () => {
  const textsOf = (name: string) => read(String(files.get(`figures/${name}.svg`))).texts;

  it('names every curve', () => {
    expect(textsOf('synthetic-mismatch')).toEqual(
      expect.arrayContaining(['GHT-QPM', 'GHT-ADMM', 'joint OMP', 'OMP', 'AIHT', 'CoSaMP']),
    );
  });

  it('counts patches in powers of two and puts the exponents behind the names', () => {
    expect(textsOf('million-seconds')).toEqual(expect.arrayContaining(['2¹⁰', '2¹⁴', 'exponent of P', 'GHT-QPM 0.92']));
  });

  it('has ρ on both scales and the paper’s value', () => {
    expect(textsOf('rho-rmse')).toEqual(
      expect.arrayContaining(['0.01', '0.002', 'upper scale: ρ / ‖D‖₂²', 'paper’s ρ = 0.1']),
    );
  });

  it('leaves out missing values, and values without a logarithm', () => {
    const points = [
      { x: 1, y: 0 },
      { x: 2, y: Number.NaN },
      { x: 3, y: 5 },
      { x: 4, y: 50 },
    ];
    const curves = [
      { label: 'some', look: neutral, points },
      { label: 'none', look: neutral, points: [] },
    ];
    const text = drawCurves({ alt: 'A plot.', x: { label: 'x' }, y: { label: 'y', log: true }, curves });
    expect(text).not.toContain('NaN');
    expect(read(text).texts).toContain('some');
    expect(read(text).texts).not.toContain('none');
    const empty = drawCurves({ alt: 'A plot.', x: { label: 'x' }, y: { label: 'y', log: true }, curves: [] });
    expect(empty).not.toMatch(/NaN|Infinity/);
  });
});

describe('the names of curves', () => {
  it('stay at the ends of the curves if there is room', () => {
    expect(spread([10, 50, 90], 0, 100, 15)).toEqual([10, 50, 90]);
    expect(spread([50, 50, 50], 0, 100, 15)).toEqual([50, 65, 80]);
    expect(spread([95, 99, 100], 0, 100, 15)).toEqual([70, 85, 100]);
  });
});

describe('ticks of a log axis', () => {
  it('are round numbers within its range', () => {
    expect(logTicks([0.003, 10])).toEqual([0.01, 0.1, 1, 10]);
    expect(logTicks([0.003, 0.2])).toEqual([0.005, 0.01, 0.02, 0.05, 0.1, 0.2]);
    expect(logTicks([22, 61])).toEqual([30, 40, 50, 60]);
  });
});

function read(text: string): { svg: Element; texts: string[] } {
  const { document } = parseHTML(`<!doctype html><html><body>${text}</body></html>`);
  const svg = document.querySelector('svg') as unknown as Element;
  return { svg, texts: [...svg.querySelectorAll('text')].map((element) => element.textContent ?? '') };
}
