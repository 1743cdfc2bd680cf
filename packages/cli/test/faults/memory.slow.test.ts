/** A limit on the address space of a process, as on shared machines: WebAssembly gets no memory. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { png, textured, workplace } from '../command.js';

const { path, save } = workplace();
const binary = fileURLToPath(new URL('../../bin/ght.js', import.meta.url));

/** The limit on the address space in KiB. */
const LIMIT = 6_000_000;

/** Runs the command within that limit. */
const within = (...args: string[]) =>
  new Promise<{ code: number; stderr: string }>((resolve) => {
    const script = `ulimit -v ${LIMIT} && exec "$0" "$@"`;
    execFile('bash', ['-c', script, process.execPath, binary, ...args], { cwd: path('.') }, (error, _, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stderr }),
    );
  });

/** Whether WebAssembly gets no memory: newer versions of Node do get one within that limit. */
const refused = () => {
  const script = `ulimit -v ${LIMIT} && exec "$0" -e 'new WebAssembly.Memory({ initial: 1 })'`;
  return process.platform === 'linux' && spawnSync('bash', ['-c', script, process.execPath]).status !== 0;
};

describe.skipIf(!refused())('with 6 GB of addresses, where WebAssembly gets no memory', () => {
  beforeAll(async () => save('photo.png', await png(textured())));

  it.each([
    ['represent photo.png -o out.png'],
    ['represent photo.png -o out.png --threads 2'],
    ['denoise photo.png -o out.png --sigma 9'],
  ])('ght %s uses another engine', async (args) => {
    expect(await within(...args.split(' '), '--json')).toEqual({ code: 0, stderr: '' });
  });

  it.each([['represent photo.png -o out.png --engine wasm'], ['denoise photo.png -o out.png --engine wasm']])(
    'ght %s is refused in one line',
    async (args) => {
      const { code, stderr } = await within(...args.split(' '), '--json');
      const line = /^ght: --engine cannot be wasm: this host gives no memory to WebAssembly, [^\n]+\n$/;
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(line) });
    },
  );
});
