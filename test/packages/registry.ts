/**
 * A registry on this machine that holds the packages of this repository as `npm pack` makes them, and the third-party packages
 * that are installed here. Tests install from it by name, as users do, without a network.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly bundledDependencies?: readonly string[];
}

/** One version of a package: its manifest, and the arguments with which `tar` prints it as an archive. */
interface Version {
  readonly manifest: Manifest;
  readonly archive: readonly string[] | { readonly file: string };
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Packs every package of this repository that is not private into a folder. */
export function packAll(root: string, into: string): void {
  const packages = readdirSync(join(root, 'packages')).map((name) => manifestIn(join(root, 'packages', name)));
  const workspaces = packages.filter((manifest) => !manifest.private).flatMap(({ name }) => ['--workspace', name]);
  execFileSync('npm', ['pack', ...workspaces, '--pack-destination', into, '--ignore-scripts', '--silent'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** What was packed, and what the lock file says is installed. */
function versionsIn(root: string, tarballs: string): Version[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(packages as object)
    .filter((path) => path.includes('node_modules/') && !packages[path].link && existsSync(join(root, path)))
    .map((path) => {
      const folder = join(root, path);
      const manifest = manifestIn(folder);
      // Only the packages that are bundled with it are in its archive.
      const left = manifest.bundledDependencies ? [] : ['--exclude', './node_modules'];
      return { manifest, archive: ['-c', ...left, '-C', folder, '.'] };
    });
  const packed = readdirSync(tarballs).map((name) => {
    const file = join(tarballs, name);
    const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
    return { manifest: JSON.parse(text) as Manifest, archive: { file } };
  });
  return [...packed, ...installed];
}

/** Serves these packages in the way npm asks for them, on the loopback address. */
export async function startRegistry(root: string, tarballs: string): Promise<{ url: string; server: Server }> {
  const versions = versionsIn(root, tarballs);
  const names = new Set(versions.map(({ manifest }) => manifest.name));

  /** What npm reads about a package: all its versions, and where their archives are. */
  const describe = (name: string, host: string) => {
    const held = versions.filter(({ manifest }) => manifest.name === name);
    const described = held.map(({ manifest }) => {
      // What other platforms would install is not here.
      const optional = Object.entries(manifest.optionalDependencies ?? {}).filter(([name]) => names.has(name));
      const tarball = `http://${host}/${name}/-/${manifest.version}.tgz`;
      return { ...manifest, optionalDependencies: Object.fromEntries(optional), dist: { tarball } };
    });
    const byVersion = Object.fromEntries(described.map((manifest) => [manifest.version, manifest]));
    return { name, versions: byVersion, 'dist-tags': { latest: held[0].manifest.version } };
  };

  const server = createServer(({ url = '/', headers }, response) => {
    const [name, archive] = decodeURIComponent(url).slice(1).split('/-/');
    const found = versions.find(({ manifest }) => manifest.name === name && `${manifest.version}.tgz` === archive);
    if (found) {
      if ('file' in found.archive) response.end(readFileSync(found.archive.file));
      else spawn('tar', found.archive, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response);
    } else if (!archive && names.has(name)) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(describe(name, headers.host ?? '')));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
