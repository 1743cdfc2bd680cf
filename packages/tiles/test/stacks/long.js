// Writes a stack of any number of pages, copies it page by page, reads the copy, and prints the peak of its memory in bytes.
import { openStack, writeStack } from 'ght-tiles';

const [pages, folder] = [Number(process.argv[2]), process.argv[3]];
const [width, height] = [320, 240];
const picture = { width, height, channels: 1, alpha: false, sample: 'uint', depth: 16 };
const sampleAt = (page, i) => (40503 * page + 7919 * (i >> 6)) % 65536;

const made = { stack: { axes: [{ name: 't', length: pages }] }, picture, format: 'frames', kept: {} };
await writeStack(`${folder}/${pages}.tif`, made, async (write) => {
  for (let page = 0; page < pages; page++) {
    const plane = Uint16Array.from({ length: width * height }, (_, i) => sampleAt(page, i));
    const image = { width, height, planes: [plane], peak: 65535 };
    await write(page, image, { image, format: 'tiff', sample: 'uint', depth: 16 });
  }
});
const source = await openStack(`${folder}/${pages}.tif`);
await writeStack(`${folder}/${pages} again.tif`, source, async (write) => {
  for (let page = 0; page < pages; page++) {
    const file = await source.read(page);
    await write(page, file.image, file);
  }
});
await source.close();
let wrong = 0;
const copy = await openStack(`${folder}/${pages} again.tif`);
for (let page = 0; page < pages; page++) {
  const { planes } = (await copy.read(page)).image;
  for (let i = 0; i < planes[0].length; i++) if (planes[0][i] !== sampleAt(page, i)) wrong++;
}
await copy.close();
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024, wrong }));
