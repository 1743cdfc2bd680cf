// The API reference as Markdown: TypeDoc reads the public names and their comments, one page per name.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Application } from 'typedoc';

/** The sources of the documented entries; each names itself with `@module`. */
const entries = [
  'ght/src/index.ts',
  'ght/src/npy.ts',
  'ght/src/draw/index.ts',
  'ght/src/paper.ts',
  'images/src/index.ts',
  'images/src/node/index.ts',
  'tiles/src/index.ts',
  'queue/src/index.ts',
];

const options = {
  plugin: ['typedoc-plugin-markdown'],
  // `tsc -b` has checked the types.
  skipErrorChecking: true,
  // Types that occur only inside others need no name of their own; their fields are shown where they occur.
  validation: { notExported: false },
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  disableGit: true,
  readme: 'none',
  name: 'API',
  logLevel: 'Warn',
  router: 'member',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'list',
  // What is called comes first, and options stay in the order in which their source explains them.
  groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Classes', 'Variables'],
  sort: ['source-order'],
  blockTagsPreserveOrder: ['@example'],
  pageTitleTemplates: { index: 'API', module: '{name}', member: '{name}' },
};

/** Writes the reference into a folder. */
export async function writeApi(root, folder) {
  const app = await Application.bootstrapWithPlugins({
    ...options,
    entryPoints: entries.map((entry) => join(root, 'packages', entry)),
    tsconfig: join(root, 'packages/site/tsconfig.api.json'),
    outputs: [{ name: 'markdown', path: folder }],
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc found no public names');
  await app.generateOutputs(project);
  if (app.logger.hasWarnings() || app.logger.hasErrors())
    throw new Error('TypeDoc complained: repair the comments above');
}

const kinds = {
  functions: 'Functions',
  classes: 'Classes',
  interfaces: 'Interfaces',
  'type-aliases': 'Types',
  variables: 'Constants',
};

/** The functions that most programs need, in the order in which one meets them. */
const first = [
  'denoise',
  'diagnose',
  'inpaint',
  'deblur',
  'upscale',
  'restore',
  'represent',
  'learn',
  'solve',
  'describe',
];

/** A page of the reference as it is shown. */
export function referencePage(folder, name) {
  const text = readFileSync(join(folder, name), 'utf8');
  const shown = typeset(tidied(describedParameters(text, folder, name)));
  if (name === 'ght/README.md') return startingWith(shown, first);
  if (name !== 'README.md') return shown;
  const rows = rowsOf(readFileSync(join(folder, 'ght/README.md'), 'utf8')).filter(([each]) => first.includes(each));
  const table = byOrder(rows).map(([, row]) =>
    row.replace('(functions/', '(ght/functions/').replace(/\. .+ \|$/, '. |'),
  );
  const intro = `What most programs need is in \`ght\`:\n\n${TABLE}\n${table.join('\n')}\n\n`;
  return shown.replace(/^## Modules/m, `${intro}## Everything, by package`);
}

/** A page with its defaults in one line each, instead of a heading and a block of code. */
export function tidied(text) {
  return text
    .replace(/^#+ Default\n\n```ts\n(.+)\n```$/gm, '**Default:** `$1`')
    .replace(/^#+ Default\n\n(?=\S)/gm, '**Default:** ')
    .replace(/^\*\*\*\n\n/gm, '');
}

const TABLE = '| Function | Description |\n| ------ | ------ |';

/** The rows of the table of functions with the name of each. */
const rowsOf = (text) =>
  [...text.matchAll(/^\| \[(\w+)\]\(functions\/.+$/gm)].map(([row, name]) => [name, row.replace(/: \|$/, '. |')]);
const byOrder = (rows) => rows.toSorted(([a], [b]) => first.indexOf(a) - first.indexOf(b));

/** The page of a package whose functions are in two tables: those that most programs need, and the building blocks. */
function startingWith(text, names) {
  const rows = rowsOf(text);
  const rowsIn = (chosen) => chosen.map(([, row]) => row).join('\n');
  const main = byOrder(rows.filter(([name]) => names.includes(name)));
  const others = rows.filter(([name]) => !names.includes(name)).toSorted(([a], [b]) => a.localeCompare(b));
  const tables = `## Start here\n\n${TABLE}\n${rowsIn(main)}\n\n## Building blocks\n\n${TABLE}\n${rowsIn(others)}\n`;
  return text.replace(/^## Functions\n\n[\s\S]*?(?=^## )/m, `${tables}\n`);
}

/** Parameters without a description get the first sentence of the page of their type. */
function describedParameters(text, folder, name) {
  const about = (type) => {
    const [, target] = /\]\(([^)]+\.md)\)/.exec(type) ?? [];
    const path = target && join(folder, posix.join(posix.dirname(name), target));
    if (!path || !existsSync(path)) return '';
    // The first paragraph below the title.
    const paragraph =
      readFileSync(path, 'utf8')
        .replace(/```[\s\S]*?```/g, '')
        .split('\n\n')[1] ?? '';
    const sentence = paragraph.replaceAll('\n', ' ').match(/^.*?[.:](?= |$)/)?.[0] ?? '';
    return sentence
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replace(/:$/, '.')
      .replaceAll('|', '\\|');
  };
  const header = '| Parameter | Type |\n| ------ | ------ |\n';
  const described = text.replace(/^(\| `[^`]+` \| (.+) \|) - \|$/gm, (_, row, type) => `${row} ${about(type)} |`);
  return described.replace(/^\| Parameter \| Type \|\n\| -+ \| -+ \|\n((?:\|.*\|\n?)+)/gm, (_, rows) => {
    const lines = rows
      .trimEnd()
      .split('\n')
      .map((row) => [row, about(row)]);
    if (lines.every(([, sentence]) => sentence === '')) return header + rows;
    const full = lines.map(([row, sentence]) => `${row} ${sentence} |`).join('\n');
    return `| Parameter | Type | Description |\n| ------ | ------ | ------ |\n${full}\n`;
  });
}

/** The problem, which comments state in Unicode, as a formula. */
function typeset(text) {
  return text.replace(/^ {4}(minimise .*‖.*)$/gm, (_, line) => {
    const formula = line
      .replace(/ {2,}/g, '\\quad ')
      .replace(/‖(.+?)‖²_F/g, '\\lVert $1 \\rVert_F^2')
      .replace(/‖(.+?)‖₀/g, '\\lVert $1 \\rVert_0')
      .replaceAll('−', '-')
      .replaceAll('≤', '\\le')
      .replace(/(?<![\\a-zA-Z])[a-z]{2,}(?: [a-z]+)*(?: of norm 1)?/g, (words) => `\\text{ ${words} }`);
    return `$$${formula}$$`;
  });
}

/** The menu next to a page of the reference: all packages, and the names of the package of that page, by kind. */
export function apiMenu(titles) {
  const addresses = [...titles.keys()].filter((address) => address.startsWith('api/')).sort();
  const named = (to) => ({ to, name: titles.get(to) });
  const folders = addresses
    .filter((address) => address.endsWith('/index.html'))
    .map((address) => address.slice(0, -11));
  const packages = { title: 'Packages', links: folders.sort().map((folder) => named(`${folder}/index.html`)) };
  const pattern = /^(api\/.+)\/(functions|classes|interfaces|type-aliases|variables)\/[^/]+$/;
  const members = new Map();
  for (const address of addresses) {
    const [, folder, kind] = pattern.exec(address) ?? [];
    if (!folder) continue;
    const key = `${folder} ${kind}`;
    members.set(key, [...(members.get(key) ?? []), named(address)]);
  }
  return (address) => {
    const folder = pattern.exec(address)?.[1] ?? address.replace(/\/index\.html$/, '');
    const sections = Object.entries(kinds).map(([kind, title]) => ({
      title,
      links: members.get(`${folder} ${kind}`) ?? [],
    }));
    return [packages, ...sections.filter(({ links }) => links.length > 0)];
  };
}
