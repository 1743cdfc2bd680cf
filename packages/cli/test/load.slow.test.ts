/** Several commands at once on the same machine: all succeed, and each writes what it writes alone. */
import { expect, it } from 'vitest';
import { ended, png, textured, workplace } from './command.js';

const { start, save, read } = workplace();
const ght = (...args: string[]) => ended(start(...args));
const commands = process.env.GHT_LOAD === 'full' ? 8 : 4;

it(`${commands} commands at once all write the bits that one alone writes`, async () => {
  await save('noisy.png', await png(textured(160, 120), 1, 160));
  const run = async (name: string, threads: number) => {
    const denoised = await ght('denoise', 'noisy.png', '-o', `${name}.png`, '--threads', String(threads));
    expect({ name, code: denoised.code }).toEqual({ name, code: 0 });
    const represented = await ght(
      'represent',
      'noisy.png',
      '-o',
      `${name}-r.png`,
      '--codes',
      `${name}.npz`,
      '--budget',
      '4',
    );
    expect({ name, code: represented.code }).toEqual({ name, code: 0 });
    return [await read(`${name}.png`), await read(`${name}-r.png`), await read(`${name}.npz`)];
  };
  const alone = await run('alone', 2);
  const together = await Promise.all(Array.from({ length: commands }, (_, n) => run(`together-${n}`, 1 + (n % 3))));
  for (const files of together) expect(files.map((file, i) => file.equals(alone[i]))).toEqual([true, true, true]);
});
