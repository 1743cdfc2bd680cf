/** The kinds of errors that files and flags lead to, and what lies beneath them. */
import { open } from 'node:fs/promises';
import { isGhtError } from 'ght';
import { writeNpy } from 'ght/npy';
import { describe, expect, it, vi } from 'vitest';
import { imageExtensions } from '../src/index.js';
import { checkOutput, readArray, readImage, writeFileAtomically } from '../src/node/index.js';
import { pattern, png, pngRows, temporaryFolder } from './fixtures.js';

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>();
  return { ...actual, open: vi.fn(actual.open) };
});

const { path, save } = temporaryFolder();

/** What an act is refused with. */
async function refusal(act: () => unknown) {
  try {
    await act();
  } catch (error) {
    if (isGhtError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('input', () => {
  it('is a file that is missing, with what the system says as its cause', async () => {
    const error = await refusal(() => readImage(path('gone.png')));
    expect(error).toMatchObject({ kind: 'input', parameter: 'file', cause: { code: 'ENOENT' } });
  });

  it('is a file that is a folder', async () => {
    expect(await refusal(() => readImage(path('.')))).toMatchObject({ kind: 'input', cause: { code: 'EISDIR' } });
  });

  it('is a damaged picture, with what the decoder says as its cause', async () => {
    const whole = png({ width: 8, height: 8, bits: 8, colourType: 0 }, pngRows(8, 8, pattern(64, 255)));
    const file = await save('cut.png', whole.subarray(0, 60));
    const error = await refusal(() => readImage(file));
    expect(error).toMatchObject({ kind: 'input', value: file });
    expect(error.rule).toContain((error.cause as Error).message.split('\n', 1)[0].trim());
  });

  it('is a damaged array, with what the library says as its cause', async () => {
    const whole = writeNpy({ type: 'u1', shape: [2, 3], data: Uint8Array.of(1, 2, 3, 4, 5, 6) });
    const file = await save('cut.npy', whole.subarray(0, -1));
    const error = await refusal(() => readArray(file, '--signals'));
    expect(error).toMatchObject({ kind: 'input', parameter: '--signals', value: file });
    expect(error.cause).toMatchObject({ kind: 'input', parameter: 'array', value: '5 bytes' });
  });
});

describe('option', () => {
  it('is an output of an unknown format', async () => {
    const error = await refusal(() => checkOutput(path('out.gif'), imageExtensions));
    expect(error).toMatchObject({ kind: 'option', parameter: 'output', value: path('out.gif') });
  });
});

describe('resource', () => {
  it('is a picture of too many pixels', async () => {
    const file = await save('huge.png', png({ width: 20000, height: 20000, bits: 8, colourType: 0 }, []));
    expect(await refusal(() => readImage(file))).toMatchObject({ kind: 'resource', value: file });
  });
});

describe('writing', () => {
  it.each([
    ['resource', 'ENOSPC'],
    ['resource', 'EDQUOT'],
    ['environment', 'EACCES'],
    ['environment', 'EROFS'],
  ] as const)('fails for lack of %s on %s, which is its cause', async (kind, code) => {
    const cause = Object.assign(new Error('cannot open'), { code });
    vi.mocked(open).mockRejectedValueOnce(cause);
    const error = await refusal(() => writeFileAtomically(path('out.bin'), Uint8Array.of(1)));
    expect(error).toMatchObject({ kind, rule: `must be writable (${code})`, value: path('out.bin') });
    expect(error.cause).toBe(cause);
  });
});
