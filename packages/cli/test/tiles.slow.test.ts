/** Images in tiles, in runs that are killed and on a queue: the same samples as in one undisturbed process. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, NEEDS, startRedis, type TestServer } from '../../queue/test/redis.js';
import { ended, workplace } from './command.js';
import { writePictures } from './tiled-pictures.js';

const { ght, json, start, path } = workplace();

beforeAll(async () => {
  await writePictures(path);
  await ght('denoise', 'photo.png', '-o', 'whole.png', '--sigma', '10', '--quality', 'fast');
  await ght('represent', 'photo.png', '-o', 'represented.png', '--budget', '4');
});

/** The samples of an image file. */
const samplesOf = (name: string) => sharp(path(name)).removeAlpha().raw().toBuffer();

/** The number of chunk files in a folder. */
async function chunks(folder: string): Promise<number> {
  const entries = await readdir(path(folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /^\d+$/.test(entry.name)).length;
}

describe('ght denoise in tiles', () => {
  it('continues a run that was killed, and leaves the Zarr of another run alone', async () => {
    const asked = [
      'denoise',
      'photo.png',
      '-o',
      'part.zarr',
      '--sigma',
      '10',
      '--quality',
      'fast',
      '--tile',
      '32',
      '--json',
    ];
    // On a busy machine a run may be complete before it is killed: then another one is.
    do {
      await rm(path('part.zarr'), { recursive: true, force: true });
      const child = start(...asked);
      while (!existsSync(path('part.zarr/0/c/0/0/1'))) await sleep(5);
      child.kill('SIGKILL');
      await ended(child);
    } while ((await chunks('part.zarr/0')) === 3 * 7 * 5);
    const other = await ght('denoise', 'photo.png', '-o', 'part.zarr', '--sigma', '11', '--tile', '32');
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('-o must be a new folder, or one of the same run, but got "part.zarr"');
    expect((await ght(...asked)).code).toBe(0);
    expect(await chunks('part.zarr/0')).toBe(3 * 7 * 5);
    await ght('denoise', 'part.zarr', '-o', 'part.png', '--sigma', '0');
    expect((await samplesOf('part.png')).equals(await samplesOf('whole.png'))).toBe(true);
  });
});

describe.skipIf(!hasRedis)(`ght denoise --workers ${NEEDS}`, () => {
  let url = '';
  let server: TestServer;
  const workers: ReturnType<typeof start>[] = [];

  beforeAll(async () => {
    await mkdir(path('redis'));
    server = await startRedis(path('redis'));
    url = server.url;
    for (let i = 0; i < 2; i++) workers.push(start('worker', url, '--root', 'data=.', '--name', `worker-${i}`));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.stdout?.once('data', resolve))));
  });
  afterAll(async () => {
    const left = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = left.map((worker) => once(worker, 'exit'));
    for (const worker of left) worker.kill('SIGKILL');
    await Promise.all([...gone, server.stop()]);
  });

  it('gives the samples of the run in one process, and ght runs shows it', async () => {
    const asked = ['--sigma', '10', '--quality', 'fast', '--tile', '64', '--workers', url];
    const { code, stdout, stderr } = await ght('denoise', 'slide.tif', '-o', 'queued.tif', ...asked);
    expect({ code, stderr: stderr.replaceAll(/denoise: .*\n/g, '') }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/in tiles, by workers, run [0-9a-f]{16}\n/);
    expect((await samplesOf('queued.tif')).equals(await samplesOf('whole.png'))).toBe(true);
    const { runs, workers } = await json('runs', url);
    expect(runs).toMatchObject([{ plan: 'denoise', state: 'done', fraction: 1, failures: [] }]);
    expect(workers.map(({ name }: { name: string }) => name).sort()).toEqual(['worker-0', 'worker-1']);
    expect((await ght('runs', url)).stdout).toContain('2 workers: worker-0, worker-1');
    expect((await json('runs', url, '--clean')).removed).toEqual([runs[0].run]);
    expect((await ght('runs', url)).stdout).toContain('no runs');
  });

  it('represents too, with the samples of the run in one process', async () => {
    const asked = ['--budget', '4', '--tile', '64', '--workers', url];
    const { code } = await ght('represent', 'slide.tif', '-o', 'rep-queued.tif', ...asked);
    expect(code).toBe(0);
    expect((await samplesOf('rep-queued.tif')).equals(await samplesOf('represented.png'))).toBe(true);
  });

  it('refuses an output outside the roots, also through a link', async () => {
    const outside = await ght('denoise', 'slide.tif', '-o', '../outside.zarr', '--sigma', '10', '--workers', url);
    expect(outside.stderr).toContain('must lie in a root (data=');
    expect(outside.code).toBe(2);
    await mkdir(path('inside'), { recursive: true });
    await symlink('/', path('inside/link')).catch(() => {});
    const linked = await ght(
      'denoise',
      'slide.tif',
      '-o',
      'inside/link/tmp/ght-outside.zarr',
      '--sigma',
      '10',
      '--workers',
      url,
    );
    expect(linked.stderr).toContain('must lie in a root (data=');
    expect(existsSync('/tmp/ght-outside.zarr')).toBe(false);
  });

  it('a worker finishes its tile and ends on SIGTERM', async () => {
    const [, worker] = workers;
    const end = ended(worker);
    worker.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 143, stderr: 'ght: stopped; its last tile is finished\n' });
  });

  it('says who does not answer', async () => {
    const { code, stderr } = await ght('runs', 'redis://127.0.0.1:1/');
    expect(code).toBe(2);
    expect(stderr).toContain('redis://127.0.0.1:1/');
  });
});
