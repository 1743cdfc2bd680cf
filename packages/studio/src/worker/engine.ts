import { type EngineInfo, overcompleteDct, solve } from 'ght';

/** As many patches as the library thinks worth threads, of a size that takes no time. */
const PATCHES = 4096;

/** What will run: found out by running it once on next to nothing, which also starts its threads before they are needed. */
export async function probeEngine(): Promise<EngineInfo> {
  const D = overcompleteDct(2, 2);
  const { engine } = await solve(D, new Float64Array(D.N * PATCHES), { solver: 'omp', budget: { perPatch: 1 } });
  return engine;
}
