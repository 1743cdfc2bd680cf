// The library for pages without a bundler: `dist/browser/ght.js` and the worker beside it import nothing by a bare name.
// Import maps could not do this, because workers have none. Other builds ship this worker too, because it has no imports.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig, minifySync, parseAst } from 'vite';

/** Fixed names, so that a page can rely on them. */
const output = {
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  assetFileNames: '[name][extname]',
  minify: true,
};

/** Replaces the address of a file in code, in whichever quotes it is. */
function replaceAddress(code, path, replacement) {
  const address = new RegExp(`new URL\\((["'])${path}\\1, import\\.meta\\.url\\)`);
  if (!address.test(code)) throw new Error(`${path} is not in the code`);
  return code.replace(address, replacement);
}

/**
 * The files that the code names by their address: the worker is built here, and the weights stay where they are. The code for the GPU
 * loses its indentation, 6 kB.
 */
const files = {
  name: 'files',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('shipped.browser.js')) {
      const weights = "new URL(/* @vite-ignore */ '../../weights/grey.npz', import.meta.url)";
      return replaceAddress(code, '../../../weights/grey.npz', weights);
    }
    // To WGSL, indentation means nothing.
    if (id.includes('/engines/webgpu/kernels/')) return code.replace(/\n[ \t]+/g, '\n');
    if (!id.endsWith('threads.browser.js')) return null;
    return `import script from './worker.js?worker&url';\n${replaceAddress(code, '../../../browser/worker.js', 'script')}`;
  },
};

/** Code without the indentation of its lines, except in template literals, where it is text. */
function withoutIndentation(code) {
  const texts = [];
  const visit = (node) => {
    if (node?.type === 'TemplateElement') texts.push(node);
    else if (typeof node === 'object' && node !== null) Object.values(node).forEach(visit);
  };
  visit(parseAst(code));
  return code.replace(/\n\t+/g, (indented, at) => {
    return texts.some(({ start, end }) => start <= at && at < end) ? indented : '\n';
  });
}

/** Removes comments and indentation of the other files, a sixth of the package: editors read the declarations. Names and lines stay. */
const withoutComments = {
  name: 'without-comments',
  closeBundle() {
    for (const name of readdirSync('dist', { recursive: true })) {
      if (!name.endsWith('.js') || name.startsWith('browser')) continue;
      const options = { module: true, compress: false, mangle: false, codegen: { removeWhitespace: false } };
      const path = join('dist', name);
      writeFileSync(path, withoutIndentation(minifySync(path, readFileSync(path, 'utf8'), options).code));
    }
  },
};

/**
 * Removes the comment at the head of declarations, a ninth of them: editors show what is said of a name, not of a file. Entries keep
 * theirs.
 */
const withoutHeads = {
  name: 'without-heads',
  closeBundle() {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const entries = Object.values(exports).flatMap(({ types }) => (types ? [join(types)] : []));
    for (const name of readdirSync('dist', { recursive: true })) {
      const path = join('dist', name);
      if (!name.endsWith('.d.ts') || entries.includes(path)) continue;
      const text = readFileSync(path, 'utf8');
      const bare = text.replace(/^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=import |\/\*\*)/, '');
      if (bare !== text) writeFileSync(path, bare);
    }
  },
};

/** Leaves out of the package the declarations that no entry leads to: nobody can import what they declare. */
const publicDeclarations = {
  name: 'public-declarations',
  closeBundle() {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const reached = new Set(
      Object.values(exports)
        .flatMap(({ types }) => types ?? [])
        .map((path) => join(path)),
    );
    for (const path of reached) {
      for (const [, target] of readFileSync(path, 'utf8').matchAll(/(?:from |import |import\()'(\.[^']+)\.js'/g)) {
        reached.add(join(dirname(path), `${target}.d.ts`));
      }
    }
    const declarations = readdirSync('dist', { recursive: true }).filter((name) => name.endsWith('.d.ts'));
    const others = declarations.filter((name) => !reached.has(join('dist', name)));
    writeFileSync('dist/.npmignore', others.map((name) => `/${name.replaceAll('\\', '/')}\n`).join(''));
  },
};

export default defineConfig({
  plugins: [files, withoutComments, withoutHeads, publicDeclarations],
  base: './',
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/browser',
    lib: { entry: { ght: 'dist/browser.js' }, formats: ['es'] },
    // One file, also for what bundlers load later: a part that lies beside it would have to import from it.
    rolldownOptions: { output: { ...output, codeSplitting: false } },
  },
  worker: { format: 'es', rolldownOptions: { output } },
});
