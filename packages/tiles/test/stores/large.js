// Writes, finishes, joins and reads a picture of any size, window by window, and prints the peak of its memory in bytes.
import { joinTiff, openSource, zarrSink, zarrSource } from 'ght-tiles';

const [side, folder] = [Number(process.argv[2]), process.argv[3]];
const picture = { width: side, height: side, channels: 1, alpha: false, sample: 'uint', depth: 16 };
const tile = 1024;
const sampleAt = (x, y) => (40503 * x + 7919 * y * y) % 65536;

const sink = await zarrSink(`${folder}/${side}.zarr`, { run: 'large', picture });
/** Calls work on all windows. */
async function everywhere(work) {
  for (let top = 0; top < side; top += tile) {
    for (let left = 0; left < side; left += tile) {
      await work({ left, top, width: Math.min(tile, side - left), height: Math.min(tile, side - top) });
    }
  }
}
await everywhere(async (window) => {
  const plane = new Uint16Array(window.width * window.height);
  for (let i = 0; i < plane.length; i++) {
    plane[i] = sampleAt(window.left + (i % window.width), window.top + Math.floor(i / window.width));
  }
  await sink.write(window, [plane]);
});
await sink.finish();
await joinTiff(`${folder}/${side}.zarr`, `${folder}/${side}.tif`);

let wrong = 0;
for (const source of [await zarrSource(`${folder}/${side}.zarr`), await openSource(`${folder}/${side}.tif`)]) {
  await everywhere(async (window) => {
    const [plane] = await source.read(window);
    for (let i = 0; i < plane.length; i++) {
      if (plane[i] !== sampleAt(window.left + (i % window.width), window.top + Math.floor(i / window.width))) wrong++;
    }
  });
  await source.close();
}
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024, wrong }));
