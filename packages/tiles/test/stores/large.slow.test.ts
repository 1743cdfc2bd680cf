import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './fixtures.js';

const path = temporaryFolder();
const side = process.env.GHT_LOAD === 'full' ? 20_000 : 6000;

describe('a large picture', () => {
  it(`goes through a Zarr and a TIFF of ${side}×${side} samples in memory that does not grow with it`, async () => {
    await mkdir(path('large'));
    const program = fileURLToPath(new URL('./large.js', import.meta.url));
    const measured = async (size: number) => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, String(size), path('large')]);
      return JSON.parse(stdout) as { readonly peak: number; readonly wrong: number };
    };
    const [small, large] = [await measured(2100), await measured(side)];
    expect([small.wrong, large.wrong]).toEqual([0, 0]);
    // The samples alone take two bytes each.
    expect(large.peak - small.peak).toBeLessThan(1.5 * side * side);
  });
});
