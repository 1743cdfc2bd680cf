/** Runs the real command in its own folder, and makes pictures for the tests. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomSource } from 'ght';
import sharp from 'sharp';
import { afterAll, beforeAll, expect } from 'vitest';
import { warmCommand } from './warm.js';

export { ended } from './ended.js';

const binary = fileURLToPath(new URL('../bin/ght.js', import.meta.url));

/**
 * A temporary folder, and `ght` run in it, so that tests write bare file names as a user would. `start` starts a process, as a
 * shell does; `ght` and `json` run the command in a process that stays, one run after the other, which is several times faster.
 */
export function workplace() {
  let folder = '';
  const warm = warmCommand();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ght-command-'));
  });
  afterAll(async () => {
    await warm.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const path = (name: string) => join(folder, name);
  const start = (...args: string[]) =>
    spawn(process.execPath, [binary, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ght = (...args: string[]) => warm.run(folder, args);
  return {
    path,
    start,
    ght,
    /** A run that must succeed silently with `--json`: its one JSON object. */
    json: async (...args: string[]) => {
      const { code, stdout, stderr } = await ght(...args, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
      return JSON.parse(stdout);
    },
    save: (name: string, bytes: Uint8Array | string) => writeFile(path(name), bytes),
    read: (name: string) => readFile(path(name)),
    /** Every file and folder, with the content of the files. */
    contents: async () => {
      const entries = await readdir(folder, { withFileTypes: true });
      const pairs = entries.map(async (entry) => [
        entry.name,
        entry.isFile() ? (await readFile(path(entry.name))).toString('base64') : 'not a file',
      ]);
      return Object.fromEntries(await Promise.all(pairs));
    },
  };
}

/** The default size of the pictures: six by five patches of 8×8. */
export const [width, height] = [48, 40];

/** Gratings that a few atoms describe, from 0 to `peak`. */
export function smooth(w = width, h = height, peak = 255): number[] {
  return Array.from({ length: w * h }, (_, i) => {
    const [x, y] = [i % w, Math.floor(i / w)];
    return peak * (0.5 + 0.22 * Math.sin(x / 5) * Math.cos(y / 7) + 0.2 * Math.sin((x + 2 * y) / 11));
  });
}

/** The gratings with texture that a few atoms cannot describe, in whole numbers from 0 to `peak`. */
export function textured(w = width, h = height, peak = 255, seed = 1): number[] {
  const { normal } = randomSource(seed);
  return smooth(w, h, peak).map((value) => Math.min(peak, Math.max(0, Math.round(value + 0.07 * peak * normal()))));
}

/** A PNG of interleaved samples, 8 bits or 16. */
export function png(samples: readonly number[], channels: 1 | 2 | 3 | 4 = 1, w = width, bits = 8): Promise<Buffer> {
  const raw = { width: w, height: samples.length / channels / w, channels };
  const space = { 8: ['b-w', 'srgb'], 16: ['grey16', 'rgb16'] }[bits]?.[channels < 3 ? 0 : 1] as string;
  const data = bits === 8 ? Uint8Array.from(samples) : Uint16Array.from(samples);
  return sharp(data, { raw }).toColourspace(space).png().toBuffer();
}

/** The samples of a picture file as they are stored, with how it stores them. */
export async function pixels(file: Buffer) {
  const { depth, channels, space, width, height } = await sharp(file).metadata();
  const bytes = await sharp(file).toColourspace(space).raw({ depth }).toBuffer();
  const samples = depth === 'ushort' ? new Uint16Array(new Uint8Array(bytes).buffer) : bytes;
  return { width, height, channels, depth, samples: Array.from(samples) };
}

/** The PSNR by its definition. */
export function psnr(a: readonly number[], b: readonly number[], peak: number): number {
  expect(a).toHaveLength(b.length);
  const square = a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length;
  return 10 * Math.log10(peak ** 2 / square);
}
