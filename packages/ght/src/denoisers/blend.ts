/** The blend of two denoisers, whose errors partly cancel if they are of different kinds. */
import type { Samples } from '../image/image.js';
import { drive, stretches, type Work } from '../work.js';
import type { Denoiser, TileProgress, TileWatch } from './denoiser.js';
import { leastCommonMultiple } from './tiles.js';

/** share · a + (1 − share) · b. */
export function blended(share: number, a: Denoiser, b: Denoiser): Denoiser {
  const effort = a.effort + b.effort;
  return {
    margin: Math.max(a.margin, b.margin),
    alignment: {
      columns: leastCommonMultiple(a.alignment.columns, b.alignment.columns),
      rows: leastCommonMultiple(a.alignment.rows, b.alignment.rows),
    },
    least: Math.max(a.least, b.least),
    effort,
    passes: [...a.passes, ...b.passes],
    bytes: (...size) => a.bytes(...size) + b.bytes(...size),
    async run(tile, { signal, onProgress } = {}) {
      const part = (from: number, to: number): TileWatch => {
        const report = ({ fraction, pass }: TileProgress) =>
          onProgress?.({ fraction: from + (to - from) * fraction, pass });
        return { signal, onProgress: onProgress && report };
      };
      const first = await a.run(tile, part(0, a.effort / effort));
      const second = await b.run(tile, part(a.effort / effort, 1));
      const planes: Samples[] = [];
      for (const [c, plane] of first.entries()) planes.push(await drive(mixed(share, plane, second[c]), { signal }));
      return planes;
    },
  };
}

function* mixed(share: number, a: Samples, b: Samples): Work<Samples> {
  const out = a instanceof Float64Array ? new Float64Array(a.length) : new Float32Array(a.length);
  for (const [from, to] of stretches(a.length)) {
    for (let i = from; i < to; i++) out[i] = share * a[i] + (1 - share) * b[i];
    yield to / a.length;
  }
  return out;
}
