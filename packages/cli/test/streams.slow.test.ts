/** `-` as standard input and as standard output. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readNpy, writeNpy } from 'ght/npy';
import { describe, expect, it } from 'vitest';
import { height, pixels, png, textured, width, workplace } from './command.js';

const { ght, save, read, contents } = workplace();
const binary = fileURLToPath(new URL('../bin/ght.js', import.meta.url));

/** Runs the command with bytes on its standard input; what it wrote on standard output as bytes. */
function piped(input: Uint8Array, ...args: string[]) {
  const child = spawn(process.execPath, [binary, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  child.stdin.end(input);
  return new Promise<{ code: number | null; stdout: Buffer; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr: `${Buffer.concat(stderr)}` }));
  });
}

describe('an image from standard input to standard output', () => {
  it('is the same as from file to file, and nothing else is printed there', async () => {
    const noisy = await png(textured());
    await save('noisy.png', noisy);
    await ght('denoise', 'noisy.png', '-o', 'clean.png', '--sigma', '10');
    const { code, stdout, stderr } = await piped(noisy, 'denoise', '-', '-o', '-', '--sigma', '10');
    expect(code).toBe(0);
    expect(stdout.equals(await read('clean.png'))).toBe(true);
    expect(stderr).toContain(`-: ${width}×${height}, 1 channel, 8 bit`);
  });

  it('comes with nothing else with --quiet', async () => {
    const noisy = await png(textured());
    for (const args of [
      ['represent', '-', '--max-iterations', '2'],
      ['deblur', '-', '--kernel', 'gaussian:0.7', '--quality', 'fast'],
    ]) {
      const { code, stdout, stderr } = await piped(noisy, ...args, '-o', '-', '-q');
      expect({ code, stderr, format: stdout.subarray(1, 4).toString() }).toEqual({
        code: 0,
        stderr: '',
        format: 'PNG',
      });
    }
  });

  it('has the format of the input, or of --format', async () => {
    const data = Uint8Array.from(textured());
    const npy = writeNpy({ type: 'u1', shape: [height, width], data });
    const same = await piped(npy, 'represent', '-', '-o', '-', '--budget', '3');
    expect(same.stdout.subarray(1, 6).toString()).toBe('NUMPY');
    const { stdout } = await piped(npy, 'represent', '-', '-o', '-', '--budget', '3', '--format', 'png');
    expect(await pixels(stdout)).toMatchObject({ width, height, depth: 'uchar' });
  });

  it('of several pages has the format of the input too', async () => {
    const data = Uint8Array.from([...textured(), ...textured()]);
    const npy = writeNpy({ type: 'u1', shape: [2, height, width], data });
    const asked = ['--axes', 'NHW', '--pages', 'all', '--budget', '3'];
    const { stdout } = await piped(npy, 'represent', '-', '-o', '-', ...asked);
    expect(readNpy(stdout).shape).toEqual([2, height, width]);
  });

  it('can be diagnosed', async () => {
    const { stdout } = await piped(await png(textured()), 'diagnose', '-', '--json');
    expect(JSON.parse(`${stdout}`)).toMatchObject({ task: 'diagnose', format: 'png', image: { width, height } });
  });
});

describe('a stream is refused', () => {
  it.each([
    ['that is empty', '', ['denoise', '-', '-o', '-'], 'IMAGE must not be empty, but got "standard input"'],
    [
      'that is no image',
      'text',
      ['diagnose', '-'],
      'IMAGE must be a PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP, PPM, PFM, FITS, EXR or .npy file, but got "standard input"',
    ],
  ])('%s', async (_, input, args, message) => {
    const { code, stdout, stderr } = await piped(Buffer.from(input), ...args);
    expect({ code, stdout: `${stdout}` }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('for a format that does not hold the image, for several images, with --json and with a file name', async () => {
    const deep = await png(textured(width, height, 65535), 1, width, 16);
    const jpeg = await piped(deep, 'denoise', '-', '-o', '-', '--format', 'jpg');
    expect(jpeg.stderr).toContain('--format must name a format that holds 16 bits, which JPEG does not');
    expect(jpeg.stdout).toHaveLength(0);
    await save('a.png', await png(textured()));
    await save('b.png', await png(textured()));
    const before = await contents();
    expect((await ght('denoise', 'a.png', 'b.png', '-o', '-')).stderr).toContain('-o must be a folder for several');
    expect((await ght('denoise', 'a.png', '-o', '-', '--json')).stderr).toContain('--json must be left out with -o -');
    expect((await ght('denoise', 'a.png', '-o', 'c.png', '--format', 'png')).stderr).toContain(
      '--format must come with -o - or a folder as -o',
    );
    expect(await contents()).toEqual(before);
  });
});
