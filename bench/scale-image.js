// The image of bench/scale.js: of any size, made window by window.
import { randomSource } from 'ght';
import { halved } from 'ght-lab';

/** The sides of the noise; primes, so that a piece of it seldom meets the same piece of the photograph again. */
const GRAIN = { width: 1021, height: 1031 };

/**
 * A photograph and noise of deviation 12, each repeated with its own period. A window takes only additions, so that almost all time of a
 * measurement is that of the task.
 */
export async function noisyPlane() {
  const [{ image: photograph }] = await halved();
  const [light] = photograph.planes;
  const random = randomSource(1);
  const noise = Float32Array.from({ length: GRAIN.width * GRAIN.height }, () => 12 * random.normal());
  return ({ left, top, width, height }) => {
    const plane = new Uint8ClampedArray(width * height);
    for (let y = 0, i = 0; y < height; y++) {
      const row = ((top + y) % photograph.height) * photograph.width;
      const grainRow = ((top + y) % GRAIN.height) * GRAIN.width;
      let [a, b] = [left % photograph.width, left % GRAIN.width];
      for (let x = 0; x < width; x++, i++) {
        plane[i] = light[row + a] + noise[grainRow + b];
        if (++a === photograph.width) a = 0;
        if (++b === GRAIN.width) b = 0;
      }
    }
    return new Uint8Array(plane.buffer);
  };
}
