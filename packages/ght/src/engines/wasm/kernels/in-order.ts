import type { Module } from './assembler.js';
import { indexAt, type Target } from './maps.js';
import { define, problemKernels } from './signatures.js';

/** Atoms whose bits are in one word. */
const WORD = 64;

/**
 * Adds the kernel `inOrder`, which writes codes as the host keeps them: float64 values and 32-bit indices, the atoms of a patch in rising
 * order, without zeros. A patch is laid out in a row of all atoms, with a bit for each that is there.
 */
export function inOrder(module: Module, target: Target): void {
  const { shape, scratch } = target;
  const words = Math.ceil(shape.L / WORD);
  define(module, 'inOrder', problemKernels.inOrder, (f, parameters) => {
    const { patches, counts, values, indices, scratch: at, countsOut, valuesOut, indicesOut } = parameters;
    const [atom, value, place, first] = f.words(4);
    const [bits, one, none] = [f.i64(), f.i64(1), f.i64(0)];
    f.count(words, (word) => f.store(at.add(word.shl(3)), none, scratch.weight));
    f.count(patches, () => {
      f.count(counts.u16(), () => {
        value.set(values.i32());
        // Neither 0 nor −0.
        f.if(value.shl(1), () => {
          atom.set(indexAt(target, indices));
          f.store(at.add(atom.shl(2)), value, scratch.X);
          place.set(at.add(atom.shr(6).shl(3)));
          f.store(place, place.i64(scratch.weight).or(one.shl(atom.widen())), scratch.weight);
        });
        values.set(values.add(4));
        indices.set(indices.add(shape.indexBytes));
      });
      first.set(indicesOut);
      f.count(words, (word) => {
        place.set(at.add(word.shl(3)));
        bits.set(place.i64(scratch.weight));
        f.while(bits.isZero().not(), () => {
          atom.set(bits.lowest().add(word.shl(6)));
          f.store(indicesOut, atom);
          f.store(valuesOut, at.add(atom.shl(2)).f32(scratch.X).promote());
          indicesOut.set(indicesOut.add(4));
          valuesOut.set(valuesOut.add(8));
          bits.set(bits.withoutLowest());
        });
        f.store(place, none, scratch.weight);
      });
      f.store16(countsOut, indicesOut.sub(first).shr(2));
      counts.set(counts.add(2));
      countsOut.set(countsOut.add(2));
    });
    f.return(valuesOut);
  });
}
