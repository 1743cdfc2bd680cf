import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, png, textured, workplace } from './command.js';

const { ght, path, save, start } = workplace();

beforeAll(async () => {
  await save('large.png', await png(textured(512, 512), 1, 512));
  await save('huge.png', await png(textured(1200, 1200), 1, 1200));
  await save('grey.png', await png(textured()));
});

describe('a run that is interrupted', () => {
  const endless = ['--solver', 'admm', '--tolerance', '0', '--max-iterations', '100000'];

  it.each([
    ['SIGINT', 130, ['represent', 'large.png', '-o', 'out.png', '--engine', 'reference', ...endless]],
    ['SIGINT', 130, ['represent', 'large.png', '-o', 'out.png', ...endless]],
    [
      'SIGTERM',
      143,
      [
        'denoise',
        'large.png',
        '-o',
        'out.png',
        ...'--method paper --engine portable --solver joint-omp --stride 2'.split(' '),
      ],
    ],
    ['SIGINT', 130, ['denoise', 'large.png', '-o', 'out.png', '--engine', 'reference']],
    ['SIGTERM', 143, ['denoise', 'huge.png', '-o', 'out.png', '--quality', 'best']],
  ] as const)('by %s ends at once with exit code %i, one line and no file', async (signal, code, args) => {
    const before = await readdir(dirname(path('x')));
    const child = start(...args);
    const end = ended(child);
    // Progress shows that the work has begun.
    await once(child.stderr, 'data');
    child.kill(signal);
    // A run that goes on takes minutes; one that ends at once may wait for the core.
    const limit = setTimeout(() => child.kill('SIGKILL'), 120_000);
    const { stdout, stderr, ...rest } = await end;
    clearTimeout(limit);
    expect({ ...rest, stdout }).toEqual({ code, stdout: '' });
    // Piped, the progress is plain lines; the last line is the one about the end.
    expect(stderr).toMatch(/^((GHT-ADMM|denoise|denoise as the paper): \d+%.*\n)+ght: stopped; nothing was written\n$/);
    expect(await readdir(dirname(path('x')))).toEqual(before);
  });
});

describe('progress', () => {
  it('is not shown with --json, however long it takes', async () => {
    const args = ['--solver', 'admm', '--engine', 'reference', '--tolerance', '0', '--max-iterations', '8', '--json'];
    expect((await ght('represent', 'large.png', ...args)).stderr).toBe('');
  });
});

describe('a reader that leaves early', () => {
  it.each([[['compare', 'grey.png', '--budget', '2', '--json']], [['represent', '--help']]])('%s', async (args) => {
    const child = start(...args);
    const end = ended(child);
    child.stdout.destroy();
    expect(await end).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('of the error line: the exit code still shows the failure', async () => {
    const child = start('represent', 'missing.png');
    child.stderr.destroy();
    expect((await ended(child)).code).toBe(2);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk behind standard output is one line', () => {
    const binary = new URL('../bin/ght.js', import.meta.url).pathname;
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, [binary, 'info', path('grey.png')], { stdio: [...stdio] });
    expect(status).toBe(2);
    expect(String(stderr)).toMatch(/^ght: standard output must be writable, but got "ENOSPC": [^\n]+\n$/);
  });
});
