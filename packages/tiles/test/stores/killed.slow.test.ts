import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { zarrSource } from 'ght-tiles';
import { describe, expect, it } from 'vitest';
import { filesIn, messageOf, temporaryFolder } from './fixtures.js';

const path = temporaryFolder();
const program = fileURLToPath(new URL('./writer.js', import.meta.url));

/** Runs the writer and kills it some milliseconds after its first words; gives all that it said. */
async function run(folder: string, killAfter?: number): Promise<string[]> {
  const writer = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (said === '' && killAfter !== undefined) setTimeout(() => writer.kill('SIGKILL'), killAfter);
    said += text;
  });
  await once(writer, 'close');
  return said.trimEnd().split('\n');
}

describe('a writer that is killed with SIGKILL again and again', () => {
  it('loses no window that it has written, and leaves the picture of one that was not killed', async () => {
    const folder = path('killed.zarr');
    let written = 0;
    for (const after of [5, 40, 90, 20, 60]) {
      const said = await run(folder, after);
      if (said.at(-1) === 'finished') break;
      // All that was written before is there, and perhaps the window during which it was killed.
      expect(said.filter((word) => word === 'there').length).toBeGreaterThanOrEqual(Math.min(written, said.length));
      written = Math.max(written, said.length);
      expect(await messageOf(() => zarrSource(folder))).toMatch('must be finished');
    }
    expect(written).toBeGreaterThan(0);
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
