import type { Samples } from '../signal/image.js';
import type { Work } from '../work.js';
export interface BandingReport {
  readonly rows: number;
  readonly columns: number;
  readonly words: string;
}
export const noBanding: BandingReport = { rows: 0, columns: 0, words: '' };
export function* findBanding(_p: readonly Samples[], _w: number, _h: number): Work<BandingReport> {
  return noBanding;
}
export function* withoutBanding(p: readonly Samples[], _w: number, _h: number, _r: BandingReport): Work<Samples[]> {
  return [...p];
}
