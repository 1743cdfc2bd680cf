/** What microscopes and ImageJ write into the description of a TIFF: the size of a pixel, and how many pages there are. */
import { type Resolution, valid } from './resolution.js';

/** Whether a description is for people: those of programs state the size of the image and the order of its pages. */
export function isForPeople(description: string): boolean {
  return !/^ImageJ=|^\{"shape"|<OME\b/.test(description);
}

/** Lengths in centimetres, by the names that ImageJ and OME-XML use. */
const centimetres: Readonly<Record<string, number>> = {
  nm: 1e-7,
  um: 1e-4,
  micron: 1e-4,
  microns: 1e-4,
  '\u00b5m': 1e-4,
  '\u03bcm': 1e-4,
  '\\u00b5m': 1e-4,
  mm: 0.1,
  cm: 1,
  m: 100,
  inch: 2.54,
  in: 2.54,
};

/** The unit of length that the description of an ImageJ file names; undefined for others and for none that is known. */
export function imageJUnit(description: string): number | undefined {
  const unit = /^ImageJ=/.test(description) ? /^unit=(.*)$/m.exec(description)?.[1].trim().toLowerCase() : undefined;
  return unit === undefined ? undefined : centimetres[unit];
}

/** How many images an ImageJ file says it holds. */
export function imageJCount(description: string): number {
  return /^ImageJ=/.test(description) ? Number(/^images=(\d+)/m.exec(description)?.[1] ?? 1) : 1;
}

/**
 * The resolution of a TIFF with a description: of ImageJ the tags count pixels in its own unit, OME-XML has the size of a
 * pixel instead. Any other description changes nothing.
 */
export function describedResolution(description: string, tags: Resolution | undefined): Resolution | undefined {
  const unit = imageJUnit(description);
  if (unit !== undefined && tags) return valid({ x: tags.x / unit, y: tags.y / unit, unit: 'centimetre' });
  if (!/<OME\b/.test(description)) return tags;
  const [x, y] = [omeSize(description, 'X'), omeSize(description, 'Y')];
  return (x && y && valid({ x: 1 / x, y: 1 / y, unit: 'centimetre' })) || tags;
}

/** The size of a pixel in centimetres. OME-XML counts in micrometres where it names no unit. */
function omeSize(xml: string, axis: 'X' | 'Y'): number | undefined {
  const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1];
  const size = Number(attribute(`PhysicalSize${axis}`) ?? Number.NaN);
  const unit = centimetres[(attribute(`PhysicalSize${axis}Unit`) ?? '\u00b5m').trim().toLowerCase()];
  return unit === undefined || !(size > 0) ? undefined : size * unit;
}
