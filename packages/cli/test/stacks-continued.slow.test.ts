/** A stack that is denoised into a Zarr by a run that is killed, and continued by the same command. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { randomSource } from 'ght';
import { writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { json, path, save, start } = workplace();
const [pages, side] = [50, 96];

beforeAll(async () => {
  const random = randomSource(1);
  const data = Uint8Array.from({ length: pages * side * side }, (_, i) => {
    const value = 120 + 60 * Math.sin((i % side) / 7) + 40 * Math.cos((i % (side * side)) / side / 5);
    return Math.min(255, Math.max(0, value + 15 * random.normal()));
  });
  await save('film.npy', writeNpy({ type: 'u1', shape: [pages, side, side], data }));
});

const command = (output: string) => ['denoise', 'film.npy', '--axes', 'tyx', '-o', output, '--quality', 'fast'];
const unfinished = async () => (await readdir(path('.'))).find((name) => name.endsWith('.unfinished'));

/** The files of a folder and their content. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(path(folder), { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile()).map((each) => `${each.parentPath ?? each.path}/${each.name}`);
  const contents = files.sort().map(async (file) => [file.slice(path(folder).length), await readFile(file, 'base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

describe('a stack', () => {
  it('is continued by the same command after a run was killed, with the same bytes', async () => {
    const run = start(...command('killed.zarr'));
    await expect
      .poll(async () => (await readdir(path(`${await unfinished()}/0/c`)).catch(() => [])).length, { interval: 5 })
      .toBeGreaterThan(13);
    run.kill('SIGKILL');
    await once(run, 'close');
    expect(await unfinished()).toMatch(/^\.killed\.zarr\.\w+\.unfinished$/);
    const { continued } = await json(...command('killed.zarr'));
    expect(continued).toBeGreaterThanOrEqual(12);
    expect(continued).toBeLessThan(pages);
    expect(await unfinished()).toBeUndefined();
    expect((await json(...command('whole.zarr'))).continued).toBe(0);
    expect(await filesOf('killed.zarr')).toEqual(await filesOf('whole.zarr'));
  });
});
