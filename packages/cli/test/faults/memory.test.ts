/** A limit on the addresses of a process, as shared machines set it: WebAssembly gets no memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, textured, workplace } from '../command.js';

const { path, save } = workplace();
const binary = fileURLToPath(new URL('../../bin/ght.js', import.meta.url));

/** Runs the command with so many KiB of addresses. */
const within = (limit: number, ...args: string[]) =>
  new Promise<{ code: number; stderr: string }>((resolve) => {
    const script = `ulimit -v ${limit} && exec "$0" "$@"`;
    execFile('bash', ['-c', script, process.execPath, binary, ...args], { cwd: path('.') }, (error, _, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stderr }),
    );
  });

describe.skipIf(process.platform !== 'linux')('with 6 GB of addresses', () => {
  beforeAll(async () => save('photo.png', await png(textured())));

  it.each([
    ['represent photo.png -o out.png'],
    ['represent photo.png -o out.png --threads 2'],
    ['denoise photo.png -o out.png --sigma 9'],
  ])('ght %s is refused in one line with another engine as the remedy', async (args) => {
    const { code, stderr } = await within(6_000_000, ...args.split(' '), '--json');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^ght: the problem must get a WebAssembly memory, [^\n]+ portable or reference\n$/),
    });
  });

  it.each([['represent photo.png -o out.png --engine portable'], ['denoise photo.png -o o.png --engine reference']])(
    'ght %s does it',
    async (args) => {
      expect(await within(6_000_000, ...args.split(' '), '--json')).toEqual({ code: 0, stderr: '' });
    },
  );
});
