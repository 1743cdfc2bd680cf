/** Images in tiles: the same bytes as without, in this process and on a queue. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCodes } from 'ght-tiles';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, textured, workplace } from './command.js';

const { ght, json, start, path, read } = workplace();
const [w, h] = [200, 150];

beforeAll(async () => {
  const samples = Buffer.from(textured(w, h));
  const rgb = Buffer.alloc(3 * w * h);
  for (let i = 0; i < w * h; i++) for (let c = 0; c < 3; c++) rgb[3 * i + c] = 0.7 * samples[i] + 20 * c;
  const image = sharp(rgb, { raw: { width: w, height: h, channels: 3 } });
  await image.clone().png().toFile(path('photo.png'));
  await image
    .clone()
    .tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: 'deflate' })
    .toFile(path('slide.tif'));
  await ght('denoise', 'photo.png', '-o', 'whole.png', '--sigma', '10', '--quality', 'fast');
  await ght('denoise', 'photo.png', '-o', 'estimated.png', '--quality', 'fast');
  await ght('represent', 'photo.png', '-o', 'represented.png', '--budget', '4');
});

/** The samples of an image file. */
const samplesOf = (name: string) => sharp(path(name)).removeAlpha().raw().toBuffer();

describe('ght denoise in tiles', () => {
  it('writes the bytes of the untiled run', async () => {
    await ght('denoise', 'photo.png', '-o', 'tiled.png', '--sigma', '10', '--quality', 'fast', '--tile', '64');
    expect((await read('tiled.png')).equals(await read('whole.png'))).toBe(true);
    await ght('denoise', 'photo.png', '-o', 'again.png', '--quality', 'fast', '--tile', '80');
    expect((await read('again.png')).equals(await read('estimated.png'))).toBe(true);
  });

  it('reads a tiled TIFF and writes a Zarr or a TIFF with the same samples', async () => {
    const asked = ['--sigma', '10', '--quality', 'fast', '--tile', '64'];
    const { words, image } = await json('denoise', 'slide.tif', '-o', 'clean.zarr', ...asked);
    expect(words).toEqual(['noise: white, σ = 10.0']);
    expect(image).toEqual({ width: w, height: h, channels: 3, alpha: false, sample: 'uint', depth: 8 });
    await ght('denoise', 'slide.tif', '-o', 'clean.tif', ...asked);
    expect((await samplesOf('clean.tif')).equals(await samplesOf('whole.png'))).toBe(true);
    await ght('denoise', 'clean.zarr', '-o', 'back.png', '--sigma', '0');
    expect((await samplesOf('back.png')).equals(await samplesOf('whole.png'))).toBe(true);
    expect((await readdir(path('.'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

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

  it.each([
    ['--tile', ['photo.png', '-o', 'no.png', '--tile', '0'], '--tile must be a whole number of at least 1, but got 0'],
    ['--root', ['photo.png', '-o', 'no.png', '--root', 'data=.'], '--root must come with --workers'],
    [
      'several images',
      ['photo.png', 'slide.tif', '-o', 'no.zarr'],
      'IMAGE must be one image if it is processed in tiles',
    ],
    [
      '--reference',
      ['photo.png', '-o', 'no.zarr', '--reference', 'photo.png'],
      '--reference must be left out for an image',
    ],
    ['--method', ['photo.png', '-o', 'no.zarr', '--method', 'paper'], '--method must be groups for an image in tiles'],
    ['a stream', ['-', '-o', 'no.zarr'], 'IMAGE must be a file for an image that is processed in tiles'],
    ['standard output', ['photo.png', '-o', '-', '--tile', '64'], '-o must be a file for an image'],
    ['a folder', ['.', '-o', 'no.zarr'], 'IMAGE must be'],
    ['a missing file', ['absent.tif', '-o', 'no.zarr'], 'IMAGE must be'],
    [
      'an output of workers',
      ['photo.png', '-o', 'no.png', '--workers', 'redis://127.0.0.1:1/'],
      '-o must end in .zarr or .tif with --workers',
    ],
  ])('refuses what it cannot do: %s', async (_, args, message) => {
    const { code, stderr } = await ght('denoise', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(path('no.zarr'))).toBe(false);
    expect(existsSync(path('no.png'))).toBe(false);
  });
});

describe('ght represent in tiles', () => {
  it('writes the bytes of the untiled run, and the codes beside the picture of a Zarr', async () => {
    const whole = await json('represent', 'photo.png', '-o', 'rep.png', '--budget', '4');
    const tiled = await json('represent', 'photo.png', '-o', 'rep-tiled.png', '--budget', '4', '--tile', '64');
    expect((await read('rep-tiled.png')).equals(await read('rep.png'))).toBe(true);
    const { nonzeros, patches, rmse } = whole;
    expect(tiled).toMatchObject({ nonzeros, patches, rmse });
    expect(tiled.psnr).toBeCloseTo(whole.psnr, 9);
    const { stdout } = await ght('represent', 'slide.tif', '-o', 'rep.zarr', '--budget', '4', '--tile', '64');
    expect(stdout).toContain('rep.zarr, picture and codes');
    await ght('denoise', 'rep.zarr', '-o', 'rep-back.png', '--sigma', '0');
    expect((await samplesOf('rep-back.png')).equals(await samplesOf('rep.png'))).toBe(true);
    const store = await openCodes(path('rep.zarr'));
    expect(store.layout.image.grid).toMatchObject({ patch: 8, stride: 8, count: patches / 3 });
  });

  it('by ADMM too, with the RMSE of the untiled run', async () => {
    const asked = ['--solver', 'admm', '--budget', '4', '--max-iterations', '5'];
    const whole = await json('represent', 'photo.png', '-o', 'admm.png', ...asked);
    const tiled = await json('represent', 'slide.tif', '-o', 'admm.tif', ...asked, '--tile', '64');
    expect(tiled.rmse).toBe(whole.rmse);
    expect((await samplesOf('admm.tif')).equals(await samplesOf('admm.png'))).toBe(true);
  });

  it.each([
    ['an output', ['--tile', '64'], '-o must be given for an image in tiles'],
    [
      '--heatmap',
      ['-o', 'no.zarr', '--heatmap', 'no.png'],
      '--heatmap must be left out for an image that is processed',
    ],
    ['a target', ['-o', 'no.zarr', '--target-psnr', '30'], '--target-psnr'],
  ])('refuses what it cannot do: %s', async (_, args, message) => {
    const { code, stderr } = await ght('represent', 'photo.png', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    await rm(path('no.zarr'), { recursive: true, force: true });
  });
});

/** The number of chunk files in a folder. */
async function chunks(folder: string): Promise<number> {
  const entries = await readdir(path(folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /^\d+$/.test(entry.name)).length;
}

const redis = spawnSync('redis-server', ['--version']).status === 0;

describe.skipIf(!redis)('ght denoise --workers (needs redis-server)', () => {
  let url = '';
  let server: ReturnType<typeof spawn>;
  const workers: ReturnType<typeof start>[] = [];

  beforeAll(async () => {
    const port = await freePort();
    await mkdir(path('redis'));
    const settings = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      path('redis'),
      '--save',
      '',
      '--appendonly',
      'yes',
    ];
    server = spawn('redis-server', [...settings, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' });
    url = `redis://127.0.0.1:${port}/`;
    for (let i = 0; i < 2; i++) workers.push(start('worker', url, '--root', 'data=.', '--name', `worker-${i}`));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.stdout?.once('data', resolve))));
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    server.kill('SIGKILL');
    await sleep(100);
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
