/** Compares arrays of numbers in one loop: `toEqual` takes two microseconds per sample of a typed array, a loop some nanoseconds. */
import { expect } from 'vitest';

type Numbers = ArrayLike<unknown>;

const isNumbers = (value: unknown): value is Numbers => Array.isArray(value) || ArrayBuffer.isView(value);

/** Whether two arrays of one type are equal, as far as a loop can say; `toEqual` decides about all others, and explains the difference. */
function equalNumbers(a: unknown, b: unknown): true | undefined {
  if (!isNumbers(a) || !isNumbers(b) || a.constructor !== b.constructor || a.length !== b.length) return undefined;
  if (a instanceof DataView) return undefined;
  for (let i = 0; i < a.length; i++) if (typeof a[i] !== 'number' || !Object.is(a[i], b[i])) return undefined;
  return true;
}

expect.addEqualityTesters([equalNumbers]);
