/** Loading of a problem: c = QᵀY on the GPU, from signals that are read and uploaded in runs. */
import { type Signals, someOf } from '../../../image/signals.js';
import type { Watch } from '../../../work.js';
import { type Energies, energyOf } from '../../engine.js';
import { leftVectors } from '../../shape.js';
import { ENERGY_GROUP, energyKernel, rotateGroups, rotateKernel } from '../kernels/rotate.js';
import { TILE, tilesFor } from '../layout.js';
import type { Range, Ranges } from './ranges.js';

/** Bytes of signals that are read and uploaded at once: milliseconds, so that an abort is noticed soon. */
const RUN_BYTES = 2 ** 22;

/** c = Qᵀy of all signals; returns the energy of both, per range. */
export async function rotateSignals(ranges: Ranges, signals: Signals, watch?: Watch): Promise<Energies> {
  const { gpu, shape, P, list } = ranges;
  return gpu.inScope(async (scope) => {
    const kernel = await gpu.kernel(rotateKernel(), 'rotate');
    const length = Math.min(TILE * tilesFor(P), TILE * Math.max(1, Math.floor(RUN_BYTES / (4 * shape.N * TILE))));
    const staged = new Float32Array(shape.N * length);
    const { Y, Q, run } = await gpu.allocated(() => ({
      Y: scope.buffer(staged.byteLength),
      Q: scope.bufferOf(leftVectors(shape)),
      run: scope.buffer(16, GPUBufferUsage.UNIFORM),
    }));
    const energies = { all: new Float64Array(list.length), within: new Float64Array(list.length) };
    const rank = shape.parts.reduce((product, { sigma }) => product * sigma.length, 1);
    // The next run is read while the GPU works on the last; it waits for the one before, so that few are on their way.
    let last: Promise<void> = Promise.resolve();
    for (const [number, range] of list.entries()) {
      const own = someOf(signals, range.first, range.P);
      const buffers = kernel.bind({ Y, Q, c: range.c, run });
      for (let from = 0; from < range.P; from += length) {
        const count = Math.min(length, range.P - from);
        await own.prepare?.(from, count);
        const read = staged.subarray(0, shape.N * count);
        own.read(from, read);
        scope.write(Y, read);
        scope.write(run, Uint32Array.of(from / TILE, count, shape.N, shape.R4 / 4));
        gpu.submit(kernel, buffers, rotateGroups(tilesFor(count), shape.R4));
        // Atoms that span all signals leave nothing outside.
        if (rank < shape.N) energies.all[number] += energyOf(read);
        await last;
        last = gpu.done(watch?.signal);
        last.catch(() => undefined);
        watch?.onFraction?.((range.first + from + count) / P);
      }
      if (rank < shape.N) energies.within[number] = await energyWithin(ranges, range, watch);
    }
    await last;
    return energies;
  });
}

/** ‖c‖² of the patches of a range: float32 per patch, float64 over them. */
async function energyWithin({ gpu, shape }: Ranges, { c, P }: Range, watch?: Watch): Promise<number> {
  return gpu.inScope(async (scope) => {
    const energies = await gpu.allocated(() => scope.buffer(4 * P));
    const kernel = await gpu.kernel(energyKernel(shape.R4), 'energies');
    gpu.submit(kernel, kernel.bind({ c, energies }), Math.ceil(P / ENERGY_GROUP));
    const each = new Float32Array(await gpu.read(energies, 0, 4 * P, watch?.signal));
    return each.reduce((sum, value) => sum + value, 0);
  });
}
