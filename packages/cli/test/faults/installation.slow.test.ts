/** An installation without sharp, which reads and writes images, or without a decoder of TIFF compressions. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeNpy } from 'ght/npy';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMatrix } from '../../../images/test/tiff/matrix.js';
import { ended, height, png, textured, width, workplace } from '../command.js';

const { path, save } = workplace();
const binary = fileURLToPath(new URL('../../bin/ght.js', import.meta.url));
const reader = import.meta.resolve('ght-images/node');

/** Options of Node with which loading a package fails as if it, or its part for this platform, were missing. */
function without(missing: string): string[] {
  const resolve = `export async function resolve(name, context, next) {
    if (name !== '${missing}') return next(name, context);
    throw new Error('Cannot find package ${missing}\\nimported from here');
  }`;
  const hooks = `import { register } from 'node:module'; register(${JSON.stringify(asModule(resolve))});`;
  return ['--import', asModule(hooks)];
}

function asModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function ghtWithout(missing: string, ...args: string[]) {
  return ended(spawn(process.execPath, [...without(missing), binary, ...args], { cwd: path('.') }));
}

beforeAll(async () => {
  await mkdir(path('photos'));
  for (const name of ['photo.png', 'photos/a.png', 'photos/b.png']) await save(name, await png(textured()));
  await save('photo.npy', writeNpy({ type: 'u1', shape: [height, width], data: Uint8Array.from(textured()) }));
});

describe('an installation without sharp', () => {
  it.each([
    'info photo.png',
    'diagnose photo.png',
    'represent photo.png -o out.png',
    'represent photo.npy -o out.png',
    'represent photo.npy --heatmap out.png',
    'compare photo.png',
    'denoise photo.png -o out.png',
    'denoise photos -o cleaned',
    'reproduce two-patches --quick',
    'reproduce two-patches --quick --images photos',
  ])('ght %s says so in one line', async (args) => {
    const { code, stdout, stderr } = await ghtWithout('sharp', ...args.split(' '));
    expect({ code, stdout, stderr }).toEqual({
      ...{ code: 2, stdout: '' },
      stderr:
        'ght: the installation must have sharp, which reads and writes images, but got "Cannot find package sharp": run npm install\n',
    });
  });

  it('is an EnvironmentError to a program, with the failed import as its cause', async () => {
    const program = `import { readImage } from '${reader}';
      const { kind, name, parameter, cause } = await readImage('photo.png').catch((error) => error);
      console.log(JSON.stringify({ kind, name, parameter, cause: cause.message }));`;
    const { stdout } = await ended(
      spawn(process.execPath, [...without('sharp'), '--input-type=module', '-e', program], { cwd: path('.') }),
    );
    expect(JSON.parse(stdout)).toEqual({
      ...{ kind: 'environment', name: 'EnvironmentError', parameter: 'the installation' },
      cause: 'Cannot find package sharp\nimported from here',
    });
  });

  it('works if no image file is read or written', async () => {
    expect(await ghtWithout('sharp', 'denoise', 'photo.npy', '-o', 'out.npy', '--json')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('an installation without the decoder of a compression', () => {
  it.each([
    ['zstddec', 'zstd'],
    ['lerc', 'lerc'],
  ])('says so when it is needed: %s', async (decoder, compression) => {
    const entry = readMatrix().find(({ name }) => name.startsWith('uint8 ') && name.includes(` ${compression}`));
    await save('other.tiff', entry?.bytes ?? new Uint8Array());
    expect((await ghtWithout(decoder, 'info', 'other.tiff')).stderr).toMatch(
      new RegExp(`^ght: the installation must have ${decoder}, which reads TIFF files with .*: run npm install\\n$`),
    );
    expect((await ghtWithout(decoder, 'info', 'photo.png')).code).toBe(0);
  });
});
