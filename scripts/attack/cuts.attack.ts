/** Files of every format cut at every length, through the reader of the command in a process of its own. */
import { randomSource } from 'ght';
import { afterAll, it } from 'vitest';
import { reading } from '../../packages/images/test/corpus/reading.js';
import { type Sound, soundFiles } from '../../packages/images/test/corpus/sound.js';
import { temporaryFolder } from '../../packages/images/test/fixtures.js';
import { report, scaled, seed } from './report.js';

const { path } = temporaryFolder();
const reader = reading();
afterAll(reader.stop);

it('cuts at every length', async () => {
  const known = (await soundFiles()).filter(({ samples }) => samples !== undefined);
  const files = drawn(known, scaled(25_000));
  const counts = { exact: 0, refused: 0, undetected: 0, wrong: [] as string[] };
  for (const { name, kind, bytes, samples } of files) {
    for (let length = 0; length < bytes.length; length++) {
      const answer = await reader.of(kind, path('file'), bytes.subarray(0, length));
      const what = `${name} cut to ${length} bytes`;
      if (answer.outcome === 'refused') counts.refused++;
      else if (answer.outcome === 'defect') counts.wrong.push(`${what}: ${answer.message}`);
      else if (JSON.stringify(answer.samples) === JSON.stringify(samples)) counts.exact++;
      else counts.wrong.push(`${what}: other samples`);
    }
  }
  const formats = new Set(files.map(({ name }) => name.split('.').at(-1)));
  report(`${files.length} files (${[...formats].sort().join(', ')}) cut at every length`, counts);
});

/** Files in a random order, as many as have this many bytes in all, and at least one. */
function drawn(files: readonly Sound[], most: number): Sound[] {
  const { uniform } = randomSource(seed);
  const order = files.map((file) => ({ file, at: uniform() })).sort((a, b) => a.at - b.at);
  const chosen: Sound[] = [];
  let total = 0;
  for (const { file } of order) {
    if (chosen.length > 0 && total + file.bytes.length > most) continue;
    chosen.push(file);
    total += file.bytes.length;
  }
  return chosen;
}
