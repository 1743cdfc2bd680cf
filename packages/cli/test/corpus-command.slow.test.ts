/** Bad files given to the real command: a result, or one line on standard error, exit code 2 and no file. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomSource } from 'ght';
import { writeNpy } from 'ght/npy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bombs, flips, truncations } from '../../images/test/corpus/damage.js';
import { type Sound, soundFiles } from '../../images/test/corpus/sound.js';
import { ended } from './command.js';

const binary = fileURLToPath(new URL('../bin/ght.js', import.meta.url));
const count = process.env.GHT_CORPUS === 'full' ? 60 : 20;
const files = await soundFiles();
let place = '';

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'ght-corpus-'));
  // Some commands run as a user without rights, who must be able to read this folder.
  await chmod(place, 0o777);
});
afterAll(() => rm(place, { recursive: true, force: true }));

/** A user without rights: the superuser could read everything. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs the command on a file in its own folder, and returns what it printed and wrote there. */
async function runOn(input: string, command: string, who: object = {}) {
  const folder = await mkdtemp(join(place, 'run-'));
  await chmod(folder, 0o777);
  if (command === 'solve') {
    const identity = Float64Array.from({ length: 12 * 12 }, (_, i) => (i % 13 === 0 ? 1 : 0));
    await writeFile(join(place, 'D.npy'), writeNpy({ type: 'f8', shape: [12, 12], data: identity }));
  }
  const output = ['-o', `out.${command === 'solve' ? 'npz' : 'tif'}`];
  const args = {
    info: ['info', input, '--json'],
    represent: ['represent', input, ...output, '--budget', '3', '--patch', '4', '--max-iterations', '5', '--json'],
    denoise: ['denoise', input, ...output, '--json'],
    solve: ['solve', '--signals', input, '--dictionary', '../D.npy', ...output, '--budget', '2', '--json'],
  }[command] as string[];
  const child = spawn(process.execPath, [binary, ...args], { cwd: folder, ...who });
  const limit = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const end = await ended(child);
  clearTimeout(limit);
  return { ...end, output: output[1], written: await readdir(folder) };
}

/** Expects a result with its file, or a refusal without a file. */
function expectClean(name: string, command: string, run: Awaited<ReturnType<typeof runOn>>): void {
  const { code, stdout, stderr, written, output } = run;
  if (code === 0) {
    expect({ name, stderr, written }).toEqual({ name, stderr: '', written: command === 'info' ? [] : [output] });
    expect(() => JSON.parse(stdout)).not.toThrow();
    return;
  }
  expect({ name, code, stdout, stderr, written }).toEqual({
    ...{ name, code: 2, stdout: '', written: [] },
    stderr: expect.stringMatching(/^ght: [^\n]+: [^\n]+\n$/),
  });
  expect(stderr).not.toContain('internal error');
}

const commandsFor: Readonly<Record<Sound['kind'], readonly string[]>> = {
  image: ['info', 'represent', 'denoise'],
  array: ['solve'],
  codes: ['info'],
};

describe('the command', () => {
  it(`on ${count} damaged files`, async () => {
    const { below } = randomSource(5);
    const all = [
      ...files.flatMap((file, i) => [...flips(file, 6, 7000 + i), ...truncations(file, 3)]),
      ...bombs(files, 16000),
    ];
    const chosen = Array.from({ length: count }, () => all[below(all.length)]);
    const queue = [...chosen.entries()];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [i, { name, of, bytes }] = next;
        const commands = commandsFor[of.kind];
        const command = commands[i % commands.length];
        await writeFile(join(place, `${i}.png`), bytes);
        expectClean(name, command, await runOn(`../${i}.png`, command));
      }
    };
    await Promise.all([work(), work(), work()]);
  });

  it.each([
    ['a folder', 'folder.png', 'info', 'IMAGE must hold images'],
    ['a folder without images', 'folder.png', 'denoise', 'IMAGE must hold images'],
    ['a missing file', 'missing.png', 'represent', 'IMAGE must be an existing file'],
    ['a name below a file', 'empty.png/in.png', 'represent', 'IMAGE must be an existing file'],
    ['an empty file', 'empty.png', 'denoise', 'IMAGE must not be empty'],
    ['an empty array', 'empty.png', 'solve', '--signals must not be empty'],
    ['a device without end', 'zero.png', 'info', 'IMAGE must be an ordinary file'],
    ['a link to itself', 'circle.png', 'info', 'IMAGE must be readable (ELOOP)'],
    ['a file without permission', 'secret.png', 'represent', 'IMAGE must be readable'],
    ['arrays without permission', 'secret.png', 'solve', '--signals must be readable'],
  ])('on %s', async (_, name, command, rule) => {
    await mkdir(join(place, 'folder.png'), { recursive: true });
    await writeFile(join(place, 'empty.png'), '');
    await writeFile(join(place, 'secret.png'), 'x', { mode: 0 });
    for (const [link, target] of [
      ['zero.png', '/dev/zero'],
      ['circle.png', 'circle.png'],
    ]) {
      await symlink(target, join(place, link)).catch(() => {});
    }
    const run = await runOn(`../${name}`, command, nobody);
    expectClean(name, command, run);
    expect(run.stderr).toContain(rule);
  });
});
