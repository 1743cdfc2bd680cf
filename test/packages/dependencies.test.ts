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
    readonly inBundle?: boolean;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }
  // Also those that only one package of the workspace has, in its own node_modules.
  const entries = Object.entries(lock.packages as Record<string, Entry>).filter(([path]) =>
    /(^|\/)node_modules\//.test(path),
  );

  it('is locked with its checksum, for every platform: npm ci refuses a lock with gaps', () => {
    // What is bundled with a package has the checksum of that.
    const outside = entries.filter(([, { link, inBundle }]) => !link && !inBundle);
    expect(outside.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    const paths = new Set(entries.map(([path]) => path));
    const gaps = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
      ),
    );
    expect(gaps).toEqual([]);
  });

  it('runs no script when it is installed, except for two optional parts', () => {
    const scripted = entries.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path);
    const commands = scripted.map((path) => {
      const { name, scripts } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      return [name, scripts.preinstall, scripts.install, scripts.postinstall];
    });
    expect(commands).toEqual([
      // A part of BullMQ: loads its binary, and compiles it where there is none for the platform.
      ['msgpackr-extract', undefined, 'node-gyp-build-optional-packages', undefined],
      // Installed only by those who want a GPU. Removes the mark of a downloaded file on macOS; elsewhere does nothing.
      ['webgpu', undefined, undefined, 'node build/postinstall.js'],
    ]);
    const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
    for (const [name] of commands) expect(page).toContain(`| \`${name}\` |`);
  });

  it('needs neither of the scripts: BullMQ also works without its compiled part', () => {
    const program = `
      const Module = require('node:module');
      const resolve = Module._resolveFilename;
      let missed = 0;
      Module._resolveFilename = (name, ...rest) => {
        if (name !== 'msgpackr-extract') return resolve(name, ...rest);
        missed++;
        throw Object.assign(new Error(name + ' is not installed'), { code: 'MODULE_NOT_FOUND' });
      };
      require('bullmq');
      const { isNativeAccelerationEnabled, pack, unpack } = require('msgpackr');
      const text = 'a text that is long enough for the compiled part';
      console.log(JSON.stringify([missed > 0, isNativeAccelerationEnabled, unpack(pack([text, 1.5]))[0] === text]));
    `;
    const options = { cwd: join(root, 'packages/queue'), encoding: 'utf8' } as const;
    expect(JSON.parse(execFileSync(process.execPath, ['-e', program], options))).toEqual([true, false, true]);
  });

  it('has licences that ask for no more than their names; LGPL only for the shared library of sharp', () => {
    const free =
      /^\(?((MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|CC0-1\.0|Unlicense|Zlib|BlueOak-1\.0\.0)( (OR|AND) )?)+\)?$/;
    const others = entries.filter(([, { dev, link, license = '' }]) => !dev && !link && !free.test(license));
    expect(others.filter(([path]) => !path.startsWith('node_modules/@img/sharp-')).map(([path]) => path)).toEqual([]);
  });

  it('is locked in the container too, on images that are fixed by their digest, and runs there without privileges', () => {
    const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
    const compose = readFileSync(join(root, 'deploy/docker-compose.yml'), 'utf8');
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm), ...compose.matchAll(/^ +image: (\S+)/gm)];
    expect(images).toHaveLength(3);
    for (const [, image] of images) expect(image).toMatch(/^\w+:\d+\.\d+\.\d+-\w+@sha256:[0-9a-f]{64}$/);
    const installs = dockerfile.match(/npm (ci|install)\b.*/g) ?? [];
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toMatch(/^npm ci --ignore-scripts/);
    expect(dockerfile).toMatch(/\nUSER node\n/);
    const [, ...services] = compose.split(/^services:$|^volumes:$/m)[1].split(/^(?= {2}\w+:$)/m);
    expect(services.map((service) => service.trim().split(':')[0])).toEqual(['redis', 'worker', 'serve']);
    for (const service of services) expect(service).toContain('cap_drop: [ALL]');
  });

  it('is listed with its licences in docs/licences.md', () => {
    const listed = execFileSync(process.execPath, [join(root, 'scripts/licences.js')], { encoding: 'utf8' });
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(listed);
  });
});
