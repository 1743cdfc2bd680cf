// What a benchmark measures of a result: its PSNR and its time.
import { psnr, rmsePixel } from 'ght';

/**
 * PSNR of an image rounded and clipped to 0 … peak, in dB; null if there is no difference. With a mask, only the pixels where it is
 * not 0 count.
 */
export function level(image, clean, mask) {
  const { peak } = clean;
  const counted = (plane) => (mask ? plane.filter((_, i) => mask[i]) : plane);
  const squares = image.planes.map((plane, c) => {
    const inFile = Float64Array.from(counted(plane), (value) => Math.min(peak, Math.max(0, Math.round(value))));
    return rmsePixel(inFile, counted(clean.planes[c])) ** 2;
  });
  const mean = squares.reduce((sum, square) => sum + square, 0) / squares.length;
  return mean === 0 ? null : psnr(Math.sqrt(mean), peak);
}

/** The result of some work, its wall-clock time and its CPU time in seconds. */
export async function timed(work) {
  const [wall, used] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(used);
  return { result, seconds: (performance.now() - wall) / 1e3, cpu: (user + system) / 1e6 };
}
