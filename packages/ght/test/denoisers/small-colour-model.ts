/** The file of a colour model of two scales with random weights, small enough for plain TypeScript. */
import { randomSource } from '../../src/math/random.js';
import { writeNpy } from '../../src/sparse/codes/npy.js';
import { zip } from '../../src/sparse/codes/zip.js';

export const smallShapes: Readonly<Record<string, readonly number[]>> = {
  ...{ head: [8, 3, 3, 15], A0: [2, 8, 3, 3, 8], B0: [2, 8, 3, 3, 8], A1: [1, 8, 3, 3, 8], B1: [1, 8, 3, 3, 8] },
  ...{ down0: [8, 2, 2, 8], up0: [8, 2, 2, 8], tail: [12, 3, 3, 8] },
};

export async function smallColourFile(shapes = smallShapes, value?: number): Promise<Uint8Array> {
  const random = randomSource(3);
  return zip(
    Object.entries(shapes).map(([name, shape]) => {
      const length = shape.reduce((product, side) => product * side, 1);
      const data = Float32Array.from({ length }, () => value ?? 0.15 * random.normal());
      return { name: `${name}.npy`, bytes: writeNpy({ type: 'f4', shape, data }) };
    }),
  );
}
