/**
 * Bad files. Whatever a file contains, reading it gives a correct image or one GHT error of one line, in less than 10 s
 * and 1 GB, without a crash and without console output. GHT_CORPUS=full tries more than ten times as many files, and
 * GHT_SEED=2 other ones.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { bombs, type Damaged, flips, sparse, truncations } from './corpus/damage.js';
import { type Answer, reading } from './corpus/reading.js';
import { type Sound, soundFiles } from './corpus/sound.js';
import { temporaryFolder } from './fixtures.js';

const full = process.env.GHT_CORPUS === 'full';
const [cuts, turns] = full ? [40, 60] : [4, 4];
/** Each seed gives another corpus. */
const seed = 1000 * Number(process.env.GHT_SEED ?? 1);
const files = await soundFiles();
const { path } = temporaryFolder();
const reader = reading();
afterAll(reader.stop);

/** What is wrong with an answer about a damaged file; undefined if nothing is. */
function complaint({ of, resealed, cut }: Damaged, { outcome, samples, message }: Answer): string | undefined {
  if (outcome === 'defect') return message;
  const same = JSON.stringify(samples) === JSON.stringify(of.samples);
  // The missing bytes may be unnecessary ones, but not samples.
  const exact = (of.sealed && !resealed) || (cut && of.samples !== undefined);
  if (outcome === 'read' && exact && !same) return 'other samples than the file holds';
  return undefined;
}

/** Reads all files; returns the names of those that were read and refused, and the reasons why any was neither. */
async function readAll(damaged: readonly Damaged[]) {
  const counts = { read: 0, refused: 0, defect: 0 };
  const complaints: string[] = [];
  for (const each of damaged) {
    // The extension is often wrong: the content decides.
    const answer = await reader.of(each.of.kind, path('file.png'), each.bytes);
    counts[answer.outcome]++;
    const what = complaint(each, answer);
    if (what !== undefined) complaints.push(`${each.name}: ${what}`);
  }
  return { counts, complaints };
}

describe('whole files', () => {
  it.each(files.map((file) => [file.name, file] as const))('%s', async (_, { kind, bytes, read, samples }: Sound) => {
    const answer = await reader.of(kind, path('file.tif'), bytes);
    expect(answer).toMatchObject({ outcome: read ? 'read' : 'refused' });
    if (samples) expect(answer.samples).toEqual(samples);
  });
});

describe('damaged files', () => {
  it(`cut short at ${cuts} lengths and more`, async () => {
    const damaged = files.flatMap((file) => truncations(file, cuts));
    const { counts, complaints } = await readAll(damaged);
    expect(complaints).toEqual([]);
    expect(counts.refused).toBeGreaterThan(0.9 * damaged.length);
  });

  it(`changed in ${turns * files.length} ways`, async () => {
    const damaged = files.flatMap((file, i) => flips(file, turns, seed + i));
    expect(damaged.length).toBeGreaterThan(full ? 2000 : 200);
    const { complaints } = await readAll(damaged);
    expect(complaints).toEqual([]);
  });

  it('that lack data which their header announces', async () => {
    const answer = await reader.of('image', path('sparse'), sparse(files).bytes);
    expect(answer).toMatchObject({ outcome: 'refused', message: expect.stringContaining('every strip and tile') });
  });

  it.each([16000, 65500])('that announce %i pixels per side and hold a few bytes', async (side) => {
    for (const bomb of bombs(files, side)) {
      const answer = await reader.of('image', path('bomb'), bomb.bytes);
      expect({ name: bomb.name, ...answer }).toMatchObject({ name: bomb.name, outcome: 'refused' });
      expect(answer.megabytes).toBeLessThan(1024);
    }
  });
});
