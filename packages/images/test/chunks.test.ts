import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { orientationOf } from '../src/index.js';

const bytesOf = async (picture: Sharp) => new Uint8Array(await picture.toBuffer());

describe('the orientation of a JPEG', () => {
  const samples = new Uint8Array(16 * 8 * 3).fill(90);
  const stored = () => sharp(samples, { raw: { width: 16, height: 8, channels: 3 } });

  it.each([1, 3, 6, 8])('is read from its EXIF block: %i', async (orientation) => {
    expect(orientationOf(await bytesOf(stored().withMetadata({ orientation }).jpeg()), 'jpeg')).toBe(orientation);
  });

  it('is upright where there is none, and where the file is cut off', async () => {
    expect(orientationOf(await bytesOf(stored().jpeg()), 'jpeg')).toBe(1);
    const turned = await bytesOf(stored().withMetadata({ orientation: 6 }).jpeg());
    for (let length = 0; length < 24; length++) expect(orientationOf(turned.slice(0, length), 'jpeg')).toBe(1);
  });
});
