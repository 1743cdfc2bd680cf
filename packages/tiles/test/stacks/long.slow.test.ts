import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const pages = process.env.GHT_LOAD === 'full' ? 10_000 : 2000;

describe('a long stack', () => {
  it(`of ${pages} pages is written, copied and read in memory that does not grow with it`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ght-long-'));
    const program = fileURLToPath(new URL('./long.js', import.meta.url));
    const measured = async (count: number) => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, String(count), folder]);
      return JSON.parse(stdout) as { readonly peak: number; readonly wrong: number };
    };
    try {
      const [short, long] = [await measured(100), await measured(pages)];
      expect([short.wrong, long.wrong]).toEqual([0, 0]);
      // The samples alone take 150 KB per page; what is kept is a directory of a few kilobytes.
      expect(long.peak - short.peak).toBeLessThan(40_000 * pages);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
