/** The ends of the range of a plane, where samples may be clipped. */
import type { Samples } from '../image/image.js';
import { stretches, type Work } from '../work.js';

/** If more than this fraction of the samples has the smallest or largest value, they count as clipped there. */
const CLIPPED = 0.002;

/** The ends of the range at which samples are clipped; infinite if they are not clipped there. */
export function* clippedAt(samples: Samples): Work<{ readonly least: number; readonly most: number }> {
  const ends = { least: Number.POSITIVE_INFINITY, atLeast: 0, most: Number.NEGATIVE_INFINITY, atMost: 0 };
  for (const [from, to] of stretches(samples.length)) {
    countEnds(samples.subarray(from, to), ends);
    yield to / samples.length;
  }
  const { least, atLeast, most, atMost } = ends;
  return {
    least: atLeast < CLIPPED * samples.length ? Number.NEGATIVE_INFINITY : least,
    most: atMost < CLIPPED * samples.length ? Number.POSITIVE_INFINITY : most,
  };
}

/** Continues with more samples: the least and the greatest so far, and how many have them. */
function countEnds(samples: Samples, ends: { least: number; atLeast: number; most: number; atMost: number }): void {
  let { least, atLeast, most, atMost } = ends;
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i];
    if (value <= least) {
      atLeast = value < least ? 1 : atLeast + 1;
      least = value;
    }
    if (value >= most) {
      atMost = value > most ? 1 : atMost + 1;
      most = value;
    }
  }
  Object.assign(ends, { least, atLeast, most, atMost });
}
