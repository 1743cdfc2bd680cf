/** The picture of the tests in tiles: a photograph in colour, as PNG and as tiled TIFF. */
import sharp from 'sharp';
import { textured } from './command.js';

export const [w, h] = [200, 150];

/** Writes `photo.png` and `slide.tif`. */
export async function writePictures(path: (name: string) => string): Promise<void> {
  const samples = Buffer.from(textured(w, h));
  const rgb = Buffer.alloc(3 * w * h);
  for (let i = 0; i < w * h; i++) for (let c = 0; c < 3; c++) rgb[3 * i + c] = 0.7 * samples[i] + 20 * c;
  const image = sharp(rgb, { raw: { width: w, height: h, channels: 3 } });
  await image.clone().png().toFile(path('photo.png'));
  await image
    .clone()
    .tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: 'deflate' })
    .toFile(path('slide.tif'));
}
