/** What the directory of a TIFF page says besides its size: what the samples mean, and which pages are refused. */
import { latin1 } from '../bytes.js';
import { describedResolution, imageJCount } from '../description.js';
import type { ImageMetadata } from '../image-file.js';
import { exifOfPage, notOfPages } from '../metadata/exif-fields.js';
import type { Refuse } from '../refuse.js';
import { unitOf, valid } from '../resolution.js';
import { imageJInLittleEndian } from '../stack/imagej.js';
import type { TiffDirectory } from './directory.js';

/** The tags that are read, by their numbers. */
export const tag = {
  ...{ width: 256, height: 257, bits: 258, compression: 259, photometric: 262, fillOrder: 266, description: 270 },
  ...{ stripOffsets: 273, orientation: 274, samplesPerPixel: 277, rowsPerStrip: 278, stripCounts: 279 },
  ...{ xResolution: 282, yResolution: 283, planar: 284, t4Options: 292, t6Options: 293, resolutionUnit: 296 },
  ...{ predictor: 317, palette: 320, tileWidth: 322, tileHeight: 323, tileOffsets: 324, tileCounts: 325 },
  ...{ extraSamples: 338, sampleFormat: 339, jpegTables: 347, icc: 34675, lerc: 50674, xmp: 700, iptc: 33723 },
  ...{ subfile: 254, subDirectories: 330, inkSet: 332, dotRange: 336, dngVersion: 50706 },
  ...{ make: 271, model: 272, software: 305, exif: 34665, imageJCounts: 50838, imageJ: 50839 },
} as const;

/** The numbers of the photometric interpretations that are read. */
export const photometrics = {
  ...{ whiteIsZero: 0, blackIsZero: 1, rgb: 2, palette: 3, inks: 5, yCbCr: 6, lab: 8, iccLab: 9 },
} as const;
const otherColours: Readonly<Record<number, string>> = {
  ...{ 4: 'a mask', 10: 'ITU Lab', 32803: 'a camera sensor' },
  ...{ 32844: 'LogL', 32845: 'LogLuv', 34892: 'linear raw' },
};
const [ASSOCIATED_ALPHA, STRAIGHT_ALPHA] = [1, 2];

/** What the tags of a page say about its colours, and what travels with them. */
export interface TiffTags {
  /** One of {@link photometrics}. */
  readonly photometric: number;
  /** Whether the last channel is opacity and not one more band. */
  readonly alpha: boolean;
  /** The resolution, the description and the colour profile. */
  readonly metadata: ImageMetadata;
  /** The profile of the inks, by which they are converted. */
  readonly inkProfile?: Uint8Array;
  /** The orientation as in EXIF; 1 is upright. */
  readonly orientation: number;
}

/** Reads the tags of a page of a file. Colours that are not read are refused, and premultiplied alpha, as it could not be undone exactly. */
export async function readTiffTags(
  directory: TiffDirectory,
  { pages, littleEndian }: { readonly pages: number; readonly littleEndian: boolean },
  refuse: Refuse,
): Promise<TiffTags> {
  await refuseRaw(directory, refuse);
  const photometric = await directory.number(tag.photometric, Number.NaN);
  if (!Object.values<number>(photometrics).includes(photometric)) {
    const other = otherColours[photometric];
    throw refuse(`must be grey or RGB${other ? `, not ${other}` : ''}`, 'convert it to RGB first');
  }
  const labels = await directory.numbers(tag.extraSamples);
  const channels = await directory.number(tag.samplesPerPixel, 1);
  if (labels?.includes(ASSOCIATED_ALPHA)) {
    throw refuse('must have straight alpha, not premultiplied', 'save it again with unassociated alpha');
  }
  // Damage to the metadata is no reason to lose the samples.
  const kept = await metadataOf(directory, littleEndian).catch((): ImageMetadata => ({}));
  const images = imageJCount(kept.description ?? '');
  if (images > Math.max(1, pages)) {
    const rule = `must list its ${images} images as pages, which ImageJ leaves out of large files`;
    throw refuse(rule, 'save it again in parts of less than 4 GiB');
  }
  // Many writers leave the fourth channel of RGB unlabelled; a second channel of grey is alpha only if it says so.
  const alpha = labels?.at(-1) === STRAIGHT_ALPHA || (photometric === photometrics.rgb && channels === 4);
  const bands = photometric === photometrics.blackIsZero && channels - Number(alpha) === 3;
  const orientation = await directory.number(tag.orientation, 1);
  if (photometric === photometrics.inks) {
    await refuseOtherInks(directory, refuse);
    const inkProfile = kept.icc && isInkProfile(kept.icc) ? kept.icc : undefined;
    const metadata = converted(kept, cmykConverted(inkProfile !== undefined));
    return { ...{ photometric, alpha, orientation, metadata }, ...(inkProfile && { inkProfile }) };
  }
  if (photometric === photometrics.lab || photometric === photometrics.iccLab) {
    return { ...{ photometric, alpha, orientation }, metadata: converted(kept, 'CIE Lab colours (converted to sRGB)') };
  }
  return { ...{ photometric, alpha, orientation }, metadata: bands ? { ...kept, bands } : kept };
}

