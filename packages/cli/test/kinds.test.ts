/** The kinds of errors that flags and large images lead to. */
import { isGhtError } from 'ght';
import { describe, expect, it } from 'vitest';
import { numberOf } from '../src/flags.js';
import { refuseTooLarge } from '../src/memory-limit.js';

/** What an act is refused with. */
function refusal(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (isGhtError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('an error of the kind', () => {
  it('option is a flag that holds no number', () => {
    const error = refusal(() => numberOf('--budget')('many'));
    expect(error).toMatchObject({ kind: 'option', parameter: '--budget', value: 'many' });
  });

  it('resource is a run that needs more memory than there is', () => {
    const image = { width: 1e6, height: 1e6, planes: [new Float64Array(64)], peak: 255 };
    expect(refusal(() => refuseTooLarge(image, {}))).toMatchObject({ kind: 'resource', parameter: 'IMAGE' });
  });
});
