/** The project rules that can be checked automatically. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = join(root, 'packages/ght/src');
const sources = (readdirSync(library, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
const textOf = (name: string) => readFileSync(join(library, name), 'utf8');
/** A source without its comments, whose examples import the library and print. */
const codeOf = (name: string) => textOf(name).replace(/\/\*\*[\s\S]*?\*\//g, '');

/** The names that a module exports, with the compiler's knowledge of them. */
function publicNames(index = join(library, 'index.ts')) {
  const program = ts.createProgram([index], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(index);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error('index.ts exports nothing');
  const names = checker.getExportsOfModule(module).map((name) => {
    return name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
  });
  return { checker, names };
}

/** The members that a public type declares itself: of an interface, a class, an object type, or the objects of a union. */
function membersOf(symbol: ts.Symbol): { name: string; node: ts.NamedDeclaration }[] {
  const found: { name: string; node: ts.NamedDeclaration }[] = [];
  const visit = (node: ts.Node) => {
    const members = ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node) || ts.isClassDeclaration(node);
    if (members) {
      for (const member of node.members) {
        const hidden = ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
        const inherited = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Override;
        if (!member.name || hidden || inherited || ts.isPrivateIdentifier(member.name)) continue;
        found.push({ name: `${symbol.name}.${member.name.getText()}`, node: member });
        // The comment of a member also covers the fields of an object in it.
      }
    } else if (ts.isUnionTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isIntersectionTypeNode(node)) {
      ts.forEachChild(node, visit);
    }
  };
  for (const declaration of symbol.declarations ?? []) visit(declaration);
  return found;
}

describe('the library', () => {
  it('documents every public name, and every member of every public interface', () => {
    const { checker, names } = publicNames();
    expect(names.length).toBeGreaterThan(30);
    const undocumented = names.filter((name) => name.getDocumentationComment(checker).length === 0);
    expect(undocumented.map(({ name }) => name)).toEqual([]);
    const members = names.flatMap(membersOf);
    expect(members.length).toBeGreaterThan(90);
    const silent = members.filter(({ node }) => ts.getJSDocCommentsAndTags(node).length === 0);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('has the public names that are recorded: a change is a decision', () => {
    const { names } = publicNames();
    expect(names.map(({ name }) => name).sort()).toMatchSnapshot();
  });

  it('imports one way: each folder only from those before it', () => {
    const order = [
      ...['', 'algebra', 'signal', 'dictionary', 'budget', 'codes', 'measures'],
      ...['draw', 'noise', 'solvers', 'learning', 'operators', 'denoisers', 'groups', 'engines', 'tasks'],
    ];
    const wrong: string[] = [];
    for (const name of sources.filter((source) => source !== 'index.ts')) {
      const text = codeOf(name);
      for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
        const to = relative(library, resolve(library, dirname(name), target));
        const rank = (path: string) => order.indexOf(path.includes('/') ? path.split('/')[0] : '');
        expect(rank(name), name).toBeGreaterThanOrEqual(0);
        if (rank(to) > rank(name)) wrong.push(`${name} imports ${to}`);
      }
      // Only the Node file of a platform may use Node.
      if (!name.endsWith('.node.ts')) expect(text, name).not.toMatch(/from '[^.#]/);
    }
    expect(wrong).toEqual([]);
  });

  it('names an engine only in engines/: tasks and solvers know the contract', () => {
    const outside = sources.filter((name) => !name.startsWith('engines/'));
    expect(outside.filter((name) => /engines\/(wasm|webgpu|portable|reference)/.test(textOf(name)))).toEqual([]);
  });

  it('emits code in kernels/ without importing run/', () => {
    const kernels = sources.filter((name) => name.startsWith('engines/wasm/kernels/'));
    expect(kernels.length).toBeGreaterThan(15);
    expect(kernels.filter((name) => /from '[./]*run\//.test(textOf(name)))).toEqual([]);
  });

  it('prints nothing, uses no unseeded random numbers and does not use process', () => {
    for (const name of sources) {
      const text = codeOf(name);
      expect(text, name).not.toMatch(/\bconsole\.|Math\.random|\bprocess\.|\bBuffer\./);
    }
  });

  it('has no runtime dependency', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages/ght/package.json'), 'utf8'));
    expect(manifest.dependencies ?? {}).toEqual({});
  });
});

describe('the package of images', () => {
  const images = join(root, 'packages/images/src');
  const entries = [join(images, 'index.ts'), join(images, 'node/index.ts')];
  const platformFree = (readdirSync(images) as string[]).filter((name) => name.endsWith('.ts'));

  it('documents every public name, and every member of every public interface', () => {
    for (const index of entries) {
      const { checker, names } = publicNames(index);
      expect(names.length).toBeGreaterThan(10);
      const undocumented = names.filter((name) => name.getDocumentationComment(checker).length === 0);
      expect(undocumented.map(({ name }) => name)).toEqual([]);
      const silent = names.flatMap(membersOf).filter(({ node }) => ts.getJSDocCommentsAndTags(node).length === 0);
      expect(silent.map(({ name }) => name)).toEqual([]);
    }
  });

  it('has the public names that are recorded: a change is a decision', () => {
    const recorded = entries.map((index) => publicNames(index).names.map(({ name }) => name));
    expect(recorded.map((names) => names.sort())).toMatchSnapshot();
  });

  it('uses Node only in node/, and of other packages only ght', () => {
    expect(platformFree.length).toBeGreaterThan(5);
    for (const name of platformFree) {
      const text = readFileSync(join(images, name), 'utf8');
      expect(text, name).not.toMatch(/from '(node:|\.\/node\/)|\bBuffer\b|\bprocess\./);
      for (const [, from] of text.matchAll(/from '([^.][^']*)'/g)) expect([name, from]).toEqual([name, 'ght']);
    }
  });
});

describe('the package of the queue', () => {
  const index = join(root, 'packages/queue/src/index.ts');

  it('documents every public name and member, and has the names that are recorded', () => {
    const { checker, names } = publicNames(index);
    const undocumented = names.filter((name) => name.getDocumentationComment(checker).length === 0);
    expect(undocumented.map(({ name }) => name)).toEqual([]);
    const silent = names.flatMap(membersOf).filter(({ node }) => ts.getJSDocCommentsAndTags(node).length === 0);
    expect(silent.map(({ name }) => name)).toEqual([]);
    expect(names.map(({ name }) => name).sort()).toMatchSnapshot();
  });

  it('takes code from nowhere but its own packages: no import of a name that is computed', () => {
    const folder = join(root, 'packages/queue/src');
    const texts = (readdirSync(folder) as string[]).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) expect(text).not.toMatch(/\bimport\(|\brequire\(|(?<!\.)\beval\(|new Function\b|node:vm/);
  });
});
