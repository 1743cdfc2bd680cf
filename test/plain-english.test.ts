/** Wordings that the documentation and the messages avoid, because a native speaker would stop at them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
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

/** An avoided wording, an example of it, and the usual one. */
const AVOIDED: readonly (readonly [RegExp, string, string])[] = [
  [new RegExp(`(?<!['’])\\b(${QUANTITIES}) an? (average )?(${UNITS})\\b`), '10 atoms a patch', '10 atoms per patch'],
  [/\d an? (average )?(patch|pixel)\b/, 'an error of 0.9 a pixel', 'an error of 0.9 per pixel'],
  [/\b(un)?told\b/i, 'if σ is told', 'if σ is given'],
  [/\bbeside\b/i, 'the file beside it; measured beside SPAMS', 'the file next to it; compared with SPAMS'],
  [/\banew\b/i, 'make the codes anew', 'make the codes again'],
  [/\bg[ai]ves? back\b|\bgiven back\b/i, 'it gives back the image', 'it returns the image'],
  [/\bleft out beside\b/i, 'must be left out beside sigma', 'cannot be combined with sigma'],
  [/\brather too \w+ than\b/i, 'rather too many than all', 'prefer a surplus'],
  [/\bno news to\b/i, 'is no news to the caller', 'need not be reported'],
  [/\ba program on the CPU\b/i, 'a GPU that is a program on the CPU', 'a software adapter'],
  [/\bthe sample that is white\b/i, 'the sample that is white', 'the white level'],
  [/\bnext to (always|never|nothing)\b/i, 'next to always', 'almost always'],
  [/\bwhoever\b/i, 'whoever runs plans', 'the runner of plans'],
  [/\bnobody\b/i, 'nobody has estimated', 'there is no estimate'],
  [/\b(first|last) so many\b|\b(with|of|at) so many\b/i, 'the first so many patches', 'the number of leading patches'],
];

/** The avoided wordings in a text, each with the number of its line. */
function avoidedIn(text: string): string[] {
  const lines = text.split('\n').map((line, i) => `${i + 1}: ${line.trim()}`);
  return lines.filter((line) => AVOIDED.some(([wording]) => wording.test(line)));
}

/** The files of a folder and its subfolders whose names end in one of these ways. */
function filesIn(folder: string, ends: RegExp): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names.filter((name) => ends.test(name)).map((name) => join(folder, name));
}

const textOf = (name: string) => readFileSync(join(root, name), 'utf8');

/** The lines of a source that are comments. */
function commentsIn(name: string): string {
  const lines = textOf(name).split('\n');
  return lines.map((line) => (/^\s*(\/?\*|\/\/)/.test(line) ? line : '')).join('\n');
}

/** The texts in a source that people may read: strings and templates of several words, outside comments. */
function messagesIn(name: string): string[] {
  const source = ts.createSourceFile(name, textOf(name), ts.ScriptTarget.ES2022);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && /\w \w/.test(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('plain English', () => {
  const examples = AVOIDED.map(([wording, avoided, usual]) => ({ wording, avoided, usual }));
  it.each(examples)('is "$usual" instead of "$avoided"', ({ wording, avoided, usual }) => {
    expect(avoided).toMatch(wording);
    expect(avoidedIn(`first line\n${usual}`)).toEqual([]);
  });

  it('accepts the article if it does not mean a rate', () => {
    expect(avoidedIn('the samples of a patch; a sum over an atom; it’s a row; each time a patch ends')).toEqual([]);
  });

  const packages = readdirSync(join(root, 'packages'));

  it('is in the documentation, the examples and the benchmarks', () => {
    const readmes = packages.flatMap((name) => filesIn(`packages/${name}`, /^README\.md$/));
    const programs = ['examples', 'bench', 'scripts'].flatMap((folder) => filesIn(folder, /\.m?js$/));
    const files = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', /\.md$/), ...readmes, ...programs];
    expect(files.length).toBeGreaterThan(60);
    const found = files.flatMap((name) => avoidedIn(textOf(name)).map((line) => `${name}:${line}`));
    // Names of kept results.
    expect(found.filter((line) => !/'balanced, (white )?σ told'|`denoise \w+ told/.test(line))).toEqual([]);
  });

  const withCode = packages.filter((name) => existsSync(join(root, `packages/${name}/src`)));

  it('is in the comments', () => {
    const files = withCode.flatMap((name) => filesIn(`packages/${name}/src`, /\.([jt]s|svelte)$/));
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((name) => avoidedIn(commentsIn(name)).map((line) => `${name}:${line}`));
    // "To tell one thing from another" is usual.
    expect(found.filter((line) => !/\btold (apart|from)\b/.test(line))).toEqual([]);
  });

  it('is in the messages', () => {
    const files = withCode.flatMap((name) => filesIn(`packages/${name}/src`, /\.[jt]s$/));
    // The strings of kernels are programs.
    const messages = files.filter((name) => !/\bkernels\b/.test(name)).map((name) => [name, messagesIn(name)] as const);
    expect(messages.flatMap(([, texts]) => texts).length).toBeGreaterThan(1000);
    const found = messages.flatMap(([name, texts]) => texts.flatMap(avoidedIn).map((line) => `${name}: ${line}`));
    expect(found).toEqual([]);
  });
});
