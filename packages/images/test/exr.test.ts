/** EXR: files of OpenEXR with its samples (exr/make_exrs.py), what is refused, and what is written. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type Image, isGhtError } from 'ght';
import { describe, expect, it } from 'vitest';
import { type ImageFile, notKept } from '../src/index.js';
import { readImage, writeImage } from '../src/node/index.js';
import { temporaryFolder } from './fixtures.js';

const { path } = temporaryFolder();
interface Entry {
  readonly name: string;
  readonly bytes: string;
  /** By channel, floats in base64; null for a kind that must be refused. */
  readonly samples: Readonly<Record<string, string>> | null;
}
const entries: readonly Entry[] = JSON.parse(
  gunzipSync(readFileSync(new URL('exr/exrs.json.gz', import.meta.url))).toString(),
);
const floats = (text: string) => new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
const bytesOf = (wanted: string) => Buffer.from(entries.find(({ name }) => name === wanted)?.bytes ?? '', 'base64');
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    (error: Error) => error.message,
  );

describe('EXR', () => {
  it.each(entries.flatMap((entry) => (entry.samples ? [[entry.name, entry] as const] : [])))(
    '%s is read as OpenEXR reads it, and written so that it is read the same',
    async (_, { bytes, samples }) => {
      const read = await readImage(Buffer.from(bytes, 'base64'));
      const names = Object.keys(samples ?? {});
      const all = ({ planes, alpha }: Image) => (alpha ? [...planes, alpha] : planes);
      expect([read.format, read.depth, read.sample, read.metadata?.exrChannels]).toEqual(['exr', 32, 'float', names]);
      expect(all(read.image)).toEqual(names.map((name) => floats(samples?.[name] ?? '')));
      await writeImage(path('out.exr'), read.image, read);
      const again = await readImage(path('out.exr'));
      expect(all(again.image)).toEqual(all(read.image));
      expect(again.metadata?.exrChannels).toEqual(names);
    },
  );

  it.each([
    ['dwaa', /must have a compression that is read here, not DWAA.*oiiotool/],
    ['whole numbers', /must hold floats, not whole numbers/],
    ['picture and depth', /must have one channel, or R, G and B, perhaps with A, not B, G, R, Z.*--ch R,G,B/],
    ['parts', /must hold one part.*--subimage 0/],
  ])('of a kind that is not read is refused with the way out: %s', async (name, message) => {
    expect(await messageOf(readImage(bytesOf(name)))).toMatch(message);
  });

  it('says what is lost of its header', async () => {
    const lostOf = async (name: string) => notKept('exr', 3, (await readImage(bytesOf(name))).metadata);
    const [place] = await lostOf('window half zip');
    expect(place).toBe('its window, from (5, 7) of 60×50 pixels');
    const [line, ...others] = await lostOf('attributes half zip');
    expect([line, others]).toEqual([expect.stringMatching(/^EXR attributes .*owner/), []]);
    const depth = await readImage(bytesOf('depth float zips'));
    expect(notKept('tiff', 1, depth.metadata)).toEqual(['channel name Z', ...notKept('exr', 1, depth.metadata)]);
  });

  it('keeps NaN and infinities', async () => {
    const plane = Float32Array.of(1.5, Number.NaN, Number.POSITIVE_INFINITY, -0);
    const image: Image = { width: 2, height: 2, planes: [plane], peak: 1 };
    await writeImage(path('nan.exr'), image, { image, format: 'tiff', depth: 32, sample: 'float' });
    expect((await readImage(path('nan.exr'))).image.planes[0]).toEqual(plane);
    expect((await readFile(path('nan.exr'))).subarray(0, 4)).toEqual(Buffer.of(0x76, 0x2f, 0x31, 1));
  });

  it('holds no whole numbers, no 64-bit floats and no straight alpha; its alpha is in no other picture format', async () => {
    const image: Image = { width: 1, height: 1, planes: [Float64Array.of(1)], peak: 1 };
    const like = (more: Partial<ImageFile>): ImageFile => ({
      ...{ image, format: 'tiff', depth: 32, sample: 'float' },
      ...more,
    });
    const written = (what: Image, kind: ImageFile, name = 'no.exr') => messageOf(writeImage(path(name), what, kind));
    expect(await written(image, like({ sample: 'uint', depth: 8 }))).toMatch(/integers, which EXR does not/);
    expect(await written(image, like({ depth: 64 }))).toMatch(/64-bit floats, which EXR does not/);
    const straight = { ...image, alpha: Float64Array.of(0.5) };
    expect(await written(straight, like({}))).toMatch(/straight alpha, which EXR does not/);
    const read = await readImage(bytesOf('RGBA half zip tiles'));
    expect(read.metadata?.premultiplied).toBe(true);
    expect(await written(read.image, read, 'no.tiff')).toMatch(/premultiplied alpha, which TIFF does not.*\.exr/);
  });

  it('cut short or damaged gives an image or one error in one line', async () => {
    for (const name of ['RGB half zip', 'RGB float piz', 'RGBA half zip tiles']) {
      const bytes = bytesOf(name);
      for (let n = 0; n < 40; n++) {
        const cut = await readImage(bytes.subarray(0, Math.floor((n * bytes.length) / 40))).catch((error) => error);
        expect(isGhtError(cut) && !cut.message.includes('\n')).toBe(true);
        const changed = Uint8Array.from(bytes);
        changed[(n * 7919) % bytes.length] ^= 1 << (n % 8);
        const read = await readImage(changed).catch((error) => error);
        expect(read instanceof Error ? isGhtError(read) && !read.message.includes('\n') : read.format).toBeTruthy();
      }
    }
  });
});
