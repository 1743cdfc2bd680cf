// The API reference as Markdown: TypeDoc reads the public names and their comments, one page per name.
import { join } from 'node:path';
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

/** A page of the reference with its defaults in one line each, instead of a heading and a block of code. */
export function tidied(text) {
  return text
    .replace(/^#+ Default\n\n```ts\n(.+)\n```$/gm, '**Default:** `$1`')
    .replace(/^#+ Default\n\n(?=\S)/gm, '**Default:** ')
    .replace(/^\*\*\*\n\n/gm, '');
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
