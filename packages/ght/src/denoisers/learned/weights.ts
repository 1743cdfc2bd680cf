/** Reads the arrays of a trained model from its `.npz` file. */
import { InputError } from '../../errors.js';
import { floatOfHalf, type NpyArray, readNpy } from '../../sparse/codes/npy.js';
import { namesInZip, unzip } from '../../sparse/codes/zip.js';

/** The arrays of a file: their names, an array as it is stored, and the finite numbers of one that must have a shape. */
export interface Weights {
  readonly names: readonly string[];
  array(name: string): NpyArray;
  values(name: string, shape: readonly number[]): Float32Array;
}

/** The arrays of these bytes whose names match `wanted`; nothing else is unpacked. `remedy` says how the file is made. */
export async function readWeights(bytes: Uint8Array, wanted: RegExp, remedy: string): Promise<Weights> {
  const names = namesInZip(bytes, 'model').map((file) => file.replace(/\.npy$/, ''));
  const files = await unzip(
    bytes,
    'model',
    names.filter((name) => wanted.test(name)).map((name) => `${name}.npy`),
  );
  const array = (name: string) => {
    const file = files.get(`${name}.npy`);
    if (!file) throw new InputError('model', `must hold the array ${name}`, names.join(', '), remedy);
    return joined(readNpy(file, `model.${name}`));
  };
  const values = (name: string, shape: readonly number[]) => {
    const given = array(name);
    if (given.shape.join() !== shape.join()) {
      const rule = `must have the shape (${shape.join(', ')})`;
      throw new InputError(`model.${name}`, rule, `(${given.shape.join(', ')})`, remedy);
    }
    const data = Float32Array.from(given.data);
    const bad = data.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw new InputError(`model.${name}`, 'must hold finite numbers', data[bad], remedy);
    return data;
  };
  return { names, array, values };
}

/** Float16 may be stored as two halves of bytes, the low ones first: signs and exponents are then next to each other, and shrink in a package. */
function joined(array: NpyArray): NpyArray {
  const { type, shape, data } = array;
  if (type !== 'u1' || shape[0] !== 2) return array;
  const count = data.length / 2;
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = floatOfHalf(data[i] + 256 * data[count + i]);
  return { type: 'f4', shape: shape.slice(1), data: values };
}
