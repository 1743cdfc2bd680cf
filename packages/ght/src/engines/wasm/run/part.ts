/** A part of the patches of a problem on the kernels, for joint OMP in parts. */
import { CHUNK } from '../../../sparse/solvers/bracket.js';
import type { LoadedPart } from '../../engine.js';
import { FollowedPaths } from './followed-paths.js';
import { samplePrice } from './joint-omp.js';
import { layOut } from './problem.js';

/** Loads a part. */
export async function loadPart(...[D, signals, options, watch]: Parameters<typeof layOut>): Promise<LoadedPart> {
  const { P } = signals;
  // A part is small, so it has one memory.
  const laidOut = await layOut(D, signals, { ...options, patchesPerShard: P + CHUNK }, watch);
  const { info, shards, energies, dispose } = laidOut;
  const paths = new FollowedPaths(shards);
  const all = { step: 1, each: CHUNK, patches: P };
  return {
    info,
    energies,
    price: (S, deep, bracket, watch) => samplePrice(paths, S, all, deep, bracket, watch),
    async follow(bracket, tries, expected, watch) {
      await paths.follow(all, paths.row, bracket, tries, expected, () => watch);
      return paths.save();
    },
    async commit(followed, threshold, ties, watch) {
      paths.restore(followed);
      const out = shards.streams();
      await paths.commit({ threshold, ties, surplus: 1 }, out, watch);
      const [{ layout, doubles }] = shards.memories;
      return { codes: shards.read(out), errors: doubles(layout.errors, layout.chunks).slice() };
    },
    dispose,
  };
}
