import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../src/node/index.js';
import { removeStrays, temporaryFor } from '../src/node/temporaries.js';
import { temporaryFolder } from './fixtures.js';

const { path } = temporaryFolder();
const own = basename(temporaryFor('out.png'));
const [, host, started] = /ght-([0-9a-f]{8})-\d+-(\d+)-/.exec(own) as RegExpExecArray;
/** The number of a process that has ended. */
const dead = spawnSync(process.execPath, ['--version']).pid;
const named = (pid: number | string, machine = host, start = 'out.png', time = startOf(pid)) =>
  `.${start}.ght-${machine}-${pid}-${time}-0123abcd.tmp`;

/** When a process was started, where /proc says so. */
function startOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}
const elsewhere = host === '00000000' ? '11111111' : '00000000';

const built = new URL('../dist/node/temporaries.js', import.meta.url).href;
/** A process namespace of its own, with the /proc of it. */
const NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;

/** A folder of such files, after strays were removed. */
async function tidied(names: readonly string[], age: number): Promise<string> {
  const folder = await folderOf(names, age);
  await removeStrays(folder);
  return folder;
}

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

  it.skipIf(started === '0')('by an earlier process of a number that is in use are removed (needs /proc)', async () => {
    const thread = named(process.pid, host, 'thread');
    const folder = await folderOf([
      named(process.pid, host, 'a', '1'),
      named(process.ppid, host, 'b', '1'),
      own,
      thread,
    ]);
    await removeStrays(folder);
    // Another thread of this process may be writing.
    expect((await readdir(folder)).sort()).toEqual([own, thread].sort());
  });

  it.skipIf(!hasNamespaces)('by a process in another process namespace are kept (needs unshare)', async () => {
    const folder = await folderOf([]);
    const script = `
      import { writeFileSync } from 'node:fs';
      import { temporaryFor } from ${JSON.stringify(built)};
      writeFileSync(temporaryFor(${JSON.stringify(join(folder, 'out.png'))}), 'half of a pict');`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    // Its host name is ours, and its process number is 1.
    execFileSync('unshare', [...NAMESPACE, ...node]);
    const [name] = await readdir(folder);
    expect(name).toMatch(/^\.out\.png\.ght-[0-9a-f]{8}-1-\d+-[0-9a-f]{8}\.tmp$/);
    expect(name).not.toContain(host);
    await removeStrays(folder);
    expect(await readdir(folder)).toEqual([name]);
    // The other way round: the process there has seen a file of ours, whose number is free there.
    await writeFile(join(folder, own), 'half of a pict');
    const remove = `import { removeStrays } from ${JSON.stringify(built)}; await removeStrays(${JSON.stringify(folder)});`;
    execFileSync('unshare', [...NAMESPACE, process.execPath, '--input-type=module', '-e', remove]);
    expect((await readdir(folder)).includes(own)).toBe(true);
  });

  it('of earlier versions, without the start of the process, are removed when they are old', async () => {
    const old = [`.out.png.ght-${elsewhere}-${dead}-0123abcd.tmp`];
    expect(await readdir(await tidied(old, 0))).toEqual(old);
    expect(await readdir(await tidied(old, 1.1))).toEqual([]);
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
      `.out.png.ght-${host}-${dead}-x-0123abcd.tmp`,
      `.out.png.ght-${host}-${dead}-0123ABCD.tmp`,
      '.out.png.tmp',
    ];
    const folder = await folderOf(names, 48);
    await mkdir(join(folder, named(dead, elsewhere)));
    await removeStrays(folder);
    expect((await readdir(folder)).sort()).toEqual([...names, named(dead, elsewhere)].sort());
  });
});
