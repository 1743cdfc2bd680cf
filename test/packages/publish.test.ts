/** What the workflow publishes: its own commands, in a dry run and without a network. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, '.github/workflows', name), 'utf8');
const workflow = read('publish.yml');

interface Published {
  readonly name: string;
  readonly version: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the workflow that publishes', () => {
  const [, command] = /- run: npm (publish .+)$/m.exec(workflow) ?? [];

  it('publishes every package that is not private, with its build, its licence and its readme', () => {
    const args = [...command.split(' '), '--dry-run', '--json', '--ignore-scripts', '--offline'];
    const published: Record<string, Published> = JSON.parse(
      execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    expect(Object.keys(published).sort()).toEqual(
      ['ght', 'ght-cli', 'ght-colour', 'ght-images', 'ght-lab', 'ght-queue', 'ght-studio', 'ght-tiles'].sort(),
    );
    for (const { name, files } of Object.values(published)) {
      const paths = files.map(({ path }) => path);
      expect(paths, name).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
      const others = paths.filter((path) => !/^(dist|bin)\//.test(path));
      const weights = name === 'ght' ? ['weights/grey.npz'] : name === 'ght-colour' ? ['colour.npz'] : [];
      expect(others.sort(), name).toEqual(['LICENSE', 'README.md', 'package.json', ...weights].sort());
      expect(
        paths.filter((path) => /tsbuildinfo|\.test\.|\.ts$/.test(path) && !path.endsWith('.d.ts')),
        name,
      ).toEqual([]);
    }
  });

  it('asks for provenance, and for the permission to sign it and to publish without a token', () => {
    expect(command).toContain('--provenance');
    expect(workflow).toMatch(/packages:[\s\S]+id-token: write[\s\S]+npm publish/);
    expect(workflow).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
    // The first Node 24 with npm 11.5.1, which is the first that publishes without a token.
    const [, node = ''] = /packages:[\s\S]+?node-version: (24\.\d+)\.\d+\n/.exec(workflow) ?? [];
    expect(Number(node.slice(3))).toBeGreaterThanOrEqual(5);
  });

  it('runs every test before it publishes, and refuses a tag that is not the version', () => {
    expect(workflow.match(/needs: test/g)).toHaveLength(2);
    expect(workflow).toContain('- run: npm run test:all\n');
    expect(workflow).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
  });

  it('names no host but the registry of npm', () => {
    expect(workflow).toContain('path: packages/site/dist');
    const hosts = [...workflow.matchAll(/https?:\/\/[^\s/]+/g)].map(([host]) => host);
    expect(new Set(hosts)).toEqual(new Set(['https://registry.npmjs.org']));
  });
});

describe.each(['publish.yml', 'test.yml'])('the workflow %s', (name) => {
  const text = read(name);

  it('names every action by its commit, with the tag in a comment', () => {
    const actions = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(3);
    for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('runs no install script of a dependency, not even of one that is added later', () => {
    const installs = [...text.matchAll(/- run: (npm (?:ci|install)\b.*)$/gm)].map(([, install]) => install);
    expect(installs.length).toBeGreaterThan(1);
    for (const install of installs) expect(install).toContain('--ignore-scripts');
  });

  it('runs only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, script] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([script]);
  });
});
