import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { denoise, fromInterleaved, type Image, toInterleaved } from '../../src/index.js';

const rgba = Uint8ClampedArray.of(1, 2, 3, 255, 4, 5, 6, 128);

describe('fromInterleaved', () => {
  it('takes the ImageData of a canvas apart: colours in planes, alpha kept apart', () => {
    // Typed as a browser types it, without a canvas.
    const canvas: Pick<ImageData, 'width' | 'height' | 'data'> = { width: 2, height: 1, data: rgba };
    expect(fromInterleaved(canvas)).toEqual({
      ...{ width: 2, height: 1, peak: 255, alpha: Uint8ClampedArray.of(255, 128) },
      planes: [Uint8ClampedArray.of(1, 4), Uint8ClampedArray.of(2, 5), Uint8ClampedArray.of(3, 6)],
    });
  });

  it('gives an image that every task takes', async () => {
    const data = Uint8ClampedArray.from({ length: 32 * 32 * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 37) % 256));
    const { image } = await denoise(fromInterleaved({ width: 32, height: 32, data }), { sigma: 5 });
    expect(image.planes).toHaveLength(3);
  });

  it('knows the full scale of integers, and asks for that of floats', () => {
    expect(fromInterleaved({ width: 1, height: 1, data: Uint16Array.of(9) }).peak).toBe(65535);
    const data = Float32Array.of(0.5, 1);
    expect(fromInterleaved({ width: 2, height: 1, data }, { peak: 1 })).toMatchObject({ planes: [data], peak: 1 });
    expect(() => fromInterleaved({ width: 2, height: 1, data })).toThrow('peak must be given for floats');
  });

  it('takes the last channel for opacity or not, as the option says', () => {
    const pixels = { width: 1, height: 1, data: Uint8Array.of(1, 2, 3, 4) };
    expect(fromInterleaved(pixels, { alpha: false }).planes).toHaveLength(4);
    expect(fromInterleaved({ ...pixels, data: Uint8Array.of(1, 2, 3) }, { alpha: true }).alpha?.[0]).toBe(3);
    expect(() => fromInterleaved({ ...pixels, data: Uint8Array.of(1) }, { alpha: true })).toThrow(
      'alpha must be false',
    );
  });

  it('takes the number of channels given, refuses data that do not fit, and takes no more than four from their length', () => {
    const six = { width: 2, height: 1, data: new Uint8Array(12) };
    expect(fromInterleaved({ ...six, channels: 6 }).planes).toHaveLength(6);
    expect(() => fromInterleaved(six)).toThrow(
      "pixels.data must have at most 4 samples per pixel if channels is not given, but got \"6 per pixel\": give channels; for bytes of 16-bit samples or floats, also depth: 'ushort' or 'float'",
    );
    expect(() => fromInterleaved({ ...six, channels: 3 })).toThrow(
      'must hold width × height = 2×1 pixels of 3 samples',
    );
    expect(() => fromInterleaved({ ...six, channels: 1.5 })).toThrow('pixels.channels must be a whole number');
  });

  it('refuses bytes of an unknown depth, and of samples that they do not fill', () => {
    const bytes = { width: 1, height: 1, data: new Uint8Array(3) };
    expect(() => fromInterleaved({ ...bytes, depth: 'complex' })).toThrow('pixels.depth must be one of uchar, ushort');
    expect(() => fromInterleaved({ ...bytes, depth: 'ushort' })).toThrow('pixels.data must be bytes of samples');
  });

  it('refuses samples that are not whole pixels', () => {
    expect(() => fromInterleaved({ width: 2, height: 1, data: Uint8Array.of(1, 2, 3) })).toThrow(
      'pixels.data must hold width × height = 2×1 pixels of one length, but got "3 samples"',
    );
  });
});

