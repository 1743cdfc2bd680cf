// One task on one image, in tiles or as a whole, in its own process. Prints CPU seconds, peak memory and a checksum as JSON.
// usage: node bench/scale-way.js '{"task":"denoise","way":"tiled","megapixels":16,"options":{"quality":"fast"}}'
// task: denoise or represent; way: tiled or whole
import { denoise, represent } from 'ght';
import { denoiseLarge, representLarge } from 'ght-tiles';
import { noisyPlane } from './scale-image.js';

const { task, way, megapixels, options } = JSON.parse(process.argv[2]);
const side = Math.round(Math.sqrt(1e6 * megapixels));
const picture = { width: side, height: side, channels: 1, alpha: false, sample: 'uint', depth: 8 };
const chunk = { width: 512, height: 512 };

const planeOf = await noisyPlane();

/** A sum over the bits of all samples, each with its place, so that it does not depend on their order. */
let checksum = 0;
const value = new Float64Array(1);
const bits = new Uint32Array(value.buffer);
function add({ left, top, width, height }, plane) {
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      value[0] = plane[i];
      const place = 2 * ((top + y) * side + left + x) + 1;
      checksum = (checksum + Math.imul(Math.imul(bits[0], 31) ^ bits[1], place)) | 0;
    }
  }
}

const source = {
  picture,
  chunk,
  version: 'repeated',
  read: async (window) => [planeOf(window)],
  close: async () => {},
};
const sink = {
  picture,
  chunk,
  has: async () => false,
  write: async (window, [plane]) => add(window, plane),
  finish: async () => {},
  close: async () => {},
};
const [large, whole] = { denoise: [denoiseLarge, denoise], represent: [representLarge, represent] }[task];
const started = process.cpuUsage();
if (way === 'tiled') {
  await large(source, sink, options);
} else {
  const all = { left: 0, top: 0, width: side, height: side };
  const image = { width: side, height: side, planes: [planeOf(all)], peak: 255 };
  add(all, (await whole(image, options)).image.planes[0]);
}
const { user, system } = process.cpuUsage(started);
const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ way, cpu: (user + system) / 1e6, peakMiB, checksum }));
