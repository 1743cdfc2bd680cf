/**
 * Pictures in a Zarr: OME-Zarr 0.5 and 0.4, or a plain array, of Zarr format 3 or 2. Axes are y, x or c, y, x or t, c, z, y, x with one
 * time and one depth. Chunks that are missing have the fill value, as Zarr says.
 */
import { intact } from 'ght-images/node';
import type { Picture } from '../picture.js';
import type { Source } from '../source.js';
import { abortable, type SourceOptions } from './source-options.js';
import { checkWindow, planesOf } from './windows.js';
import { checkShape, openZarrImage, readWindow, type ZarrImage } from './zarr-image.js';
import { sampleOf } from './zarr-layout.js';

/** Opens a picture in a Zarr folder, or at an address where http is allowed. */
export async function zarrSource(name: string, options: SourceOptions = {}): Promise<Source> {
  const image = await openZarrImage(name, options);
  const { array, files, record, multiscale, refuse } = image;
  const channel = channelOf(image);
  const sample = sampleOf(array.type) as NonNullable<ReturnType<typeof sampleOf>>;
  const [height, width] = array.shape.slice(-2);
  const channels = channel === undefined ? 1 : array.shape[channel];
  checkShape(array, channels, refuse);
  const { resolution, ome } = multiscale ?? {};
  const metadata = { ...(resolution && { resolution }), ...(ome && { ome }) };
  const picture: Picture = record?.picture ?? {
    ...{ width, height, channels, alpha: false, ...sample },
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  const agrees = picture.width === width && picture.height === height && planesOf(picture) === channels;
  if (!agrees || picture.sample !== sample.sample || picture.depth !== sample.depth) {
    throw refuse('must have attributes that agree with its array', 'write it again');
  }
  return {
    picture,
    chunk: { width: array.chunks.at(-1) ?? 0, height: array.chunks.at(-2) ?? 0 },
    version: files.version(),
    async read(window, reading) {
      checkWindow(window, picture);
      const work = async () => {
        const samples = await readWindow(array, channel, window, reading);
        // After reading, so that what was read is known to be older than any change.
        await files.checkDocuments(reading);
        return samples;
      };
      return abortable(() => intact(work(), 'Zarr', refuse), reading);
    },
    async close() {},
  };
}

/** The axis of the channels of one picture; undefined if there is none. Several times and depths are refused. */
function channelOf({ array: { shape }, axes, refuse }: ZarrImage): number | undefined {
  const order = axes.join(', ');
  if (axes.length !== shape.length || !/^(t, )?(c, )?(z, )?y, x$/.test(order)) {
    throw refuse(`must have the axes y, x or c, y, x or t, c, z, y, x, not ${order}`, 'transpose it');
  }
  for (const [axis, name] of axes.entries()) {
    if ((name === 't' || name === 'z') && shape[axis] !== 1) {
      const rule = `must have one ${name === 't' ? 'time' : 'depth'}, not ${name} = ${shape[axis]}`;
      throw refuse(rule, 'save the picture you want as a Zarr of its own');
    }
  }
  const channel = axes.indexOf('c');
  return channel < 0 ? undefined : channel;
}
