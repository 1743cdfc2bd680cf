/**
 * The camera that took an image, and its settings. An EXIF block is a TIFF without an image, so that one reader serves both: maker, model and
 * software are in the first directory, the sensitivity is in that of EXIF.
 */
import type { ByteSource } from './tiff/byte-source.js';
import { openStructure, type TiffDirectory } from './tiff/directory.js';
import { tag } from './tiff/tags.js';

/** A camera and its settings, as a file states them. */
export interface Camera {
  /** The maker. */
  readonly make?: string;
  /** The name of the camera. */
  readonly model?: string;
  /** The sensitivity, such as 3200. */
  readonly iso?: number;
  /** The program that wrote the file. */
  readonly software?: string;
}

/** The sensitivity, and where it is if it does not fit in 16 bits: recommended index, ISO speed, standard output sensitivity. */
const SENSITIVITY = 34855;
const LARGE_SENSITIVITIES = [34866, 34867, 34865];
const [LEAST_ISO, MOST_ISO, BEYOND] = [1, 1e8, 65535];

/** What a TIFF, or an EXIF block from its TIFF header on, says about the camera. Damaged and missing fields are left out. */
export async function cameraIn(source: ByteSource): Promise<Camera> {
  const first = await firstDirectory(source).catch(() => undefined);
  if (!first) return {};
  const exif = await first.directory(tag.exif).catch(() => undefined);
  const [make, model, software] = await Promise.all(
    [tag.make, tag.model, tag.software].map((each) => textOf(first, each)),
  );
  const iso = (exif && (await isoOf(exif))) ?? (await isoOf(first));
  return { ...(make && { make }), ...(model && { model }), ...(iso && { iso }), ...(software && { software }) };
}

async function firstDirectory(source: ByteSource): Promise<TiffDirectory | undefined> {
  const { directories } = await openStructure(source);
  for await (const directory of directories()) return directory;
  return undefined;
}

/** The text of a tag without spaces around it; undefined if there is none. */
async function textOf(directory: TiffDirectory, which: number): Promise<string | undefined> {
  const text = await directory.text(which).catch(() => undefined);
  return text?.replace(/\0.*$/s, '').trim() || undefined;
}

async function isoOf(exif: TiffDirectory): Promise<number | undefined> {
  const numberOf = (which: number) => exif.number(which, 0).catch(() => 0);
  const iso = await numberOf(SENSITIVITY);
  const all = iso === BEYOND ? await Promise.all(LARGE_SENSITIVITIES.map(numberOf)) : [];
  return [...all, iso].find((value) => value >= LEAST_ISO && value <= MOST_ISO);
}
