import { type EngineInfo, overcompleteDct, solve } from 'ght';

/** As many patches as the library needs to use threads, of a size that takes almost no time. */
const PATCHES = 4096;

/** Finds the engine of small runs by a tiny one, which also starts the threads before they are needed. It opens no GPU. */
export async function probeEngine(): Promise<EngineInfo> {
  const D = overcompleteDct(2, 2);
  const { engine } = await solve(D, new Float64Array(D.N * PATCHES), { solver: 'omp', budget: { perPatch: 1 } });
  return engine;
}
