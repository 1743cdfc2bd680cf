/** What the workflow publishes: its own commands, in a dry run and without a network. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workflow = readFileSync(join(root, '.github/workflows/publish.yml'), 'utf8');

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
      ['ght', 'ght-cli', 'ght-images', 'ght-lab', 'ght-queue', 'ght-studio', 'ght-tiles'].sort(),
    );
    for (const { name, files } of Object.values(published)) {
      const paths = files.map(({ path }) => path);
      expect(paths, name).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
      const others = paths.filter((path) => !/^(dist|bin)\//.test(path));
      const weights = name === 'ght' ? ['weights/grey.npz'] : [];
      expect(others.sort(), name).toEqual(['LICENSE', 'README.md', 'package.json', ...weights]);
      expect(
        paths.filter((path) => /tsbuildinfo|\.test\.|\.ts$/.test(path) && !path.endsWith('.d.ts')),
        name,
      ).toEqual([]);
    }
  });

  it('asks for provenance, and for the permission to sign it', () => {
    expect(command).toContain('--provenance');
    expect(workflow).toMatch(/packages:[\s\S]+id-token: write[\s\S]+npm publish/);
  });

  it('tests before it publishes, and refuses a tag that is not the version', () => {
    expect(workflow.match(/needs: test/g)).toHaveLength(2);
    expect(workflow).toContain('- run: npm test');
    expect(workflow).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
  });

  it('runs only scripts that exist, and names no host but the registry of npm', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, script] of workflow.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(script);
    expect(workflow).toContain('path: packages/site/dist');
    const hosts = [...workflow.matchAll(/https?:\/\/[^\s/]+/g)].map(([host]) => host);
    expect(new Set(hosts)).toEqual(new Set(['https://registry.npmjs.org']));
  });
});
