import { describe, expect, it } from 'vitest';
import { count, decibels, duration, significant, slug, superscript, tick } from '../../src/draw/numbers.js';

describe('numbers for people', () => {
  it('have as many digits as are significant', () => {
    expect([34.41903, 0.0027334, 1.5916e-5, 609.87, 9999.96, -202.09, 0].map((value) => significant(value))).toEqual([
      '34.42',
      '0.002733',
      '1.592·10⁻⁵',
      '609.9',
      '10,000',
      '−202.1',
      '0',
    ]);
    expect([count(1048576), decibels(28.005), decibels(Number.POSITIVE_INFINITY), significant(Number.NaN)]).toEqual([
      '1,048,576',
      '28.01',
      '∞',
      '–',
    ]);
    expect([0.05, 2000, 1e-5, 2e-4, 0, 0.1 + 0.2].map(tick)).toEqual(['0.05', '2,000', '10⁻⁵', '2·10⁻⁴', '0', '0.3']);
    expect(superscript(-12)).toBe('⁻¹²');
  });

  it('show a time with its unit', () => {
    expect([0.0079, 0.9996, 3.64, 99.96, 330, 3599.6].map(duration)).toEqual([
      '8 ms',
      '1.0 s',
      '3.6 s',
      '1 min 40 s',
      '5 min 30 s',
      '60 min 0 s',
    ]);
  });
});

describe('a name as part of a file name', () => {
  it('is plain, short and never empty', () => {
    expect(['Été à Paris.PNG', '../../etc/passwd', '空', 'x'.repeat(99)].map(slug)).toEqual([
      'e-te-a-paris-png',
      'etc-passwd',
      'image',
      'x'.repeat(40),
    ]);
  });
});
