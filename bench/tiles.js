// Denoises a synthetic image in tiles and as a whole, each in its own process: CPU seconds, peak memory, and whether every bit is equal.
// usage: node bench/tiles.js [--megapixels 64] [--channels 1] [--quality fast] [--smooth] [--sigma 12] [--way tiled|whole]
// --smooth   noise as in camera files, which is denoised at two scales
// --sigma    given noise; without it the noise is estimated
// --way      only one of the two, whose numbers are printed as JSON
import { spawnSync } from 'node:child_process';
import { denoise } from 'ght';
import { denoiseLarge } from 'ght-tiles';
import { flags } from './flags.js';

const { megapixels, channels, quality, smooth, sigma, way } = flags(import.meta.filename, {
  megapixels: { type: 'string', default: '64' },
  channels: { type: 'string', default: '1' },
  quality: { type: 'string', default: 'fast' },
  smooth: { type: 'boolean', default: false },
  sigma: { type: 'string' },
  way: { type: 'string' },
});
const side = Math.round(Math.sqrt(1e6 * Number(megapixels)));
const picture = { width: side, height: side, channels: Number(channels), alpha: false, sample: 'uint', depth: 8 };
const options = { quality, ...(sigma && { sigma: Number(sigma) }) };

/** A number of about -1 to 1 that depends on the place alone; the sum of four is nearly normal. */
function random(x, y, c) {
  let h = Math.imul(x, 374761393) ^ Math.imul(y, 668265263) ^ Math.imul(c + 1, 2147483647);
  h = Math.imul(h ^ (h >>> 13), 1274126177);
  h = Math.imul(h ^ (h >>> 16), 2246822519);
  h ^= h >>> 15;
  return ((h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24) - 510) / 148;
}

/** Waves and noise of deviation 12 in a window. */
function planesOf({ left, top, width, height }) {
  return Array.from({ length: picture.channels }, (_, c) => {
    const plane = new Uint8Array(width * height);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const [X, Y] = [left + x, top + y];
        let noise = random(X, Y, c);
        if (smooth) {
          for (const [dx, dy] of [
            [1, 0],
            [0, 1],
            [1, 1],
          ])
            noise += random(X + dx, Y + dy, c);
          noise /= 2;
        }
        plane[i] = Math.round(Math.max(0, Math.min(255, 110 + 40 * Math.sin(X / 90) * Math.cos(Y / 70) + 12 * noise)));
      }
    }
    return plane;
  });
}

/** A sum over all samples, each with its place, that does not depend on their order. */
let checksum = 0;
const [value, bits] = (() => {
  const value = new Float64Array(1);
  return [value, new Uint32Array(value.buffer)];
})();
function add({ left, top, width, height }, planes) {
  for (const [c, plane] of planes.entries()) {
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        value[0] = plane[i];
        const place = Math.imul((top + y) * picture.width + left + x, 8) + 2 * c + 1;
        checksum = (checksum + Math.imul(Math.imul(bits[0], 31) ^ bits[1], place)) | 0;
      }
    }
  }
}

const all = { left: 0, top: 0, width: side, height: side };
async function run() {
  if (way === 'whole') {
    const image = { width: side, height: side, planes: planesOf(all), peak: 255 };
    add(all, (await denoise(image, options)).image.planes);
    return;
  }
  const chunk = { width: 512, height: 512 };
  const read = async (window) => planesOf(window);
  const source = { picture, chunk, version: 'synthetic', read, close: async () => {} };
  const write = async (window, planes) => add(window, planes);
  const sink = { picture, chunk, has: async () => false, write, finish: async () => {}, close: async () => {} };
  await denoiseLarge(source, sink, options);
}

if (way) {
  const made = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(made);
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ way, cpu: (user + system) / 1e6, peakMiB: Math.round(peak), checksum }));
} else {
  const [tiled, whole] = ['tiled', 'whole'].map((each) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...process.argv.slice(1), '--way', each], {
      encoding: 'utf8',
    });
    if (stderr) console.error(stderr);
    console.log(stdout.trim());
    return JSON.parse(stdout);
  });
  console.log(
    `tiled / whole: CPU ${(tiled.cpu / whole.cpu).toFixed(2)}, memory ${(tiled.peakMiB / whole.peakMiB).toFixed(2)}`,
  );
  console.log(tiled.checksum === whole.checksum ? 'every bit is equal' : 'THE RESULTS DIFFER');
}
