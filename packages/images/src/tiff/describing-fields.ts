/** What the directory of a TIFF page says of its samples, and what travels with them. */
import { imageJUnit } from '../description.js';
import type { ImageMetadata } from '../image-file.js';
import { pageFields } from '../metadata/exif-fields.js';
import type { Raster } from '../raster.js';
import { perCentimetre, type Resolution, rational } from '../resolution.js';
import { isOme, omeOfResult } from '../stack/ome-xml.js';
import type { TiffField } from './fields.js';

/**
 * What a page says of its samples: deflate, after horizontal differences for integers. Three colour channels are RGB, unless they are
 * bands; any other number is grey with further bands. Alpha is marked as straight. Where the samples lie is left to the writer.
 */
export function describingFields(
  { width, height, channels, alpha, depth, sample }: Omit<Raster, 'rows'>,
  { icc, exif, xmp, iptc, resolution, description: stored, imageJ, bands, lookup }: ImageMetadata,
): TiffField[] {
  const colours = channels - (alpha ? 1 : 0) === 3 && !bands ? 3 : 1;
  const description = stored !== undefined && isOme(stored) ? omeOfResult(stored, { sample, depth }) : stored;
  const table = channels === 1 && depth === 8 && sample === 'uint' ? lookup : undefined;
  const extra = Array.from({ length: channels - colours }, (_, i) => (alpha && i === channels - colours - 1 ? 2 : 0));
  const each = (value: number) => new Array<number>(channels).fill(value);
  const dense = resolution && tiffResolution(resolution, description);
  const described = exif ? pageFields(exif).filter(([tag]) => tag !== 270 || !description) : [];
  return [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', each(depth)],
    [259, 'short', [8]], // compression: deflate
    [262, 'short', [table ? 3 : colours === 3 ? 2 : 1]], // photometric: palette, RGB, or black is zero
    ...(description ? [[270, 'ascii', new TextEncoder().encode(`${description}\0`)] as const] : []),
    [277, 'short', [channels]],
    ...(dense ? [[282, 'rational', rational(dense.x)] as const, [283, 'rational', rational(dense.y)] as const] : []),
    [284, 'short', [1]], // interleaved
    ...(dense ? [[296, 'short', [{ none: 1, inch: 2, centimetre: 3 }[dense.unit]]] as const] : []),
    [317, 'short', [sample === 'float' ? 1 : 2]], // predictor
    ...(table ? [[320, 'short', table] as const] : []),
    ...(extra.length > 0 ? [[338, 'short', extra] as const] : []),
    [339, 'short', each({ uint: 1, int: 2, float: 3 }[sample])],
    ...described,
    ...(xmp ? [[700, 'byte', xmp] as const] : []),
    ...(iptc ? [[33723, 'undefined', iptc] as const] : []),
    ...(icc ? [[34675, 'undefined', icc] as const] : []),
    ...(imageJ ? [[50838, 'long', imageJ.counts] as const, [50839, 'byte', imageJ.bytes] as const] : []),
  ];
}

/** The resolution as the tags state it: with a description of ImageJ they count in the unit that it names. */
function tiffResolution(resolution: Resolution, description = ''): Resolution {
  const unit = imageJUnit(description);
  const dense = perCentimetre(resolution);
  return unit === undefined || !dense ? resolution : { x: dense.x * unit, y: dense.y * unit, unit: 'none' };
}
