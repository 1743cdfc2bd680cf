/** The pages of the documentation, their programs and their commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const readmes = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}/README.md`)
  .filter((path) => readdirSync(join(root, path, '..')).includes('README.md'));
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));

/** All pages with programs or commands. */
export const pages = ['README.md', 'CONTRIBUTING.md', ...readmes, ...docs.map((name) => `docs/${name}`)];

export const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** The sources whose comments have examples. */
export const sourcesWithExamples = readdirSync(join(root, 'packages')).flatMap((name) => {
  const folder = `packages/${name}/src`;
  // A package of weights has no sources.
  if (!existsSync(join(root, folder))) return [];
  const files = readdirSync(join(root, folder), { recursive: true }) as string[];
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`);
  return sources.filter((file) => textOf(file).includes('@example'));
});

/** The programs in a page: code that is marked as JavaScript, and indented code that begins with an import. */
export function programsIn(text: string): string[] {
  const fenced = [...text.matchAll(/^```js\n([\s\S]+?)^```/gm)].map(([, code]) => code);
  const indented = [...text.matchAll(/^(?: {4}.*\n|\n(?= {4}))+/gm)]
    .map(([code]) => code.replace(/^ {4}/gm, '').trim())
    .filter((code) => code.startsWith('import '));
  return [...fenced, ...indented];
}

/** The examples in the comments of a source. */
export function examplesIn(source: string): string[] {
  const plain = source.replace(/^ *\* ?/gm, '');
  return [...plain.matchAll(/@example\n```js\n([\s\S]+?)```/g)].map(([, code]) => code);
}

/** The arguments of every `ght …` in a page. What a command does may follow it, at least two blanks apart. */
export function commandsIn(text: string): string[][] {
  const lines = [...text.matchAll(/^ {4}(?:curl \S+ \| |exec srun )?(?:npx )?ght(?:-cli)? (.+)$/gm)].map(
    ([, rest]) => rest,
  );
  return lines.map((line) => {
    const [command] = line.split(/ {2,}| > /);
    return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  });
}
