import { denoise, type Image, type Representation, represent, type Samples } from 'ght';

// The pixels of a canvas are an ImageData: its type is that of the DOM, which Node does not have.
const pixels: { width: number; height: number; data: Uint8ClampedArray } = {
  width: 64,
  height: 64,
  data: Uint8ClampedArray.from({ length: 4 * 64 * 64 }, (_, i) => 128 + 90 * Math.sin(Math.floor(i / 4) / 7)),
};
const grey: Samples = pixels.data.filter((_, i) => i % 4 === 0);
const image: Image = { width: pixels.width, height: pixels.height, planes: [grey], peak: 255 };

const result: Representation = await represent(image, {
  solver: 'admm',
  budget: { perPatch: 4 },
  threads: 2,
  signal: AbortSignal.timeout(60_000),
});
const { image: clean, quality } = await denoise(image, { sigma: 5, quality: 'learned' });
if (clean.planes[0]?.length !== grey.length) throw new Error('the denoised image has another size');
const { name: engine, threads } = result.engine;
const text: string = JSON.stringify({ nonzeros: result.nonzeros, engine, threads, quality });
console.log(text);
