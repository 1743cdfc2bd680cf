/** What the packages depend on, as the lock file names it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('what the packages depend on', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  interface Entry {
    readonly license?: string;
    readonly dev?: boolean;
    readonly link?: boolean;
    readonly hasInstallScript?: boolean;
    readonly integrity?: string;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }
  const entries = Object.entries(lock.packages as Record<string, Entry>).filter(([path]) =>
    path.startsWith('node_modules/'),
  );

  it('is locked with its checksum, for every platform: npm ci refuses a lock with gaps', () => {
    const outside = entries.filter(([, { link }]) => !link);
    expect(outside.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    const paths = new Set(entries.map(([path]) => path));
    const gaps = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
      ),
    );
    expect(gaps).toEqual([]);
  });

  it('runs no script when it is installed, but those of two optional parts that look for their binaries', () => {
    const scripted = entries.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path);
    // A part of BullMQ, and WebGPU, which only those install who want a GPU.
    expect(scripted).toEqual(['node_modules/msgpackr-extract', 'node_modules/webgpu']);
  });

  it('has licences that ask for no more than their names; LGPL only for the shared library of sharp', () => {
    const free =
      /^\(?((MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|CC0-1\.0|Unlicense|Zlib|BlueOak-1\.0\.0)( (OR|AND) )?)+\)?$/;
    const others = entries.filter(([, { dev, link, license = '' }]) => !dev && !link && !free.test(license));
    expect(others.filter(([path]) => !path.startsWith('node_modules/@img/sharp-')).map(([path]) => path)).toEqual([]);
  });

  it('is listed with its licences in docs/licences.md', () => {
    const listed = execFileSync(process.execPath, [join(root, 'scripts/licences.js')], { encoding: 'utf8' });
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(listed);
  });
});
