/** The project rules that can be checked automatically. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = join(root, 'packages/ght/src');
/** The modules that users import. */
const modules = ['index.ts', 'npy.ts', 'draw/index.ts', 'paper.ts'];
const sources = (readdirSync(library, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));
const textOf = (name: string) => readFileSync(join(library, name), 'utf8');
/** A source without its comments, whose examples import the library and print. */
const codeOf = (name: string) => textOf(name).replace(/\/\*\*[\s\S]*?\*\//g, '');

const images = join(root, 'packages/images/src');
const entries = {
  library: modules.map((name) => join(library, name)),
  images: [join(images, 'index.ts'), join(images, 'node/index.ts')],
  queue: join(root, 'packages/queue/src/index.ts'),
};
// One program for all of them, because checking the types takes seconds.
const program = ts.createProgram(Object.values(entries).flat(), {
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] },
});

/** The files of a folder that a file of it imports, types included, by the name of their source. */
function importsOf(folder: string, name: string): string[] {
  const text = readFileSync(join(folder, name), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/(?:\bfrom|\bimport) ?\(?'(\.[^']+)'/g)].map(([, target]) =>
    relative(folder, resolve(folder, dirname(name), name.endsWith('.js') ? target : target.replace(/\.js$/, '.ts'))),
  );
}

/** The groups of files that import each other, directly or through others: Tarjan's strongly connected components. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const number = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (name: string): number => {
    number.set(name, number.size);
    lowest.set(name, number.size - 1);
    open.push(name);
    for (const target of imports.get(name) ?? []) {
      if (!imports.has(target)) continue;
      const reached = number.has(target)
        ? open.includes(target)
          ? (number.get(target) as number)
          : Infinity
        : visit(target);
      lowest.set(name, Math.min(lowest.get(name) as number, reached));
    }
    if (lowest.get(name) === number.get(name)) {
      const group = open.splice(open.indexOf(name));
      if (group.length > 1 || imports.get(name)?.includes(name)) cycles.push(group.sort());
    }
    return lowest.get(name) as number;
  };
  for (const name of imports.keys()) if (!number.has(name)) visit(name);
  return cycles;
}

/** The names that a module exports, with the compiler's knowledge of them. */
function publicNames(index: string) {
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

describe('every package', () => {
  it('finds cycles, also long ones', () => {
    const graph = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [], f: ['a', 'e'], g: ['h'], h: ['g'] };
    expect(cyclesIn(new Map(Object.entries(graph)))).toEqual([
      ['a', 'b', 'c'],
      ['g', 'h'],
    ]);
  });

  it('has no cycle between files, types included', () => {
    const sources = readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'src'));
    const packages = sources.filter((source) => existsSync(join(root, source)));
    const cycles = packages.flatMap((folder) => {
      const source = join(root, folder);
      const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) =>
        /\.(js|ts|svelte)$/.test(name),
      );
      expect(files.length, folder).toBeGreaterThan(0);
      return cyclesIn(new Map(files.map((name) => [name, importsOf(source, name)])));
    });
    expect(cycles).toEqual([]);
  });
});

describe('the library', () => {
  it('documents every public name, and every member of every public interface', () => {
    for (const entry of modules) {
      const { checker, names } = publicNames(join(library, entry));
      expect(names.length, entry).toBeGreaterThan(4);
      const undocumented = names.filter((name) => name.getDocumentationComment(checker).length === 0);
      expect(undocumented.map(({ name }) => name)).toEqual([]);
      const silent = names.flatMap(membersOf).filter(({ node }) => ts.getJSDocCommentsAndTags(node).length === 0);
      expect(silent.map(({ name }) => name)).toEqual([]);
    }
  });

  it('has the public names that are recorded: a change is a decision', () => {
    const recorded = modules.map((entry) =>
      publicNames(join(library, entry))
        .names.map(({ name }) => name)
        .sort(),
    );
    expect(recorded).toMatchSnapshot();
    expect(recorded[0].length).toBeLessThanOrEqual(110);
  });

  it('imports one way: each folder only from those before it', () => {
    const order = [
      ...['', 'math', 'image', 'sparse', 'measures', 'draw', 'noise', 'operators', 'denoisers'],
      ...['engines', 'pipelines', 'tasks'],
    ];
    const wrong: string[] = [];
    for (const name of sources.filter((source) => ![...modules, 'browser.ts'].includes(source))) {
      const text = codeOf(name);
      for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
        const to = posix.join(posix.dirname(name), target);
        const rank = (path: string) => order.indexOf(path.includes('/') ? path.split('/')[0] : '');
        expect(rank(name), name).toBeGreaterThanOrEqual(0);
        if (rank(to) > rank(name)) wrong.push(`${name} imports ${to}`);
      }
      // Only the Node file of a platform may use Node.
      if (!name.endsWith('.node.ts')) expect(text, name).not.toMatch(/from '[^.#]/);
    }
    expect(wrong).toEqual([]);
  });

  it('imports one way inside sparse/ too', () => {
    const order = ['dictionary', 'budget', 'codes', 'solvers', 'learning'];
    const inside = sources.filter((name) => name.startsWith('sparse/'));
    expect([...new Set(inside.map((name) => name.split('/')[1]))].sort()).toEqual([...order].sort());
    const rank = (path: string) => order.indexOf(path.split('/')[1]);
    const wrong = inside.flatMap((name) =>
      importsOf(library, name)
        .filter((target) => target.startsWith('sparse/') && rank(target) > rank(name))
        .map((target) => `${name} imports ${target}`),
    );
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
  const platformFree = (readdirSync(images) as string[]).filter((name) => name.endsWith('.ts'));

  it('documents every public name, and every member of every public interface', () => {
    for (const index of entries.images) {
      const { checker, names } = publicNames(index);
      expect(names.length).toBeGreaterThan(10);
      const undocumented = names.filter((name) => name.getDocumentationComment(checker).length === 0);
      expect(undocumented.map(({ name }) => name)).toEqual([]);
      const silent = names.flatMap(membersOf).filter(({ node }) => ts.getJSDocCommentsAndTags(node).length === 0);
      expect(silent.map(({ name }) => name)).toEqual([]);
    }
  });

  it('has the public names that are recorded: a change is a decision', () => {
    const recorded = entries.images.map((index) => publicNames(index).names.map(({ name }) => name));
    expect(recorded.map((names) => names.sort())).toMatchSnapshot();
  });

  it('uses Node only in node/, and of other packages only ght', () => {
    expect(platformFree.length).toBeGreaterThan(5);
    for (const name of platformFree) {
      const text = readFileSync(join(images, name), 'utf8');
      expect(text, name).not.toMatch(/from '(node:|\.\/node\/)|\bBuffer\b|\bprocess\./);
      for (const [, from] of text.matchAll(/from '([^.][^']*)'/g))
        expect([name, from.replace(/^ght\/npy$/, 'ght')]).toEqual([name, 'ght']);
    }
  });
});

describe('the package of the queue', () => {
  it('documents every public name and member, and has the names that are recorded', () => {
    const { checker, names } = publicNames(entries.queue);
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
