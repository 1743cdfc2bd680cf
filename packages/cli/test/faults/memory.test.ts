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
  ])('ght %s does it on another engine', async (args) => {
    expect(await within(6_000_000, ...args.split(' '), '--json')).toEqual({ code: 0, stderr: '' });
  });

  it.each([['represent photo.png -o out.png --engine wasm'], ['denoise photo.png -o out.png --engine wasm']])(
    'ght %s is refused in one line',
    async (args) => {
      const { code, stderr } = await within(6_000_000, ...args.split(' '), '--json');
      const line = /^ght: --engine cannot be wasm: this host gives no memory to WebAssembly, [^\n]+\n$/;
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(line) });
    },
  );
});
