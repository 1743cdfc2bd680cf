/** OME-Zarr images and Zarr arrays as stacks along t, c and z. */
import { type PageAxis, placeOf, type Stack, type StackAxis, type StackChannel } from 'ght-images';
import { intact } from 'ght-images/node';
import type { Picture } from '../picture.js';
import { abortable, type SourceOptions } from '../stores/source-options.js';
import { checkShape, listOf, openZarrImage, readWindow, type ZarrImage } from '../stores/zarr-image.js';
import { decodeMetadata, fieldsOf, sampleOf } from '../stores/zarr-layout.js';
import { type CheckSize, kindOf, type PageReader } from './stack-source.js';

/** The attributes of a stack that was written here, for what OME-Zarr has no place. */
export const STACK_ATTRIBUTES = 'ghtStack';

/** The pages of a Zarr; undefined if it has one time and one depth. */
export async function zarrStack(
  name: string,
  options: SourceOptions,
  checkSize: CheckSize,
): Promise<PageReader | undefined> {
  const image = await openZarrImage(name, options);
  const { array, axes, attributes, files, record, refuse } = image;
  const lengths = new Map(axes.map((axis, i) => [axis, array.shape[i]]));
  const own = fieldsOf(attributes[STACK_ATTRIBUTES]);
  if (record || ((lengths.get('t') ?? 1) * (lengths.get('z') ?? 1) === 1 && !own)) return undefined;
  const order = axes.join('');
  if (axes.length !== array.shape.length || !/^[tcz]*yx$/.test(order) || new Set(axes).size !== axes.length) {
    throw refuse(`must have the axes t, c, z, y, x or some of them, not ${axes.join(', ')}`, 'transpose it');
  }
  // The channels of a pixel are stored as c, and those with pages of their own too.
  const samples = Number(own?.samples ?? 1);
  const folded = samples > 1 ? axes.indexOf('c') : undefined;
  if (samples > 1 && lengths.get('c') !== samples)
    throw refuse('must have attributes that agree with its array', 'write it again');
  checkShape(array, samples, refuse);
  const sample = sampleOf(array.type) as NonNullable<ReturnType<typeof sampleOf>>;
  const [height, width] = array.shape.slice(-2);
  const alpha = own?.alpha === true;
  const picture = kindOf({ width, height, channels: samples, alpha, ...sample });
  checkSize({ width, height, channels: samples, depth: sample.depth, bytes: Number.MAX_SAFE_INTEGER }, refuse);
  const stack = stackIn(image, folded);
  const metadata: Picture['metadata'] = {
    ...(image.multiscale?.resolution && { resolution: image.multiscale.resolution }),
    ...decodeMetadata(fieldsOf(own?.metadata) ?? {}),
  };
  const { format } = array;
  return {
    stack,
    picture: { ...picture, ...(Object.keys(metadata).length > 0 && { metadata }) },
    format: 'zarr',
    kept: { zarr: { format, attributes, axes } },
    async decode(page, signal, window = { left: 0, top: 0, width, height }) {
      const place = placeOf(stack, page);
      const at = axes.slice(0, -2).map((axis) => place[axis as PageAxis] ?? 0);
      const work = async () => {
        const planes = await readWindow(array, folded, window, signal, at);
        await files.checkDocuments(signal);
        return planes;
      };
      const planes = await abortable(() => intact(work(), 'Zarr', refuse), signal);
      return {
        width: window.width,
        height: window.height,
        planes,
        alpha,
        ...sample,
        orientation: 1,
        metadata: page === 0 ? metadata : pageMetadata(metadata),
      };
    },
  };
}

/** The metadata of the pages after the first, which has those of all. */
function pageMetadata({ description: _, imageJ: __, ...metadata }: NonNullable<Picture['metadata']>) {
  return metadata;
}

/** The axes, channels and labels. */
function stackIn({ array, axes, attributes, multiscale }: ZarrImage, folded: number | undefined): Stack {
  const own = fieldsOf(attributes[STACK_ATTRIBUTES]);
  const ome = fieldsOf(attributes.ome) ?? attributes;
  const name = fieldsOf(listOf(ome.multiscales)[0])?.name;
  const channels = listOf(fieldsOf(ome.omero)?.channels).map(channelOf);
  const labels = listOf(own?.labels).filter((label) => typeof label === 'string');
  const paged = axes.flatMap((axis, i): StackAxis[] => {
    if (axis === 'y' || axis === 'x' || i === folded) return [];
    const { scale = 1, unit } = multiscale?.axes[i] ?? {};
    const known = axis !== 'c' && (unit !== undefined || scale !== 1);
    return [{ name: axis as PageAxis, length: array.shape[i], ...(known && { step: scale, ...(unit && { unit }) }) }];
  });
  return {
    axes: paged,
    ...(typeof name === 'string' && { name }),
    ...(folded === undefined && channels.some((each) => Object.keys(each).length > 0) && { channels }),
    ...(labels.length > 0 && { labels }),
  };
}

function channelOf(value: unknown): StackChannel {
  const { label, color, window } = fieldsOf(value) ?? {};
  const { start, end } = fieldsOf(window) ?? {};
  return {
    ...(typeof label === 'string' && { name: label }),
    ...(typeof color === 'string' && /^[\da-f]{6}$/i.test(color) && { colour: color.toUpperCase() }),
    ...(Number.isFinite(start) && Number.isFinite(end) && { range: [Number(start), Number(end)] as const }),
  };
}
