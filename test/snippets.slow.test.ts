/** What the documentation says to run: its programs on small images, and the commands of docs/command.md. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { overcompleteDct } from 'ght';
import { writeNpy } from 'ght/npy';
import { encodeMat } from 'ght-images/node';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as front from '../packages/site/src/front.js';
import { makeInputs } from '../scripts/gallery-inputs.js';
import { commandsIn, examplesIn, pages, programsIn, root, sourcesWithExamples, textOf } from './documentation.js';

const folder = mkdtempSync(join(tmpdir(), 'ght-snippets-'));
const inputs = join(folder, 'inputs');
const size = { width: 66, height: 48 };

/** Sizes and numbers in the documentation that would take long, and the ones to use instead. */
const smaller: readonly (readonly [string, string])[] = [
  ['60_000, 40_000', '64, 48'],
  ['512', '64'],
  ['128', '24'],
  ['[256, 256]', '[32, 32]'],
  ['atoms: [16, 16]', 'iterations: 2, atoms: [16, 16]'],
];

/** Programs that need a server, a bundler or a package that is not part of this project: only their syntax is checked. */
const elsewhere = /redis:\/\/|from 'ght\/weights/;

beforeAll(async () => {
  mkdirSync(inputs);
  await makeInputs(inputs, size);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const file = (name: string) => join(inputs, name);
  cpSync(file('boats.png'), file('photo.png'));
  cpSync(file('grain.jpg'), file('photo.jpg'));
  cpSync(file('mask.png'), file('scratches.png'));
  mkdirSync(file('scans'));
  cpSync(file('noisy.png'), file('scans/one.png'));
  cpSync(file('noisy.png'), file('scans/two.png'));
  mkdirSync(file('shoot'));
  for (const name of ['one.png', 'two.png']) {
    await sharp(file('noisy.png'))
      .resize(160, 140, { fit: 'fill' })
      .toFile(file(`shoot/${name}`));
  }
  await sharp(file('noisy.png')).tiff({ tile: true, tileWidth: 16, tileHeight: 16 }).toFile(file('slide.tif'));
  cpSync(file('slide.tif'), file('noisy.tiff'));
  const page = await sharp(file('noisy.png')).toBuffer();
  await sharp([page, page], { join: { animated: true } })
    .tiff()
    .toFile(file('stack.tif'));
  const frame = Buffer.concat([Buffer.from('FRAME\n'), Buffer.alloc(64 * 48, 100)]);
  writeFileSync(file('film.y4m'), Buffer.concat([Buffer.from('YUV4MPEG2 W64 H48 F25:1 Cmono\n'), frame, frame]));
  writeFileSync(file('noisy.raw'), new Uint8Array(64 * 48).fill(100));
  const { N, L, atoms } = overcompleteDct(8, 10);
  const rows = Float64Array.from({ length: N * L }, (_, i) => atoms.data[(i % L) * N + Math.floor(i / L)]);
  writeFileSync(file('D.npy'), writeNpy({ type: 'f8', shape: [N, L], data: rows }));
  const signals = Float64Array.from({ length: N * 300 }, (_, i) => 100 + 50 * Math.sin(i * i));
  writeFileSync(file('Y.npy'), writeNpy({ type: 'f8', shape: [N, 300], data: signals }));
  writeFileSync(file('Y.mat'), encodeMat('Y', { rows: N, cols: 300, data: signals }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with the inputs, for one test. */
function workplace(name: string): string {
  const place = join(folder, name.replaceAll('/', '-'));
  cpSync(inputs, place, { recursive: true });
  return place;
}

const run = promisify(execFile);
const examples = sourcesWithExamples.flatMap((path) => examplesIn(textOf(path)));
const texts = [
  ...pages.map((path) => ({ path, programs: programsIn(textOf(path)) })),
  { path: 'the front page of the site', programs: [front.program] },
  { path: 'comments of the sources', programs: examples },
].filter(({ programs }) => programs.length > 0);

describe('programs', () => {
  it('are found in the guides, the readmes and the comments', () => {
    expect(texts.filter(({ path }) => path.startsWith('docs/')).length).toBeGreaterThan(10);
    expect(texts.map(({ path }) => path)).toContain('packages/ght/README.md');
    expect(examples.length).toBeGreaterThan(14);
  });

  it.each(texts)('$path: every program runs', async ({ path, programs }) => {
    const place = workplace(path);
    const files = programs.map((program, i) => {
      const code = smaller.reduce((text, [large, small]) => text.replaceAll(large, small), program);
      const file = join(place, `program-${i + 1}.mjs`);
      writeFileSync(file, code);
      return { file, program };
    });
    for (const { file } of files.filter(({ program }) => elsewhere.test(program))) {
      await run(process.execPath, ['--check', file]);
    }
    // One process for all of them, since starting one takes longer than most programs.
    const imports = files
      .filter(({ program }) => !elsewhere.test(program))
      .map(({ file }) => `await import('${pathToFileURL(file)}');`);
    const all = join(place, 'all.mjs');
    writeFileSync(all, imports.join('\n'));
    await run(process.execPath, [all], { cwd: place });
  });
});

describe('commands', () => {
  it('of docs/command.md run, in their order', async () => {
    // The first takes minutes, the others run until they are stopped.
    const others = ['reproduce', 'studio', 'serve', 'mcp'];
    const commands = commandsIn(textOf('docs/command.md')).filter(([name]) => !others.includes(name));
    expect(commands.length).toBeGreaterThan(12);
    const command = join(root, 'packages/cli/bin/ght.js');
    const place = workplace('commands');
    for (const [name, ...rest] of commands) {
      // Two iterations show that the flags work; forty take a minute.
      const args = [name, ...rest, ...(name === 'learn' ? ['--iterations', '2'] : [])];
      await run(process.execPath, [command, ...args], { cwd: place });
    }
    const made = [
      'out.png',
      'atoms.png',
      'codes.npz',
      'again.png',
      'clean.png',
      'cleaned',
      'clean.zarr',
      'sharp.png',
      'large.png',
    ];
    expect(readdirSync(place)).toEqual(expect.arrayContaining([...made, 'dictionary.npz']));
  });
});

const hasSciPy = spawnSync('python3', ['-c', 'import scipy.io, scipy.sparse']).status === 0;

describe('the notebook of docs/researchers.md', () => {
  it.skipIf(!hasSciPy)('runs, step by step (needs python3 with SciPy)', async () => {
    const text = textOf('docs/researchers.md');
    const steps = [...text.matchAll(/^```python\n([\s\S]+?)^```|^ {4}npx ght-cli (solve .*data\.mat:D --t.*)$/gm)];
    expect(steps.map(([, code]) => code !== undefined)).toEqual([true, false, false, true]);
    const place = workplace('notebook');
    for (const [, code, command] of steps) {
      if (code === undefined) {
        await run(process.execPath, [join(root, 'packages/cli/bin/ght.js'), ...command.split(' ')], { cwd: place });
      } else await run('python3', ['-c', code], { cwd: place });
    }
  });
});
