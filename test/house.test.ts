/** The house rules that a machine can check. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = join(root, 'packages/ght/src');
const sources = (readdirSync(library, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));

describe('the library', () => {
  it('documents every public name, and every member of every public interface', () => {
    const index = join(library, 'index.ts');
    const program = ts.createProgram([index], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext });
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(index);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error('index.ts exports nothing');
    const names = checker.getExportsOfModule(module);
    expect(names.length).toBeGreaterThan(30);
    const undocumented: string[] = [];
    for (const name of names) {
      const symbol = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
      if (symbol.getDocumentationComment(checker).length === 0) undocumented.push(symbol.name);
    }
    expect(undocumented).toEqual([]);
  });

  it('imports one way: each folder only from those before it', () => {
    const order = [
      ...['', 'algebra', 'signal', 'dictionary', 'budget', 'codes', 'measures'],
      ...['draw', 'solvers', 'denoisers', 'groups', 'engines', 'tasks'],
    ];
    const wrong: string[] = [];
    for (const name of sources.filter((source) => source !== 'index.ts')) {
      const text = readFileSync(join(library, name), 'utf8');
      for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
        const to = relative(library, resolve(library, dirname(name), target));
        const rank = (path: string) => order.indexOf(path.includes('/') ? path.split('/')[0] : '');
        expect(rank(name), name).toBeGreaterThanOrEqual(0);
        if (rank(to) > rank(name)) wrong.push(`${name} imports ${to}`);
      }
      // The Node file of a platform may use Node; everything else only what is everywhere.
      if (!name.endsWith('.node.ts')) expect(text, name).not.toMatch(/from '[^.#]/);
    }
    expect(wrong).toEqual([]);
  });

  it('prints nothing, draws no unseeded random numbers and knows no process', () => {
    for (const name of sources) {
      const text = readFileSync(join(library, name), 'utf8');
      expect(text, name).not.toMatch(/\bconsole\.|Math\.random|\bprocess\.|\bBuffer\./);
    }
  });

  it('has no runtime dependency', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages/ght/package.json'), 'utf8'));
    expect(manifest.dependencies ?? {}).toEqual({});
  });
});
