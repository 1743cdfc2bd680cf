/** What is refused leaves nothing behind: no output, no folder and no part of one. */
import { mkdir } from 'node:fs/promises';
import { writeNpy } from 'ght/npy';
import { describe, expect, it } from 'vitest';
import { height, png, textured, width, workplace } from './command.js';

const { ght, save, contents, path } = workplace();

/** Runs a command that must be refused, and returns its message. */
async function refusal(...args: string[]): Promise<string> {
  const before = await contents();
  const { code, stderr } = await ght(...args);
  const lines = stderr.split('\n').filter((line) => line.startsWith('ght: '));
  expect(code).not.toBe(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('internal error');
  expect(await contents()).toEqual(before);
  return lines[0];
}

describe('a refused input', () => {
  it.each([
    ['denoise', ['denoise', 'bad.png', '-o', 'new/']],
    ['denoise of several', ['denoise', 'bad.png', 'other.png', '-o', 'new/deep']],
    ['denoise in tiles', ['denoise', 'bad.png', '-o', 'new.zarr', '--tile', '64']],
    ['represent', ['represent', 'bad.png', '-o', 'new/']],
    ['decode', ['decode', 'bad.png', '-o', 'new/']],
    ['diagnose', ['diagnose', 'bad.png', '--plot', 'new/']],
    ['inpaint', ['inpaint', 'bad.png', '--mask', 'good.png', '-o', 'new/']],
    ['the mask of inpaint', ['inpaint', 'good.png', '--mask', 'bad.png', '-o', 'new/']],
    ['deblur', ['deblur', 'bad.png', '--kernel', 'gaussian:1', '-o', 'new/deep/']],
    ['the kernel of deblur', ['deblur', 'good.png', '--kernel', 'bad.npy', '-o', 'new/']],
    ['upscale', ['upscale', 'bad.png', '--factor', '2', '-o', 'new/']],
    ['learn', ['learn', 'bad.png', '-o', 'new.npz']],
    ['reproduce', ['reproduce', '--quick', '--images', 'bad.png', '-o', 'new']],
  ])('of %s leaves no folder', async (_, args) => {
    await save('good.png', await png(textured()));
    for (const name of ['bad.png', 'other.png', 'bad.npy']) await save(name, 'no picture');
    await refusal(...args).catch((error) => {
      // Several images are refused one by one, with a line each.
      if (!args.includes('other.png')) throw error;
    });
    expect(Object.keys(await contents()).filter((name) => name.startsWith('new'))).toEqual([]);
  });

  it('of a run in tiles leaves no Zarr, neither as the result nor on the way to a TIFF', async () => {
    await save('good.png', await png(textured()));
    const data = Float32Array.from(textured());
    data[5] = Number.NaN;
    await save('nan.npy', writeNpy({ type: 'f4', shape: [height, width], data }));
    for (const output of ['new.zarr', 'new.tif']) {
      expect(await refusal('denoise', 'good.png', '-o', output, '--tile', '64', '--sigma', '1e200')).toContain(
        '--sigma must be at most 1000000000 times the peak and the largest sample (255), but got 1e+200',
      );
      expect(await refusal('denoise', 'nan.npy', '-o', output, '--tile', '64')).toContain('must be a finite number');
    }
  });

  it('does not remove a folder that was there', async () => {
    await mkdir(path('there'), { recursive: true });
    await save('bad.png', 'no picture');
    for (const command of [['denoise'], ['represent'], ['upscale', '--factor', '2']]) {
      await refusal(command[0], 'bad.png', '-o', 'there/', ...command.slice(1));
    }
  });
});

describe('an output', () => {
  it('goes into a new folder with the name of the input', async () => {
    await save('good.png', await png(textured()));
    const { code } = await ght('upscale', 'good.png', '--factor', '1.5', '--quality', 'fast', '-o', 'made/');
    expect([code, Object.keys(await contents()).includes('made')]).toEqual([0, true]);
  });

  it('with a name that is too long is refused before the work', async () => {
    await save('good.png', await png(textured()));
    for (const args of [
      ['denoise', 'good.png', '-o', `${'n'.repeat(300)}.png`],
      ['represent', 'good.png', '--codes', `${'n'.repeat(300)}.npz`],
    ]) {
      expect(await refusal(...args)).toContain('must have a name that the file system can hold');
    }
  });
});
