import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderScratch } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { messageOf, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();

describe('a scratch folder', () => {
  it('returns what was put there, also to another process, and nothing else', async () => {
    const folder = path('plain');
    const value = { counts: Uint32Array.of(1, 2, 3), name: 'tally' };
    await folderScratch(folder).put('tally-2/7', value);
    expect(await folderScratch(folder).get('tally-2/7')).toEqual(value);
    expect(await folderScratch(folder).get('tally-2/8')).toBeUndefined();
    expect(await folderScratch(path('nowhere')).get('a')).toBeUndefined();
  });

  it('takes any key: long, with slashes and dots, and never leaves its folder', async () => {
    const scratch = folderScratch(path('outer/inner'));
    const keys = ['../../escape', '/etc/passwd', '.hidden', '', 'k'.repeat(400), `${'k'.repeat(400)}2`, 'ä*?"<>|'];
    for (const [i, key] of keys.entries()) await scratch.put(key, i);
    for (const [i, key] of keys.entries()) expect(await scratch.get(key), key).toBe(i);
    expect(await readdir(path('outer'))).toEqual(['inner']);
    expect(await readdir(path('outer/inner'))).toHaveLength(keys.length);
  });

  it('counts damaged, cut and exchanged files as absent', async () => {
    const folder = path('damaged');
    const scratch = folderScratch(folder);
    const key = async (name: string) => {
      await scratch.put(name, Float64Array.of(1, 2, 3));
      return join(folder, `${name}.ght-data`);
    };
    await truncate(await key('cut'), 40);
    const flipped = await key('flipped');
    const bytes = await readFile(flipped);
    bytes[bytes.length - 1] ^= 1;
    await writeFile(flipped, bytes);
    await writeFile(await key('empty'), '');
    await writeFile(await key('other'), await readFile(await key('whole')));
    for (const name of ['cut', 'flipped', 'empty', 'other']) expect(await scratch.get(name), name).toBeUndefined();
    expect(await scratch.get('whole')).toEqual(Float64Array.of(1, 2, 3));
  });

  it('clears what it wrote, and leaves the files of others', async () => {
    const [own, shared] = [path('own'), path('shared')];
    await folderScratch(own).put('a', 1);
    await folderScratch(own).clear();
    await expect(readdir(own)).rejects.toThrow('ENOENT');
    await mkdir(shared);
    await writeFile(join(shared, 'thesis.txt'), 'precious');
    const scratch = folderScratch(shared);
    await scratch.put('a', 1);
    await scratch.clear();
    expect(await readdir(shared)).toEqual(['thesis.txt']);
    await scratch.put('b', 2);
    expect(await scratch.get('b')).toBe(2);
  });

  it('names the place where nothing can be written', async () => {
    await writeFile(path('file'), '');
    expect(await messageOf(() => folderScratch(path('file')).put('a', 1))).toMatch(/^scratch must be a folder/);
  });
});
