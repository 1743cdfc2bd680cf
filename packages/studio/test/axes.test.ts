/** The arithmetic of the plots in the Learn tab. */
import { describe, expect, it } from 'vitest';
import { logAxis, logValueAt, powersOfTen, reaches, roundTicks } from '../src/view/axes.js';
import { countsOf } from '../src/view/learn/heat.js';

describe('a plot of the story', () => {
  it('has a few round numbers on its axes, all within the range', () => {
    expect(roundTicks([0, 93])).toEqual([0, 25, 50, 75]);
    expect(roundTicks([19.4, 28])).toEqual([20, 22.5, 25, 27.5]);
    expect(powersOfTen([0.3, 3000])).toEqual([1, 10, 100, 1000]);
  });

  it('finds the value under the pointer, and draws zero at the end of a logarithmic axis', () => {
    const axis = logAxis([1, 10_000], [40, 440]);
    expect(axis.at(100)).toBeCloseTo(240);
    expect(axis.value(240)).toBeCloseTo(100);
    expect(axis.at(0)).toBe(40);
  });

  it('reads a curve of powers between its points', () => {
    const points = [1, 4, 16].map((x) => ({ x, y: 100 / x }));
    expect(logValueAt(points, 2)).toBeCloseTo(50);
    expect(logValueAt(points, 16)).toBeCloseTo(6.25);
    expect(logValueAt(points, 1)).toBe(100);
  });

  it('says with how many atoms a curve reaches a height, and nothing if it does not', () => {
    const points = [
      { x: 1, y: 20 },
      { x: 3, y: 30 },
    ];
    expect(reaches(points, 25)).toBe(2);
    expect(reaches(points, 19)).toBe(1);
    expect(reaches(points, 31)).toBeUndefined();
  });

  it('fills the map from the largest coefficient on', () => {
    const order = Int32Array.of(2, 2, 0, 1);
    expect([...countsOf(order, 3, 4)]).toEqual([1, 0, 2, 0]);
    expect([...countsOf(order, 0, 4)]).toEqual([0, 0, 0, 0]);
  });
});
