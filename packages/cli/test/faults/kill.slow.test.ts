/**
 * Runs that are killed, which a program cannot handle: every file under a final name is complete, old or new, and the next run
 * completes and leaves no temporary file. GHT_FAULTS=full kills at 62 moments, GHT_FAULTS=2 at twice as many; GHT_SEED=2 at others.
 */
import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomSource } from 'ght';
import { readNpy } from 'ght/npy';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, png, textured, workplace } from '../command.js';

const { ght, path, read, save, start } = workplace();
const seed = 10 * Number(process.env.GHT_SEED ?? 0);
const factor = process.env.GHT_FAULTS === 'full' ? 1 : Number(process.env.GHT_FAULTS ?? 0);

/** The number of moments: `few` in the ordinary run, else a multiple of `many`. */
const kills = (few: number, many: number) => (factor > 0 ? Math.max(1, Math.round(many * factor)) : few);

beforeAll(async () => {
  await save('photo.png', await png(textured(160, 160), 1, 160));
  await mkdir(path('photos'));
  for (const name of ['a.png', 'b.png']) await save(`photos/${name}`, await png(textured(64, 64), 1, 64));
});

/** Kills the process after this many milliseconds, or as soon as it begins to write into the folder. */
async function killed(child: ChildProcess, folder: string, moment: number | 'writing'): Promise<void> {
  const end = ended(child);
  if (moment === 'writing') {
    // The first change in the folder, under any name.
    const watcher = watch(path(folder), () => child.kill('SIGKILL'));
    await end;
    watcher.close();
    return;
  }
  await Promise.race([end, pause(moment)]);
  child.kill('SIGKILL');
  await end;
}

/** Moments over the length of a run and a little more; every third is the moment when it writes. */
function moments(count: number, length: number, stream: number): (number | 'writing')[] {
  const { uniform } = randomSource(seed + stream);
  return Array.from({ length: count }, (_, i) => (i % 3 === 1 ? 'writing' : 1.1 * length * uniform()));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(path(folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const isTemporary = (name: string) => name.endsWith('.tmp');

describe.each([
  ['represent', kills(3, 18), ['out.npy', 'codes.npz', 'heat.png'], '--budget 6 --max-iterations 40'],
  ['denoise', kills(3, 16), ['out.tif'], '--sigma 18'],
] as const)('ght %s killed at %i moments', (command, count, names, flags) => {
  const outputs = (folder: string) =>
    names.flatMap((name, i) => [['-o', '--codes', '--heatmap'][i], `${folder}/${name}`]);
  const args = (folder: string) => [command, 'photo.png', ...outputs(folder), ...flags.split(' ')];

  it('leaves every file old or new; the next run completes and removes temporary files', async () => {
    const [calm, killing] = [`${command}-calm`, `${command}-killed`];
    for (const folder of [calm, killing]) await mkdir(path(folder));
    const began = performance.now();
    expect(await ght(...args(calm))).toMatchObject({ code: 0 });
    const length = performance.now() - began;
    const whole = await Promise.all(names.map((name) => read(`${calm}/${name}`)));
    const old = Buffer.from('what was there before');
    for (const moment of moments(count, length, 3)) {
      for (const name of names) await save(`${killing}/${name}`, old);
      await killed(start(...args(killing)), killing, moment);
      for (const [i, name] of names.entries()) {
        const found = await read(`${killing}/${name}`);
        expect({ name, intact: found.equals(old) || found.equals(whole[i]) }).toEqual({ name, intact: true });
      }
      expect((await readdir(path(killing))).filter((name) => !isTemporary(name)).sort()).toEqual([...names].sort());
    }
    expect(await ght(...args(killing))).toMatchObject({ code: 0 });
    for (const [i, name] of names.entries()) expect((await read(`${killing}/${name}`)).equals(whole[i])).toBe(true);
    expect((await readdir(path(killing))).sort()).toEqual([...names].sort());
  });
});

it(`ght learn killed at ${kills(2, 12)} moments leaves the old dictionary or a complete one`, async () => {
  const flags = '--atoms 8x8 --separable --budget 4 --iterations 30'.split(' ');
  const args = (folder: string) => ['learn', 'photo.png', '-o', `${folder}/dictionary.npy`, ...flags];
  const [calm, killing] = ['learn-calm', 'learn-killed'];
  for (const folder of [calm, killing]) await mkdir(path(folder));
  const began = performance.now();
  expect(await ght(...args(calm))).toMatchObject({ code: 0 });
  const length = performance.now() - began;
  const old = Buffer.from('what was there before');
  for (const moment of moments(kills(2, 12), length, 5)) {
    await save(`${killing}/dictionary.npy`, old);
    await killed(start(...args(killing)), killing, moment);
    const found = await read(`${killing}/dictionary.npy`);
    // It is written each time it has improved: any of these is complete.
    if (!found.equals(old)) expect(readNpy(found).shape).toEqual([64, 64]);
  }
  expect(await ght(...args(killing))).toMatchObject({ code: 0 });
  expect((await read(`${killing}/dictionary.npy`)).equals(await read(`${calm}/dictionary.npy`))).toBe(true);
  expect(await readdir(path(killing))).toEqual(['dictionary.npy']);
});

/** Fails if a file of a report is not complete. */
async function expectWhole(file: string): Promise<void> {
  const bytes = await readFile(file);
  const text = String(bytes);
  const kind = extname(file);
  if (kind === '.png') await sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
  else if (kind === '.json') JSON.parse(text);
  else expect({ file, end: text.trimEnd().slice(-8) }).toMatchObject({ end: expect.stringMatching(ends[kind]) });
}

const ends: Readonly<Record<string, RegExp>> = { '.html': /<\/html>$/, '.svg': /<\/svg>$/, '.csv': /\S$/ };

it(`ght reproduce killed at ${kills(2, 16)} moments continues with --resume`, async () => {
  const args = ['reproduce', 'two-patches', 'close-up', '--quick', '--images', 'photos', '-o', 'report', '--resume'];
  await mkdir(path('report/experiments'), { recursive: true });
  // About the length of a run: it determines only when the process is killed.
  for (const moment of moments(kills(2, 16), 2500, 4)) {
    await killed(start(...args), 'report/experiments', moment);
    for (const file of await filesBelow('report')) if (!isTemporary(file)) await expectWhole(file);
  }
  // Every file is written again, so that temporary files are removed from every folder of the report.
  expect(await ght(...args)).toMatchObject({ code: 0 });
  const found = await filesBelow('report');
  const names = found.map((file) => basename(file));
  expect(names).toEqual(expect.arrayContaining(['report.html', 'report.json', 'two-patches.json', 'close-up.json']));
  expect(names.filter(isTemporary)).toEqual([]);
  for (const file of found) await expectWhole(file);
});
