/** The library without the files that it finds by their address, as some bundlers leave it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Library from '../../src/index.js';

const own = new URL('../../', import.meta.url);
const weights = new URL('weights/grey.npz', own);
const worker = new URL('dist/engines/wasm/run/worker.js', own);
const folder = mkdtempSync(join(tmpdir(), 'ght-'));
let library: typeof Library;

beforeAll(async () => {
  for (const name of ['package.json', 'dist'])
    cpSync(join(fileURLToPath(own), name), join(folder, name), { recursive: true });
  rmSync(join(folder, 'dist/engines/wasm/run/worker.js'));
  library = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'dist/index.js')).href);
});
afterAll(() => rmSync(folder, { recursive: true }));

const plane = Float32Array.from({ length: 48 * 40 }, (_, i) => Math.sin(i) + Math.cos(i / 5));
const image = { width: 48, height: 40, planes: [plane], peak: 1 };
const learned = (options: object) => library.denoise(image, { sigma: 0.3, quality: 'learned', threads: 1, ...options });

describe('without the weights', () => {
  it('says where they are searched, and names the option that gives them', async () => {
    const message =
      /^quality needs the file weights\/grey\.npz .* from file:.*ENOENT.*: give its address or its bytes as the option weights, or use/;
    await expect(learned({})).rejects.toThrow(message);
  });

  it('takes them from an address, a path or bytes, each with the same result as the library where they are', async () => {
    const { denoise } = await import('../../src/index.js');
    const expected = await denoise(image, { sigma: 0.3, quality: 'learned', threads: 1 });
    for (const given of [weights, weights.href, fileURLToPath(weights), new Uint8Array(readFileSync(weights))]) {
      expect((await learned({ weights: given })).image.planes).toEqual(expected.image.planes);
    }
  });

  it('notices that an address has a page in place of the file, as hosts of pages answer', async () => {
    writeFileSync(join(folder, 'grey.npz'), '<!doctype html>');
    await expect(learned({ weights: join(folder, 'grey.npz') })).rejects.toThrow(/it is another file.*option weights/);
  });

  it.each([7, '', new Float32Array(4)])('refuses %s', async (given) => {
    await expect(learned({ weights: given })).rejects.toThrow(/^weights must be an address or the bytes/);
    await expect(learned({ colourWeights: given })).rejects.toThrow(/^colourWeights must be an address or the bytes/);
  });
});

describe('without the package for colour', () => {
  const planes = [1, 2, 3].map((c) => plane.map((value, i) => value + Math.sin(i / c)));
  const inColour = (denoise: typeof Library.denoise, options: object = {}) =>
    denoise({ ...image, planes }, { sigma: 0.3, quality: 'learned', threads: 1, ...options });
  const file = fileURLToPath(new URL('../colour/colour.npz', own));

  it('takes its model from an address or bytes, with the same result as where it is installed', async () => {
    const { denoise } = await import('../../src/index.js');
    const { image: expected } = await inColour(denoise);
    for (const colourWeights of [pathToFileURL(file), file, new Uint8Array(readFileSync(file))]) {
      expect((await inColour(library.denoise, { colourWeights })).image.planes).toEqual(expected.planes);
    }
    const { image: grey } = await inColour(library.denoise, { weights });
    expect(grey.planes).not.toEqual(expected.planes);
    expect((await inColour(denoise, { weights })).image.planes).toEqual(grey.planes);
  });

  it('says which file it needs, and names the option that gives it', async () => {
    const message =
      /^quality needs the file colour\.npz of the package ght-colour, .* from nowhere\.npz.*option colourWeights, or/;
    await expect(inColour(library.denoise, { colourWeights: 'nowhere.npz' })).rejects.toThrow(message);
    await expect(inColour(library.denoise, { colourWeights: weights })).rejects.toThrow(/export_colour/);
  });
});

describe('without the script of the threads', () => {
  const solve = (options: object) => library.represent(image, { threads: 2, budget: { perPatch: 2 }, ...options });

  it('goes on with one thread, and names the option that gives it', async () => {
    const { engine } = await solve({});
    expect(engine.threads).toBe(1);
    expect(library.describe(engine).join()).toMatch(
      /one thread, because .*; give the address of ght\/worker as the option worker/,
    );
  });

  it.each([
    // Idle threads are used again, so that each needs one more.
    ['a URL', worker, 2],
    ['an address', worker.href, 3],
    ['a path', fileURLToPath(worker), 4],
  ])('takes it from %s', async (_, given, threads) => {
    const { engine } = await solve({ worker: given, threads });
    expect(engine.threads).toBe(threads);
  });

  it('refuses what is no address', async () => {
    await expect(solve({ worker: 3 })).rejects.toThrow(/^worker must be an address/);
    await expect(learned({ worker: {} })).rejects.toThrow(/^worker must be an address/);
  });
});

it('without WebAssembly at run time, takes the portable engine and says so in one line', () => {
  // What edge workers and pages with a strict policy do; a browser with such a policy is tried by the tests of the packages.
  const program = `
    const disallowed = () => { throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder') };
    WebAssembly.Module = class { constructor() { disallowed() } };
    WebAssembly.compile = WebAssembly.instantiate = async () => disallowed();
    const { denoise, describe } = await import(${JSON.stringify(new URL('dist/index.js', own).href)});
    const image = { width: 24, height: 24, planes: [Float32Array.from({ length: 576 }, (_, i) => Math.sin(i))], peak: 1 };
    for (const quality of ['balanced', 'learned']) {
      const { engine } = await denoise(image, { sigma: 0.3, quality, threads: 2 });
      console.log(engine.name + ': ' + describe(engine).join('; '));
    }
  `;
  const args = ['--input-type=module', '--eval', program];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(line).toMatch(/^portable: .*wasm is not used: this host does not compile WebAssembly/);
});
