import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { experimentNames } from '../../src/catalogue.js';
import { reportFiles } from '../../src/draw/index.js';
import type { Report } from '../../src/report.js';
import { findings, sampleReport } from './sample.js';

const files = reportFiles(sampleReport());
const page = String(files.get('report.html'));
const document = read(page);

describe('report.html', () => {
  it('is self-contained: nothing is loaded and no script runs', () => {
    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content');
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    expect(page).not.toMatch(/<(script|link|iframe|object)\b/);
    expect(page).not.toMatch(/url\(|@import/);
    for (const [, value] of page.matchAll(/\b(?:src|href|srcset|action)="([^"]*)"/g)) {
      expect(value).toMatch(/^(data:image\/png;base64,|#|report\.json$|figures\/|tables\/)/);
    }
  });

  it('links only to places and files that exist', () => {
    for (const link of document.querySelectorAll('a')) {
      const target = link.getAttribute('href') ?? '';
      if (target.startsWith('#')) expect(document.querySelector(`[id="${target.slice(1)}"]`)).not.toBeNull();
      else expect(files.has(target), target).toBe(true);
    }
  });

  it('has alternative texts for pictures, and names tables, rows and columns', () => {
    expect(document.querySelector('html')?.getAttribute('lang')).toBe('en');
    for (const image of document.querySelectorAll('img')) expect(image.getAttribute('alt')).toMatch(/\w/);
    for (const table of document.querySelectorAll('table')) {
      expect(table.querySelector('caption')?.textContent).toMatch(/\w/);
      for (const head of table.querySelectorAll('th')) expect(head.getAttribute('scope')).toMatch(/^(row|col)$/);
    }
    expect(document.querySelectorAll('h1')).toHaveLength(1);
  });

  it('puts the verdicts first, counted', () => {
    expect(document.querySelector('main > section')?.id).toBe('verdicts');
    expect(document.querySelector('.count')?.textContent).toBe('2 confirmed, 1 partly, 1 not reproduced');
    expect(document.querySelector('.verdicts')?.textContent).toMatch(
      /✓ confirmed[\s\S]*✗ not reproduced[\s\S]*◐ partly/,
    );
  });

  it('marks the verdicts that are about time, and states the load of the machine', () => {
    const rows = [...document.querySelectorAll('.verdicts tbody tr')].map((row) => row.textContent ?? '');
    const timed = rows.filter((row) => row.includes('About time: the verdict holds for this machine and its load'));
    expect(timed).toEqual([expect.stringContaining('Both are as fast as OMP.')]);
    expect(document.querySelector('#conditions')?.textContent).toContain(
      'load average 1.50 before the run and 2.25 after it, on 2 cores: other programs were running',
    );
  });

  it('states that a run was quick, and what is smaller', () => {
    expect(document.querySelector('#conditions')?.textContent).toMatch(/quick run[\s\S]*P up to 2¹⁴ for 2²⁰/);
    const full = String(reportFiles(sampleReport({ quick: false })).get('report.html'));
    expect(full).not.toContain('quick run');
  });

  it('boxes the best of each column of ours and of the paper’s tables', () => {
    const boxed = [...document.querySelectorAll('#denoising table')].map((table) =>
      [...table.querySelectorAll('.best')].map((cell) => cell.textContent),
    );
    expect(boxed[1]).toEqual(['26.51', '23.01', '20.41', '32.61', '31.01']);
    expect(boxed[0]).toHaveLength(findings.denoising.sigmas.length);
  });

  it('gives the same bytes for the same report', () => {
    expect(reportFiles(sampleReport())).toEqual(files);
  });
});

describe('a report of some experiments', () => {
  it('leaves out the others', () => {
    const { rho } = findings;
    const some = reportFiles(sampleReport({ findings: { rho }, verdicts: [] }));
    const part = read(String(some.get('report.html')));
    expect([...part.querySelectorAll('section.experiment')].map(({ id }) => id)).toEqual(['rho']);
    expect([...some.keys()].filter((name) => name.includes('/'))).toEqual([
      'figures/rho-rmse.svg',
      'figures/rho-mismatch.svg',
      'tables/rho.csv',
    ]);
    expect(part.querySelector('header')?.textContent).toContain(`1 of the ${experimentNames.length} experiments`);
  });

  it('can have no experiments', () => {
    const none = reportFiles(sampleReport({ findings: {}, seconds: {}, verdicts: [], images: [], collection: [] }));
    expect([...none.keys()]).toEqual(['report.html', 'report.json']);
    expect(String(none.get('report.html'))).not.toMatch(/undefined|NaN/);
  });
});

describe('names of images', () => {
  const hostile = `"><img src=x onerror=alert(1)> & '../../etc' $&`;
  const renamed = JSON.parse(
    JSON.stringify(sampleReport()).replaceAll(
      'nagasaki-boats',
      JSON.stringify(hostile).slice(1, -1).replaceAll('$', '$$$$'),
    ),
  ) as Report;
  const drawn = reportFiles(renamed);

  it('stay text', () => {
    const part = read(String(drawn.get('report.html')));
    expect(part.querySelectorAll('img').length).toBe(document.querySelectorAll('img').length);
    expect(part.querySelector('[onerror]')).toBeNull();
    expect(part.querySelector('#conditions li b')?.textContent).toBe(hostile);
    for (const [name, text] of drawn) if (name.endsWith('.svg')) expect(String(text)).not.toContain('<img');
  });

  it('become safe file names, different for different images', () => {
    for (const name of drawn.keys()) expect(name).toMatch(/^((figures|tables)\/)?[a-z0-9-]+\.(html|json|svg|png|csv)$/);
    expect(drawn.size).toBe(files.size);
  });
});

describe('report.json and the pictures', () => {
  it('has the name of a file in place of each picture’s data', () => {
    const text = String(files.get('report.json'));
    expect(text).not.toContain(findings.heatmap.original.png);
    expect(text).not.toMatch(/[A-Za-z0-9+/]{60,}/);
    const { png, width } = (JSON.parse(text) as Report).findings.heatmap?.atoms ?? { png: '', width: 0 };
    expect(png).toBe('figures/heatmap-atoms.png');
    expect(width).toBe(8);
    expect(files.get(png)).toEqual(new Uint8Array(Buffer.from(findings.heatmap.atoms.png, 'base64')));
  });

  it('names every figure and table there is', () => {
    const beside = [...files.keys()].filter((name) => !name.startsWith('report.'));
    expect(JSON.parse(String(files.get('report.json'))).files).toEqual(beside);
  });

  it('is otherwise the report', () => {
    const { findings: _, files: __, ...rest } = JSON.parse(String(files.get('report.json')));
    const { findings: ___, ...own } = sampleReport();
    expect(rest).toEqual(own);
  });
});

function read(text: string): Document {
  return parseHTML(text).document as unknown as Document;
}
