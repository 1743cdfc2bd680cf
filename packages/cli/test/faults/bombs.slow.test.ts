/** Files and streams that are larger than they should be: refused by their size or their first bytes, without reading the rest. */
import { spawn } from 'node:child_process';
import { truncate } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isGhtError } from 'ght';
import { describe, expect, it } from 'vitest';
import { readStream } from '../../src/io/streams.js';
import { ended, png, textured, workplace } from '../command.js';

const { save, path, contents } = workplace();
const binary = fileURLToPath(new URL('../../bin/ght.js', import.meta.url));

/** The beginning of a `.npy` file of this shape. */
function npyHead(shape: string): Buffer {
  const head = Buffer.alloc(128, ' ');
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
  head.write(`{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }`, 10);
  head[127] = 10;
  return head;
}

/** Makes a file of 1.9 GB that takes no space on the disk. */
async function sparse(name: string, start: Uint8Array): Promise<void> {
  await save(name, start);
  await truncate(path(name), 128 + 40_000 * 47_500);
}

describe('a file of 1.9 GB', () => {
  it.each([
    ['an image', ['denoise', 'huge.npy', '-o', 'o.png'], 'IMAGE must have at most 268402689 pixels, not 40000×47500'],
    [
      'no image',
      ['denoise', 'huge.png', '-o', 'o.png'],
      'IMAGE must be a PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP, PPM, PFM, FITS, EXR or .npy file',
    ],
    ['a mask', ['inpaint', 'a.png', '--mask', 'huge.npy', '-o', 'o.png'], '--mask must have at most 2684'],
    [
      'a kernel',
      ['deblur', 'a.png', '--kernel', 'huge.npy', '-o', 'o.png'],
      '--kernel must have at most 67108864 bytes',
    ],
    [
      'a spectrum',
      ['denoise', 'a.png', '--noise-spectrum', 'huge.npy', '-o', 'o.png'],
      '--noise-spectrum must have at most 67108864 bytes, not 1900000128',
    ],
    [
      'a dictionary',
      ['represent', 'a.png', '--dictionary', 'huge.npy', '-o', 'o.png'],
      '--dictionary must have at most 536870912 bytes',
    ],
    [
      'signals',
      ['solve', '--signals', 'wide.npy', '--dictionary', 'wide.npy', '--budget', '2', '-o', 'c.npz'],
      '--signals must fit in the memory of this machine, which 64×1000000000000 numbers do not',
    ],
    ['a start', ['learn', 'a.png', '--init', 'huge.npy', '-o', 'd.npz'], '--init must have at most 536870912 bytes'],
  ])('is refused as %s', async (_, args, message) => {
    await save('a.png', await png(textured()));
    await sparse('huge.npy', npyHead('(40000, 47500)'));
    await sparse('wide.npy', npyHead('(64, 1000000000000)'));
    await sparse('huge.png', Buffer.from('no image'));
    // Not in the process that stays: what it had allocated would stay with it.
    const child = spawn(process.execPath, [binary, ...args], { cwd: path('.'), stdio: ['ignore', 'pipe', 'pipe'] });
    const { code, stderr } = await ended(child);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`ght: ${message}`) });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    const huge = ['huge.npy', 'huge.png', 'wide.npy'];
    for (const name of huge) await truncate(path(name), 0);
    expect(Object.keys(await contents())).toEqual(['a.png', ...huge]);
  });
});

describe('standard input', () => {
  it('that never ends is refused when it is no image, as soon as that is clear', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 1000;
          yield Buffer.alloc(1000);
        }
      })(),
    );
    expect(await readStream(endless, 'IMAGE')).toHaveLength(1000);
    expect(sent).toBeLessThan(100_000);
  });

  it('is read up to a limit', async () => {
    const image = await png(textured());
    const parts = () => Readable.from([image.subarray(0, 20), image.subarray(20)]);
    expect((await readStream(parts(), 'IMAGE', image.length)).equals(image)).toBe(true);
    const error = await readStream(parts(), 'IMAGE', image.length - 1).catch((reason: unknown) => reason);
    expect(isGhtError(error, 'resource') && error.message).toBe(
      `IMAGE must have at most ${image.length - 1} bytes on standard input, but got "more": save it to a file, and name the file`,
    );
  });
});
