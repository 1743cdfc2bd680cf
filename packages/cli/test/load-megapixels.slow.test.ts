/** An image of 100 megapixels within a memory limit. */
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, workplace } from './command.js';

const { json, path, start, read } = workplace();
const side = 10_000;
const minutes = 60_000;

/** Gratings with a noise of σ = 15, 8-bit grey. */
function megapixels(): Uint8Array {
  const samples = new Uint8Array(side * side);
  const across = Float32Array.from({ length: side }, (_, x) => 45 * Math.sin(x / 5));
  const down = Float32Array.from({ length: side }, (_, y) => Math.cos(y / 7));
  let state = 1;
  for (let y = 0, i = 0; y < side; y++) {
    for (let x = 0; x < side; x++, i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      // Two uniform numbers of 16 bits: a triangle.
      const noise = ((state >>> 16) + (Math.imul(state, 69069) >>> 16) - 65535) / 65535;
      samples[i] = 128 + across[x] * down[y] + 37 * noise;
    }
  }
  return samples;
}

/** Waits for the end of a process; returns how it ended, and its peak memory in GiB. */
async function peakOf(child: ChildProcess) {
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    // The kernel keeps the peak value as long as the process exists.
    peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? peak * 2 ** 20) / 2 ** 20;
  };
  const looking = setInterval(look, 50);
  const { code, stderr } = await ended(child).finally(() => clearInterval(looking));
  return { code, stderr, peak };
}

describe.skipIf(process.env.GHT_LOAD !== 'full' || process.platform !== 'linux')(
  '100 megapixels, 8-bit grey, on 2 threads (with GHT_LOAD=full, on Linux)',
  () => {
    beforeAll(async () => {
      const raw = { width: side, height: side, channels: 1 } as const;
      const picture = sharp(megapixels(), { raw }).toColourspace('b-w');
      await picture.png({ compressionLevel: 1 }).toFile(path('large.png'));
    }, 5 * minutes);

    it.each([
      ['denoise', 1, '--quality fast'],
      ['represent', 1.75, '--budget 3 --max-iterations 2'],
    ])(
      '%s stays below %d GiB',
      async (command, most, flags) => {
        const args = ['large.png', '-o', `${command}.png`, '--threads', '2', '--json', ...flags.split(' ')];
        const { code, stderr, peak } = await peakOf(start(command, ...args));
        console.log(`${command}: peak ${peak.toFixed(2)} GiB`);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(peak).toBeGreaterThan(0.1);
        expect(peak).toBeLessThan(most);
        expect(await sharp(await read(`${command}.png`)).metadata()).toMatchObject({ width: side, height: side });
      },
      10 * minutes,
    );

    it('info prints about as much, for a larger budget', async () => {
      const { memoryBytes } = await json('info', 'large.png');
      expect(memoryBytes / 2 ** 30).toBeGreaterThan(1.75);
      expect(memoryBytes / 2 ** 30).toBeLessThan(2.25);
    });
  },
);
