import { rm } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { ended, png, textured, workplace } from './command.js';

const { ght, path, read, save, start } = workplace();

beforeAll(async () => {
  await save('grey.png', await png(textured()));
});

/** The text without its times, and without the lines of progress, which only a slow machine prints. */
const timeless = (text: string) =>
  text.replaceAll(/^\w+: +\d+%.*\n/gm, '').replaceAll(/[\d.]+ m?s\b|(?<="seconds":)[\d.e-]+/g, 'time');

// Most tests use the process that stays: it must not differ from the command that users start.
it.each([
  [['--version']],
  [['denoise', 'grey.png', '-o', 'out.png', '--sigma', '18']],
  [['represent', 'grey.png', '-o', 'out.png', '--budget', '3', '--json']],
  [['inpaint', 'grey.png']],
  [['info', 'grey.png', 'missing.png']],
  [['represent', 'grey.png', '--budgets', '3']],
])('%s prints, writes and ends the same in a process of its own as in one that stays', async (args) => {
  const outcome = async (run: () => ReturnType<typeof ght>) => {
    await rm(path('out.png'), { force: true });
    const { code, stdout, stderr } = await run();
    const file = await read('out.png').catch(() => undefined);
    return { code, stdout: timeless(stdout), stderr: timeless(stderr), file: file?.toString('base64') };
  };
  const alone = await outcome(() => ended(start(...args)));
  expect(await outcome(() => ght(...args))).toEqual(alone);
  expect(await outcome(() => ght(...args))).toEqual(alone);
});
