/** Places that cannot be written to: full disks, folders without permission, readers that stop early. */
import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, png, textured } from '../command.js';

const binary = fileURLToPath(new URL('../../bin/ght.js', import.meta.url));
const root = process.getuid?.() === 0;
/** A user without rights: the superuser could write everywhere. */
const nobody = root ? { uid: 65534, gid: 65534 } : {};
let place = '';

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'ght-places-'));
  await chmod(place, 0o755);
  await mkdir(join(place, 'photos'));
  await writeFile(join(place, 'photos/a.png'), await png(textured(96, 96), 1, 96));
  await mkdir(join(place, 'closed'), { mode: 0o555 });
  // Every user may write here, but not to the folder of the finished experiments.
  await mkdir(join(place, 'kept/experiments'), { recursive: true });
  await writeFile(join(place, 'kept/experiments/two-patches.json'), '{}');
  await chmod(join(place, 'kept'), 0o777);
  await chmod(join(place, 'kept/experiments'), 0o555);
  await symlink('closed/out.png', join(place, 'link.png'));
  await mkdir(join(place, 'small'));
});
afterAll(() => rm(place, { recursive: true, force: true }));

const start = (args: readonly string[], who: object = {}) =>
  spawn(process.execPath, [binary, ...args], { cwd: place, stdio: ['ignore', 'pipe', 'pipe'], ...who });

/** Expects exit code 2 and one line, apart from progress, that contains `part`. */
function expectRefusal({ code, stderr }: Awaited<ReturnType<typeof ended>>, part: string): void {
  const lines = stderr.split('\n').filter((line) => line !== '' && !/^[\w -]+: \d+%/.test(line));
  expect({ code, lines }).toEqual({ code: 2, lines: [expect.stringMatching(/^ght: [^\n]+: [^\n]+$/)] });
  expect(lines[0]).toContain(part);
}

const photo = 'photos/a.png';
const reproduce = ['reproduce', 'two-patches', '--quick', '--images', 'photos', '-o'];

describe('a folder without permission to write', () => {
  it.each([
    ['represent', ['represent', photo, '-o', 'closed/out.png'], '-o must lie in a folder that can be written to'],
    [
      'represent through a link',
      ['represent', photo, '-o', 'link.png'],
      '-o must lie in a folder that can be written to',
    ],
    ['represent --codes', ['represent', photo, '--codes', 'closed/z.npz'], '--codes must lie in a folder'],
    ['denoise', ['denoise', photo, '-o', 'closed/out.png'], '-o must lie in a folder that can be written to'],
    [
      'denoise of a folder',
      ['denoise', 'photos', '-o', 'closed/new'],
      '-o must be a folder for several images (EACCES)',
    ],
    ['reproduce to an existing folder', [...reproduce, 'closed'], '-o must be a folder that can be written to'],
    ['reproduce that keeps results', [...reproduce, 'kept'], '-o must be a folder that can be written to'],
    ['reproduce', [...reproduce, 'closed/report'], '-o must be a folder or a place to make one (EACCES)'],
  ])('refuses %s in one line', async (_, args, part) => {
    expectRefusal(await ended(start(args, nobody)), part);
    expect(await readdir(join(place, 'closed'))).toEqual([]);
  });
});

/** Mounts a disk of a few pages at `small`; returns the reason if that is not possible. */
function smallDisk(): string | undefined {
  if (process.platform !== 'linux' || !root) return 'only the superuser can mount a small disk';
  const folder = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return undefined;
  } catch {
    return 'mounting is not allowed here';
  } finally {
    execFileSync('rmdir', [folder]);
  }
}
const noDisk = smallDisk();

describe.skipIf(noDisk)(`a full disk${noDisk ? ` (${noDisk})` : ''}`, () => {
  beforeAll(() => void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', join(place, 'small')]));
  afterAll(() => void execFileSync('umount', [join(place, 'small')]));

  it('refuses in one line what does not fit, keeps existing files and leaves no new ones', async () => {
    await writeFile(join(place, 'small/out.npy'), 'what was there before');
    await writeFile(join(place, 'large.png'), await png(textured(200, 200), 1, 200));
    const none = ['--max-iterations', '2'];
    for (const args of [
      ['represent', 'large.png', '-o', 'small/out.npy', '--codes', 'small/z.npz', ...none],
      [
        'represent',
        'large.png',
        '-o',
        'small/new.png',
        '--heatmap',
        'small/heat.png',
        '--codes',
        'small/z.npz',
        ...none,
      ],
      ['denoise', 'large.png', '-o', 'small/out.tif', '--quality', 'fast', '--sigma', '1'],
    ]) {
      expectRefusal(await ended(start(args)), 'must be writable (ENOSPC)');
      expect(await readdir(join(place, 'small'))).toEqual(['out.npy']);
      expect(await readFile(join(place, 'small/out.npy'), 'utf8')).toBe('what was there before');
    }
  });

  it('refuses in one line a result on standard output that does not fit', async () => {
    await writeFile(join(place, 'large.png'), await png(textured(200, 200), 1, 200));
    for (const args of [
      ['denoise', 'large.png', '-o', '-', '--quality', 'fast', '--sigma', '1'],
      ['denoise', 'large.png', '-o', '-', '--quality', 'fast', '--sigma', '1', '-q'],
      ['represent', 'large.png', '-o', '-', '--max-iterations', '2', '--format', 'npy'],
    ]) {
      const file = await open(join(place, 'small/out'), 'w');
      const child = spawn(process.execPath, [binary, ...args], { cwd: place, stdio: ['ignore', file.fd, 'pipe'] });
      const outcome = await ended(child).finally(() => file.close());
      expectRefusal(outcome, 'standard output must be writable, but got "ENOSPC": free some space on the disk');
      await rm(join(place, 'small/out'));
    }
  });

  it('stops reproduce in one line', async () => {
    const { code, stderr } = await ended(start([...reproduce, 'small/report']));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('(ENOSPC)') });
    const names = await readdir(join(place, 'small'), { recursive: true });
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('a device that takes nothing', () => {
  it.each([
    ['an image', ['denoise', photo, '-o', '-', '--sigma', '1', '-q']],
    ['text', ['info', photo]],
  ])('is refused in one line as the place of %s', async (_, args) => {
    const file = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [binary, ...args], { cwd: place, stdio: ['ignore', file.fd, 'pipe'] });
    const outcome = await ended(child).finally(() => file.close());
    expectRefusal(outcome, 'standard output must be writable, but got "ENOSPC"');
  });
});

describe('a reader that stops before the first line', () => {
  it('does not prevent files from being written', async () => {
    const child = start([...reproduce, 'unread']);
    child.stdout.destroy();
    expect((await ended(child)).code).toBe(0);
    expect(await readdir(join(place, 'unread'))).toContain('report.html');
  });

  it('does not hide that some images failed', async () => {
    await mkdir(join(place, 'mixed'));
    await writeFile(join(place, 'mixed/bad.png'), 'no picture');
    const child = start(['denoise', 'mixed', '-o', 'cleaned']);
    child.stdout.destroy();
    const { code, stderr } = await ended(child);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('bad.png: IMAGE must be a PNG') });
  });
});