describe.each([
  { depth: 'uchar', space: 'srgb', array: 'Uint8Array', peak: 255 },
  { depth: 'ushort', space: 'rgb16', array: 'Uint16Array', peak: 65535 },
  { depth: 'float', space: 'scrgb', array: 'Float32Array', peak: 1 },
] as const)('raw samples of sharp, $depth', ({ depth, space, array, peak }) => {
  it('come in with the right planes, and go back as they were', async () => {
    const file = sharp({ create: { width: 5, height: 3, channels: 3, background: '#ff8000' } });
    const raw = file.toColourspace(space).raw({ depth });
    const { data, info } = await raw.toBuffer({ resolveWithObject: true });
    const image = fromInterleaved({ ...info, data }, { peak });
    expect([image.planes.length, image.planes[0].length, image.planes[0][0]]).toEqual([3, 15, peak]);
    expect(image.planes[0].constructor.name).toBe(array);
    // At an odd address, as slices of a pool of buffers are.
    const odd = Buffer.concat([Buffer.of(0), data]).subarray(1);
    expect(fromInterleaved({ ...info, data: odd }, { peak })).toEqual(image);
    const { data: back, ...size } = toInterleaved(image, { array });
    expect(size).toEqual({ width: 5, height: 3, channels: 3 });
    expect(Buffer.from(back.buffer)).toEqual(data);
    // It would take floats for another colour space.
    if (depth === 'float') return;
    expect(await sharp(back, { raw: size }).toColourspace(space).raw({ depth }).toBuffer()).toEqual(data);
  });

  it('are refused if they are of another depth than they seem', () => {
    if (depth === 'uchar') return;
    const data = new Uint8Array(5 * 3 * 3 * (depth === 'ushort' ? 2 : 4));
    const remedy = "for bytes of 16-bit samples or floats, also depth: 'ushort' or 'float'";
    expect(() => fromInterleaved({ width: 5, height: 3, data })).toThrow(remedy);
    expect(() => fromInterleaved({ width: 5, height: 3, channels: 3, data })).toThrow(remedy);
  });
});

describe('toInterleaved', () => {
  const grey: Image = { width: 2, height: 1, planes: [Float64Array.of(-3, 254.5)], peak: 255 };

  it('is the reverse of fromInterleaved', () => {
    expect(toInterleaved(fromInterleaved({ width: 2, height: 1, data: rgba }))).toEqual({
      ...{ width: 2, height: 1, channels: 4, data: rgba },
    });
  });

  it('rounds and clamps integers, and leaves floats as they are', () => {
    expect(toInterleaved(grey).data).toEqual(Uint8ClampedArray.of(0, 255));
    expect(toInterleaved({ ...grey, planes: [Float64Array.of(999, 1.4)] }, { array: 'Uint8Array' }).data).toEqual(
      Uint8Array.of(255, 1),
    );
    expect(toInterleaved(grey, { array: 'Float32Array' }).data).toEqual(Float32Array.of(-3, 254.5));
  });

  it('gives a canvas what it wants: grey as colour, opaque without alpha', () => {
    const { data } = toInterleaved({ ...grey, planes: [Float64Array.of(10, 20)] }, { channels: 4 });
    expect(data).toEqual(Uint8ClampedArray.of(10, 10, 10, 255, 20, 20, 20, 255));
  });

  it('scales to another full scale, and asks for it where samples would be cut off', () => {
    const deep: Image = { width: 2, height: 1, planes: [Uint16Array.of(65535, 257)], peak: 65535 };
    expect(toInterleaved(deep, { peak: 255 }).data).toEqual(Uint8ClampedArray.of(255, 1));
    expect(() => toInterleaved(deep)).toThrow('peak must be at most 255 for a Uint8ClampedArray, but got 65535');
  });

  it('leaves alpha out where the channels say so, and refuses channels that the image cannot fill', () => {
    const colour = fromInterleaved({ width: 2, height: 1, data: rgba });
    expect(toInterleaved(colour, { channels: 3 }).data).toEqual(Uint8ClampedArray.of(1, 2, 3, 4, 5, 6));
    expect(() => toInterleaved(colour, { channels: 2 })).toThrow('channels must suit an image of 3 planes');
  });
});
