import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../src/node/index.js';
import { removeStrays, temporaryFor } from '../src/node/temporaries.js';
import { temporaryFolder } from './fixtures.js';

const { path } = temporaryFolder();
const own = basename(temporaryFor('out.png'));
const [, host] = /ght-([0-9a-f]{8})-/.exec(own) as RegExpExecArray;
/** The number of a process that has ended. */
const dead = spawnSync(process.execPath, ['--version']).pid;
const named = (pid: number | string, machine = host, start = 'out.png') =>
  `.${start}.ght-${machine}-${pid}-0123abcd.tmp`;
const elsewhere = host === '00000000' ? '11111111' : '00000000';

/** A folder with these files, all of them `age` hours old. */
async function folderOf(names: readonly string[], age = 0): Promise<string> {
  const folder = await mkdtemp(path('strays-'));
  const when = Date.now() / 1000 - 3600 * age;
  for (const name of names) {
    await writeFile(join(folder, name), 'half of a pict');
    await utimes(join(folder, name), when, when);
  }
  return folder;
}

describe('temporary files that are left', () => {
  it('by a dead process of this machine are removed by the next write to the folder', async () => {
    const folder = await folderOf([named(dead), named(dead, host, ''), named(dead, host, 'x\ny'), 'result.png']);
    await writeFileAtomically(join(folder, 'other.npz'), Buffer.from('whole'));
    expect((await readdir(folder)).sort()).toEqual(['other.npz', 'result.png']);
  });

  it('by an earlier process of our own number are removed; those of this very run are not', async () => {
    const folder = await folderOf([named(process.pid), own]);
    await removeStrays(folder);
    expect(await readdir(folder)).toEqual([own]);
  });

  it('by a process that runs, or one on another machine, are kept', async () => {
    const names = [named(process.ppid), named(1), named(dead, elsewhere)];
    const folder = await folderOf(names);
    await removeStrays(folder);
    expect((await readdir(folder)).sort()).toEqual(names.sort());
  });

  it('by anyone, an hour ago, are removed', async () => {
    const folder = await folderOf([named(process.ppid), named(dead, elsewhere)], 1.1);
    await removeStrays(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it('are never mistaken for files of others', async () => {
    const names = [
      `out.png.ght-${host}-${dead}-0123abcd.tmp`,
      `.out.png.ght-${host}-${dead}-0123abc.tmp`,
      `.out.png.ght-${host}-${dead}-0123abcd.tmp.png`,
      `.out.png.ght-${dead}-0123abcd.tmp`,
      `.out.png.ght-${host}-0${dead}-0123abcd.tmp`,
      `.out.png.ght-${host}-${dead}-0123ABCD.tmp`,
      '.out.png.tmp',
    ];
    const folder = await folderOf(names, 48);
    await mkdir(join(folder, named(dead, elsewhere)));
    await removeStrays(folder);
    expect((await readdir(folder)).sort()).toEqual([...names, named(dead, elsewhere)].sort());
  });
});
