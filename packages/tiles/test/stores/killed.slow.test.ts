import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { zarrSource } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { filesIn, messageOf, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();
const program = fileURLToPath(new URL('./writer.js', import.meta.url));

/** Runs the writer, which is killed in the middle of a window if its number is given; gives all that it said. */
async function run(folder: string, killedAt?: number): Promise<string[]> {
  const writer = spawn(process.execPath, [program, folder, `${killedAt ?? ''}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(writer, 'close');
  return said.split('\n').slice(0, -1);
}

describe('a writer that is killed with SIGKILL again and again', () => {
  it('loses no window that it has written, and leaves the picture of one that was not killed', async () => {
    const folder = path('killed.zarr');
    let written = 0;
    for (const at of [0, 3, 4, 11, 20]) {
      const said = await run(folder, at);
      // All that was written before is there, and perhaps the window during which it was killed.
      expect(said.slice(0, written)).toEqual(Array(written).fill('there'));
      expect(said).toHaveLength(at);
      written = at;
      expect(await messageOf(() => zarrSource(folder))).toMatch('must be finished');
    }
    expect((await run(folder)).at(-1)).toBe('finished');
    await run(path('whole.zarr'));
    const source = await zarrSource(folder);
    const whole = await zarrSource(path('whole.zarr'));
    const window = { left: 0, top: 0, width: 640, height: 640 };
    expect(await source.read(window)).toEqual(await whole.read(window));
    // No temporary file is left, and no other file than in the other one.
    expect(await filesIn(folder)).toEqual(await filesIn(path('whole.zarr')));
  });
});