/** What is said of inks that were converted. */
export function cmykConverted(byProfile: boolean): string {
  return `CMYK colours (converted to sRGB by ${byProfile ? 'their profile' : 'a common profile, as they have none'})`;
}

/** Whether a colour profile is one of CMYK. */
export function isInkProfile(icc: Uint8Array): boolean {
  return latin1(icc.subarray(16, 20)) === 'CMYK';
}

/** The metadata of samples that are no longer those of the file; a profile of the former colours would be wrong. */
function converted({ icc: _, notRead = [], ...kept }: ImageMetadata, what: string): ImageMetadata {
  return { ...kept, notRead: [what, ...notRead] };
}

/** Four inks of other colours, or of another range, would be converted wrongly. */
async function refuseOtherInks(directory: TiffDirectory, refuse: Refuse): Promise<void> {
  const remedy = 'convert it to RGB first';
  const inks = await directory.number(tag.inkSet, 1);
  if (inks !== 1) throw refuse('must be grey, RGB or CMYK, not of other inks', remedy);
  const range = (await directory.numbers(tag.dotRange)) ?? [];
  if (range.some((value, i) => value !== (i % 2) * 255)) {
    throw refuse(`must have CMYK from 0 to 255, not a dot range of ${range.join(', ')}`, remedy);
  }
}

/** The first directory of most raw files has a small picture for display, and the samples of the sensor are in a directory of their own. */
async function refuseRaw(directory: TiffDirectory, refuse: Refuse): Promise<void> {
  const isReduced = ((await directory.number(tag.subfile, 0).catch(() => 0)) & 1) === 1;
  const isDng = directory.has(tag.dngVersion);
  if (!isDng && !(isReduced && directory.has(tag.subDirectories))) return;
  const make = await directory.text(tag.make).catch(() => undefined);
  const name = isDng ? 'DNG' : (make?.trim() ?? 'such as NEF or ARW');
  const remedy = 'develop it to a 16-bit TIFF, for example with RawTherapee, darktable, or dcraw -6 -T';
  throw refuse(`must be an image, not a raw camera file (${name})`, remedy);
}

async function metadataOf(directory: TiffDirectory, littleEndian: boolean): Promise<ImageMetadata> {
  const [x, y] = [await directory.number(tag.xResolution, 0), await directory.number(tag.yResolution, 0)];
  const stored = valid({ x, y, unit: unitOf(await directory.number(tag.resolutionUnit, 2)) });
  const description = (await directory.text(tag.description)) ?? '';
  const resolution = describedResolution(description, stored);
  const icc = await directory.bytes(tag.icc).catch(() => undefined);
  const counts = await directory.numbers(tag.imageJCounts).catch(() => undefined);
  const entries = counts && (await directory.bytes(tag.imageJ).catch(() => undefined));
  const imageJ = counts && entries && imageJInLittleEndian([...counts], entries, littleEndian);
  const xmp = await directory.bytes(tag.xmp).catch(() => undefined);
  const iptc = await directory.bytes(tag.iptc).catch(() => undefined);
  const exif = await exifOfPage(directory, littleEndian);
  const notRead = notOfPages(directory);
  return {
    ...(imageJ && { imageJ }),
    ...(resolution && { resolution }),
    ...(description !== '' && { description }),
    ...(icc && icc.length > 0 && { icc: icc.slice() }),
    ...(exif && { exif }),
    ...(xmp && xmp.length > 0 && { xmp: xmp.slice() }),
    ...(iptc && iptc.length > 0 && { iptc: iptcInOrder(iptc) }),
    ...(notRead.length > 0 && { notRead }),
  };
}

/** Each record of IPTC data begins with this byte. Some programs store them as numbers of 4 bytes, and turn those around. */
const IPTC_RECORD = 0x1c;

function iptcInOrder(bytes: Uint8Array): Uint8Array {
  const turned = bytes[0] !== IPTC_RECORD && bytes[3] === IPTC_RECORD && bytes.length % 4 === 0;
  return turned ? bytes.map((_, i) => bytes[4 * Math.floor(i / 4) + 3 - (i % 4)]) : bytes.slice();
}
