// Show progress, and stop a long computation: after a time, or when the user asks for it.
import { randomSource, represent } from 'ght';

// Something that takes a while: 512×512 pixels in overlapping patches, all 100 iterations.
const side = 512;
const random = randomSource(1);
const plane = Float32Array.from({ length: side * side }, () => 128 + 40 * random.normal());
const image = { width: side, height: side, planes: [plane], peak: 255 };

// A signal can come from a button, from a closed connection or from the clock. Here: as soon as a tenth of the work is done.
const controller = new AbortController();
let done = 0;
try {
  await represent(image, {
    solver: 'admm',
    stride: 2,
    tolerance: 0,
    signal: AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)]),
    onProgress: ({ fraction, rmse }) => {
      done = fraction;
      console.log(`${(100 * fraction).toFixed(0).padStart(3)}%, RMSE ${rmse?.toFixed(2)} per patch`);
      if (fraction >= 0.1) controller.abort();
    },
  });
  console.log('finished');
} catch (error) {
  // The error is the reason of the signal. What the library itself refuses is a GhtError, with a remedy in its message.
  if (error.name !== 'AbortError') throw error;
  console.log(`stopped at ${(100 * done).toFixed(0)}%`);
}

// Nothing is left running: the next call has all threads again.
const { psnr } = await represent(image, { budget: { perPatch: 4 } });
console.log(`the next call: ${psnr.toFixed(2)} dB`);
