import { chmod, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { imageExtensions } from '../src/index.js';
import { checkOutput, writeFileAtomically, writeFileBy } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>();
  return { ...actual, rename: vi.fn(actual.rename) };
});

const { path, save } = temporaryFolder();
const asRoot = process.getuid?.() === 0;

async function messageOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isGhtError(error)) throw error ?? new Error('nothing was refused');
  return error.message;
}

describe('checkOutput', () => {
  it('accepts a new file and a file to be replaced', async () => {
    await checkOutput(path('new.png'), imageExtensions);
    await checkOutput(path('NEW.TIFF'), imageExtensions);
    await checkOutput(await save('old.json', '{}'), ['.json']);
  });

  it('refuses an unknown extension with the list of those there are', async () => {
    expect(await messageOf(checkOutput(path('out.bmp'), ['.png', '.npy']))).toBe(
      `output must end in .png, .npy, but got "${path('out.bmp')}": choose one of these extensions`,
    );
    expect(await messageOf(checkOutput(path('out'), ['.png'], '--plot'))).toMatch(/^--plot must end in \.png/);
  });

  it('refuses a folder, and a folder that is missing or a file', async () => {
    await mkdir(path('folder.png'));
    expect(await messageOf(checkOutput(path('folder.png'), ['.png']))).toContain('this is a folder');
    expect(await messageOf(checkOutput(path('none/out.png'), ['.png']))).toContain(
      `create the folder "${path('none')}"`,
    );
    await save('file', 'x');
    expect(await messageOf(checkOutput(path('file/out.png'), ['.png']))).toContain('existing folder');
  });

  it.skipIf(asRoot)('refuses a folder and a file without permission to write', async () => {
    await mkdir(path('closed'), { mode: 0o500 });
    expect(await messageOf(checkOutput(path('closed/out.png'), ['.png']))).toContain('can be written to');
    await chmod(await save('locked.png', 'x'), 0o400);
    expect(await messageOf(checkOutput(path('locked.png'), ['.png']))).toContain('read-only');
  });

  it.skipIf(process.platform === 'win32')('follows a link to where the file would be', async () => {
    await symlink(path('none/out.png'), path('astray.png'));
    expect(await messageOf(checkOutput(path('astray.png'), ['.png']))).toContain(
      `create the folder "${path('none')}" first`,
    );
    await symlink('circle.png', path('circle.png'));
    expect(await messageOf(checkOutput(path('circle.png'), ['.png']))).toContain('this is a link to itself');
    if (asRoot) return;
    await mkdir(path('read-only'), { mode: 0o500 });
    await symlink(path('read-only/out.png'), path('into-read-only.png'));
    expect(await messageOf(checkOutput(path('into-read-only.png'), ['.png']))).toContain('can be written to');
  });

  it.skipIf(process.platform === 'win32')('refuses a device, which would be replaced by a file', async () => {
    await symlink('/dev/null', path('null.png'));
    expect(await messageOf(checkOutput(path('null.png'), ['.png']))).toContain('device or a pipe');
  });
});

describe('writeFileAtomically', () => {
  let folder = '';
  beforeEach(async (context) => {
    folder = path(`case-${context.task.id}`);
    await mkdir(folder);
  });

  it('writes and replaces a file, leaves nothing next to it and keeps its permissions', async () => {
    const file = join(folder, 'out.bin');
    await writeFileAtomically(file, Buffer.from('first'));
    for (const mode of [0o600, 0o666, 0o644]) {
      await chmod(file, mode);
      await writeFileAtomically(file, Buffer.from('second'));
      expect(await readFile(file, 'utf8')).toBe('second');
      expect(await readdir(folder)).toEqual(['out.bin']);
      if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(mode);
    }
  });

  it.skipIf(process.platform === 'win32')('keeps a file private while it is written, new or replaced', async () => {
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
    await writeFile(join(folder, 'usual'), '');
    for (const replaced of [undefined, 0o644, 0o600]) {
      if (replaced) await chmod(join(folder, 'out.bin'), replaced);
      let during: number | undefined;
      await writeFileBy(join(folder, 'out.bin'), async (file) => {
        const [temporary] = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
        during = await modeOf(temporary);
        await file.writeFile('content');
      });
      expect(during).toBe(0o600);
      expect(await modeOf('out.bin')).toBe(replaced ?? (await modeOf('usual')));
    }
  });

  it('takes names as long as the file system does', async () => {
    const file = join(folder, `${'n'.repeat(250)}.png`);
    await writeFileAtomically(file, Buffer.from('x'));
    expect(await readFile(file, 'utf8')).toBe('x');
  });

  it.skipIf(process.platform === 'win32')('writes through a link', async () => {
    const target = await save('target.bin', 'old');
    const link = join(folder, 'link.bin');
    await symlink(target, link);
    await writeFileAtomically(link, Buffer.from('new'));
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('new');
  });

  it.skipIf(process.platform === 'win32')('writes through links to what is not there yet', async () => {
    await mkdir(join(folder, 'place'));
    await symlink('place', join(folder, 'other'));
    await symlink('../second.bin', join(folder, 'place/first.bin'));
    await symlink('place/real.bin', join(folder, 'second.bin'));
    await writeFileAtomically(join(folder, 'other/first.bin'), Buffer.from('new'));
    for (const name of ['place/first.bin', 'second.bin']) {
      expect((await lstat(join(folder, name))).isSymbolicLink()).toBe(true);
    }
    expect(await readFile(join(folder, 'place/real.bin'), 'utf8')).toBe('new');
  });

  it('keeps the old file and removes the temporary one when the last step fails', async () => {
    const file = join(folder, 'out.bin');
    await writeFileAtomically(file, Buffer.from('old'));
    let temporary: string[] = [];
    vi.mocked(rename).mockImplementationOnce(async () => {
      temporary = (await readdir(folder)).filter((name) => name !== 'out.bin');
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    const message = await messageOf(writeFileAtomically(file, Buffer.from('new')));
    expect(message).toBe(`output must be writable (ENOSPC), but got "${file}": free some space on the disk`);
    expect(temporary).toHaveLength(1);
    expect(temporary[0]).toMatch(new RegExp(`^\\.out\\.bin\\.ght-[0-9a-f]{8}-${process.pid}-\\d+-[0-9a-f]{8}\\.tmp$`));
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['out.bin']);
  });

  it('says when the folder is missing', async () => {
    expect(await messageOf(writeFileAtomically(join(folder, 'none/out.bin'), Buffer.from('x'), '--save'))).toMatch(
      /^--save must be writable \(ENOENT\).*create the folder first$/,
    );
  });
});
