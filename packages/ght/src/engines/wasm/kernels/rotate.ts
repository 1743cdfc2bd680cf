import { padded } from '../../shape.js';
import type { Module } from './assembler.js';
import { tiledProduct } from './dense.js';
import { rotateSignal, type Target } from './maps.js';
import { define, problemKernels } from './signatures.js';

/** Adds the kernel `rotateSignals`: c = Qᵀy for signals that lie one after the other. */
export function rotateSignals(module: Module, target: Target): void {
  const { shape, scratch, tables } = target;
  define(module, 'rotateSignals', problemKernels.rotateSignals, (f, { signals, patches, c, scratch: at }) => {
    if (scratch.group) {
      const together = scratch.group.patches;
      f.while(patches.ge(together), () => {
        tiledProduct(f, target, {
          ...{ inner: shape.N, vectors: shape.R4 / 4, table: tables.QA, add: false },
          ...{ from: signals, fromRow: 4 * shape.N, out: c, outRow: 4 * shape.R4 },
        });
        signals.set(signals.add(4 * shape.N * together));
        c.set(c.add(4 * shape.R4 * together));
        patches.set(patches.sub(together));
      });
    }
    f.count(patches, () => {
      for (let v = 0; v < padded(shape.N) / 4; v++) f.store(at, signals.v128(16 * v), scratch.M + 16 * v);
      rotateSignal(f, target, at, c);
      signals.set(signals.add(4 * shape.N));
      c.set(c.add(4 * shape.R4));
    });
  });
}
