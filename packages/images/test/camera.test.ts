import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bytesInMemory, cameraIn } from '../src/index.js';
import { readHeader, readImage } from '../src/node/index.js';
import { pattern, temporaryFolder, tiff } from './fixtures.js';

const { path, save } = temporaryFolder();
const [width, height] = [12, 10];
const exif = {
  IFD0: { Make: 'Maker Inc.', Model: ' X1  ', Software: 'Tool 1.0' },
  IFD2: { ISOSpeedRatings: '3200' },
};
const camera = { make: 'Maker Inc.', model: 'X1', iso: 3200, software: 'Tool 1.0' };
const picture = () =>
  sharp(Buffer.from(pattern(width * height * 3, 255)), { raw: { width, height, channels: 3 } }).withExif(exif);

describe('the camera of a file', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('is in the header of a %s', async (format) => {
    const file = await save(`shot.${format}`, await picture().toFormat(format).toBuffer());
    const { jpeg, ...header } = (await readHeader(file)) ?? {};
    expect(header).toEqual({ format, width, height, planes: 3, sample: 'uint', depth: 8, camera });
    expect(jpeg?.luma.length).toBe(format === 'jpeg' ? 64 : undefined);
  });

  it('is in the tags of a TIFF, and the sensitivity in its directory of EXIF', async () => {
    // The directory of EXIF lies in the samples, which begin at byte 8: one field, 34855, of one SHORT.
    const samples = new Uint8Array(width * height);
    samples.set([1, 0, 0x27, 0x88, 3, 0, 1, 0, 0, 0, 0x00, 0x19, 0, 0, 0, 0, 0, 0]);
    const text = (value: string) =>
      Array.from({ length: value.length / 2 }, (_, i) => value.charCodeAt(2 * i) + 256 * value.charCodeAt(2 * i + 1));
    const tags = { 258: [8], 262: [1], 271: text('Maker\0'), 272: text('Maker X1'), 277: [1], 34665: [8] };
    const file = await save('shot.tif', tiff(width, height, samples, tags));
    const expected = { make: 'Maker', model: 'Maker X1', iso: 6400 };
    expect(await readHeader(file)).toMatchObject({ format: 'tiff', width, height, planes: 1, camera: expected });
    expect((await readImage(file)).image.planes[0].length).toBe(width * height);
  });

  it('has a sensitivity beyond 16 bits', async () => {
    const large = { IFD0: exif.IFD0, IFD2: { ISOSpeedRatings: '65535', RecommendedExposureIndex: '102400' } };
    const file = await save('large.jpg', await picture().withExif(large).jpeg().toBuffer());
    expect((await readHeader(file))?.camera.iso).toBe(102400);
  });

  it('is empty if there is none, or if it is damaged', async () => {
    const plain = await save(
      'plain.png',
      await sharp(await picture().png().toBuffer())
        .png()
        .toBuffer(),
    );
    expect((await readHeader(plain))?.camera).toEqual({});
    const { metadata } = await readImage(await save('shot.png', await picture().png().toBuffer()));
    const block = metadata?.exif ?? new Uint8Array();
    expect(await cameraIn(bytesInMemory(block))).toEqual(camera);
    for (let length = 0; length < block.length; length += 3) {
      const { make, model, iso } = await cameraIn(bytesInMemory(block.subarray(0, length)));
      expect([undefined, camera.make]).toContain(make);
      expect([undefined, camera.model]).toContain(model);
      expect([undefined, camera.iso]).toContain(iso);
    }
  });

  it('is not looked for in other files', async () => {
    expect(await readHeader(path('missing.png'))).toBeUndefined();
    expect(await readHeader(await save('text.png', 'no image'))).toBeUndefined();
    expect(await readHeader(await save('empty.png', ''))).toBeUndefined();
  });
});
