/** Wordings that the source and the documentation avoid: a rate takes "per", a default takes `@default`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is counted or measured, as in "atoms per patch"; a bare number only before the two most frequent units. */
const QUANTITIES = [
  ...['atoms?', 'nonzeros?', 'coefficients?', 'entry', 'entries', 'numbers?', 'values?', 'samples?', 'operations'],
  ...['RMSE', 'PSNR', 'errors?', 'deviations?', 'weights?', 'seeds?', 'rows?', 'columns?', 'planes?', 'one'],
  ...['bytes?', 'bits?', 'B', 'ns', 'µs', 'ms', 's', 'seconds?', 'nanoseconds?', 'microseconds?'],
].join('|');
const UNITS = [
  ...['patch', 'pixel', 'megapixel', 'iteration', 'atom', 'signal', 'sample', 'plane', 'channel', 'image', 'row'],
  ...['column', 'side'],
].join('|');

const AVOIDED = [
  new RegExp(`(?<!['’])\\b(${QUANTITIES}) an? (average )?(${UNITS})\\b`),
  /\d an? (average )?(patch|pixel)\b/,
  /\bunless told\b/,
];

/** The lines of a text with an avoided wording, each with its number. */
function avoidedIn(text: string): string[] {
  const lines = text.split('\n').map((line, i) => `${i + 1}: ${line.trim()}`);
  return lines.filter((line) => AVOIDED.some((wording) => wording.test(line)));
}

/** The text files of a folder and its subfolders. */
function filesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names.filter((name) => /\.(ts|js|svelte|py|md|html)$/.test(name)).map((name) => join(folder, name));
}

describe('plain English', () => {
  it.each([
    ['10 atoms a patch', '10 atoms per patch'],
    ['5 atoms an average patch', '5 atoms per patch on average'],
    ['RMSE a pixel', 'RMSE per pixel'],
    ['160 ns a patch and iteration', '160 ns per patch and iteration'],
    ['an error of 0.9 a pixel', 'an error of 0.9 per pixel'],
    ['one a column', 'one per column'],
    ['8 unless told', '@default 8'],
  ])('avoids "%s" and accepts "%s"', (avoided, accepted) => {
    expect(avoidedIn(`first line\n * ${avoided}.`)).toEqual([`2: * ${avoided}.`]);
    expect(avoidedIn(accepted)).toEqual([]);
  });

  it('accepts the article where it is no rate', () => {
    expect(avoidedIn('the samples of a patch; a sum over an atom; it’s a row; each time a patch ends')).toEqual([]);
  });

  it('is in every line of source and documentation', () => {
    const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);
    const files = ['README.md', ...['docs', 'bench', 'scripts', 'examples', ...packages].flatMap(filesIn)];
    expect(files.length).toBeGreaterThan(250);
    const found = files.flatMap((name) =>
      avoidedIn(readFileSync(join(root, name), 'utf8')).map((line) => `${name}:${line}`),
    );
    expect(found).toEqual([]);
  });
});
