/** Films as they come through pipes: in pieces of any size, with planes of several sizes and depths. */
import { describe, expect, it } from 'vitest';
import { isY4m, readY4m, readY4mHeader, writeY4mFrame, type Y4mFrame } from '../src/index.js';

/** Bytes in pieces of a length. */
async function* inPieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** A film whose bytes count up, with the bytes of a frame. */
function film(header: string, frames: readonly string[], length: number): Buffer {
  let value = 0;
  const parts = frames.map((line) => [
    Buffer.from(`${line}\n`),
    Buffer.from(Array.from({ length }, () => value++ & 3)),
  ]);
  return Buffer.concat([Buffer.from(`${header}\n`), ...parts.flat()]);
}

async function read(bytes: Uint8Array, length = 7) {
  const { header, frames } = await readY4m(inPieces(bytes, length), 'film.y4m');
  const all: Y4mFrame[] = [];
  for await (const frame of frames) all.push(frame);
  return { header, frames: all };
}

describe('a film', () => {
  it.each([
    ['C420jpeg', 8, [35, 12, 12], '420'],
    ['C420mpeg2 XYSCSS=420MPEG2', 8, [35, 12, 12], '420'],
    ['', 8, [35, 12, 12], '420'],
    ['C422', 8, [35, 20, 20], '422'],
    ['C444', 8, [35, 35, 35], '444'],
    ['C444alpha', 8, [35, 35, 35, 35], '444'],
    ['C411', 8, [35, 10, 10], '411'],
    ['Cmono', 8, [35], 'mono'],
    ['Cmono10', 10, [35], 'mono'],
    ['C420p10', 10, [35, 12, 12], '420'],
    ['C422p12', 12, [35, 20, 20], '422'],
    ['C444p16', 16, [35, 35, 35], '444'],
  ])('of %s is read in pieces, and written as it was', async (colours, depth, sizes, sampling) => {
    const line = `YUV4MPEG2 W7 H5 F30000:1001 Ip A1:1 ${colours}`.trim();
    const length = sizes.reduce((sum, size) => sum + size, 0) * (depth > 8 ? 2 : 1);
    const bytes = film(line, ['FRAME', 'FRAME Xnote', 'FRAME'], length);
    expect(isY4m(bytes)).toBe(true);
    for (const piece of [1, 7, 10_000]) {
      const { header, frames } = await read(bytes, piece);
      expect(header).toMatchObject({ line, width: 7, height: 5, depth, sampling, alpha: colours.endsWith('alpha') });
      expect(header.rate).toBeCloseTo(29.97, 2);
      expect(frames.map((frame) => frame.planes.map((plane) => plane.length))).toEqual([sizes, sizes, sizes]);
      const again = [Buffer.from(`${header.line}\n`), ...frames.map((frame) => writeY4mFrame(frame, header))];
      expect(Buffer.concat(again).equals(bytes)).toBe(true);
    }
  });

  it('has its samples rounded, and clamped to its depth', () => {
    const header = readY4mHeader('YUV4MPEG2 W3 H1 Cmono10', 'film.y4m');
    const bytes = writeY4mFrame({ line: 'FRAME', planes: [Float32Array.of(-3, 700.6, 2000)] }, header);
    expect([...new Uint16Array(bytes.slice(6).buffer)]).toEqual([0, 701, 1023]);
  });

  it.each([
    [
      'YUV4MPEG2 W7 H5 It',
      'must have frames of one time, not two fields each, but got "film.y4m": add -vf yadif to ffmpeg',
    ],
    ['YUV4MPEG2 W7 H5 C420p17', 'must have the samples 420, 422'],
    ['YUV4MPEG2 W0 H5', 'must begin with the line of a Y4M film with its width and height'],
    ['YUV4MPEG2 H5', 'must begin with the line of a Y4M film with its width and height'],
  ])('%s is refused', (line, message) => {
    expect(() => readY4mHeader(line, 'film.y4m')).toThrow(message);
  });

  it('that ends in a frame, or has something else between frames, is refused', async () => {
    const bytes = film('YUV4MPEG2 W7 H5 Cmono', ['FRAME', 'FRAME'], 35);
    await expect(read(bytes.subarray(0, bytes.length - 1))).rejects.toThrow(
      'must have whole frames, but ends in frame 1',
    );
    await expect(read(bytes.subarray(0, bytes.length - 38))).rejects.toThrow(
      'must have whole frames, but ends in frame 1',
    );
    bytes.write('GRAME', bytes.lastIndexOf('FRAME'));
    await expect(read(bytes)).rejects.toThrow('frame 1 begins with something else');
    await expect(read(Buffer.alloc(9000, 65))).rejects.toThrow('must begin with the line of a Y4M film');
  });
});
