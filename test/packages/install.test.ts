/** `npm install` and `npx` as users type them, in empty folders, from a registry with the packed packages. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeNpy } from 'ght/npy';
import { describe, expect, it } from 'vitest';
import { emptyFolder, output, run, start } from './project.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'packages/ght/package.json'), 'utf8'));

/** The library is installed here first, and the command later; newcomer.test.ts installs the command alone. */
const folder = emptyFolder('user');

describe('npm install ght', () => {
  it('brings the library and nothing else', () => {
    output(folder, 'npm', 'install', 'ght');
    expect(existsSync(join(folder, 'node_modules/ght/dist/index.js'))).toBe(true);
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/ght']);
  });

  it('has an npx ght that says in two lines where the command is', () => {
    expect(run(folder, 'npx', 'ght', 'denoise', 'photo.png')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'ght: the command is in the package ght-cli, which is not installed here\n' +
        'run "npm install ght-cli" and then "npx ght …", or "npx ght-cli …" without installing it\n',
    });
  });

  it('has an npx ght that works once these lines were followed, from either package', () => {
    output(folder, 'npm', 'install', 'ght-cli');
    expect(output(folder, 'npx', 'ght', '--version')).toBe(`${version}\n`);
    // Both packages have a command of that name, and npm links the one it installed last.
    for (const name of ['ght', 'ght-cli']) {
      const program = join(folder, 'node_modules', name, 'bin/ght.js');
      expect(output(folder, process.execPath, program, '--version'), name).toBe(`${version}\n`);
    }
  });

  it('has an npx ght that passes arguments, messages and exit codes on', () => {
    const { status, stderr } = run(folder, process.execPath, 'node_modules/ght/bin/ght.js', 'info', 'missing.png');
    expect([status, stderr]).toEqual([2, expect.stringContaining('missing.png')]);
  });
});

describe('npm install ght-cli', () => {
  it('brings images in tiles; the queue is installed by those who want it, and the command says how', () => {
    const there = (name: string) => existsSync(join(folder, 'node_modules', name, 'dist/index.js'));
    expect([there('ght-tiles'), there('ght-queue')]).toEqual([true, false]);
    const samples = Uint8Array.from({ length: 40 * 30 }, (_, i) => (i * i) % 251);
    writeFileSync(join(folder, 'noisy.npy'), writeNpy({ type: 'u1', shape: [30, 40], data: samples }));
    output(folder, 'npx', 'ght', 'denoise', 'noisy.npy', '-o', 'clean.zarr');
    expect(existsSync(join(folder, 'clean.zarr/zarr.json'))).toBe(true);
    const { status, stderr } = run(folder, 'npx', 'ght', 'runs', 'redis://127.0.0.1:1/');
    expect([status, stderr]).toEqual([2, expect.stringContaining('run npm install ght-queue where ght is installed')]);
  });

  it("brings the paper's experiments", () => {
    output(folder, 'npx', 'ght', 'reproduce', 'two-patches', '--quick', '-o', 'report');
    expect(readFileSync(join(folder, 'report/report.html'), 'utf8')).toContain('confirmed');
  });

  it('brings the studio', async () => {
    const studio = start(folder, process.execPath, 'node_modules/ght-cli/bin/ght.js', 'studio', '--port', '0');
    try {
      const [printed] = await once(studio.stdout, 'data');
      const page = await fetch(/http:\S+/.exec(String(printed))?.[0] ?? '');
      const [script] = /assets\/index-[^"]+\.js/.exec(await page.text()) ?? [];
      expect((await fetch(new URL(script ?? 'no script', page.url))).status).toBe(200);
    } finally {
      studio.kill();
    }
  });
});

describe('the command without an installation in the folder', () => {
  it('is npx ght-cli', () => {
    const folder = emptyFolder('nothing');
    expect(output(folder, 'npx', '--yes', 'ght-cli', '--version')).toBe(`${version}\n`);
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('is ght everywhere after npm install -g ght-cli', () => {
    const prefix = emptyFolder('prefix');
    output(prefix, 'npm', 'install', '--global', '--prefix', prefix, 'ght-cli');
    for (const name of ['ght', 'ght-cli']) {
      expect(output(prefix, join(prefix, 'bin', name), '--version'), name).toBe(`${version}\n`);
    }
  });
});
