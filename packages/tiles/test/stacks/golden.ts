/** Stacks that other programs wrote, and folders for them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pagesOf } from 'ght-images';
import { afterAll, beforeAll } from 'vitest';
import type { StackSource } from '../../src/index.js';

/** A stack of `make_stacks.py`. */
export interface Golden {
  readonly name: string;
  /** The axes of its pages, the slowest first. */
  readonly axes: string;
  /** All samples, page by page. */
  readonly samples: readonly number[];
  readonly file?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const packed = await readFile(new URL('./stacks.json.gz', import.meta.url));
export const goldens: readonly Golden[] = JSON.parse(gunzipSync(packed).toString());

/** A temporary folder with all of them. */
export function goldenFolder() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ght-stacks-'));
    for (const { name, file, files = {} } of goldens) {
      if (file !== undefined) await writeFile(join(folder, name), Buffer.from(file, 'base64'));
      for (const [inside, content] of Object.entries(files)) {
        const path = join(folder, name, inside);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, Buffer.from(content, 'base64'));
      }
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (name = '') => join(folder, name);
}

/** All samples of a stack, page by page, channels of a pixel side by side. */
export async function samplesOf(source: StackSource): Promise<number[]> {
  const all: number[] = [];
  for (let page = 0; page < pagesOf(source.stack); page++) {
    const { planes } = (await source.read(page)).image;
    for (let i = 0; i < planes[0].length; i++) for (const plane of planes) all.push(plane[i]);
  }
  return all;
}
