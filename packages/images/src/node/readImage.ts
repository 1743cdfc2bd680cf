import {
  type Image,
  InputError,
  isGhtError,
  isInputError,
  type NpyArray,
  ResourceError,
  readJpegInfo,
  readNpy,
  type Samples,
} from 'ght';
import { formatOfContent, type ImageFile } from '../imageFile.js';
import { fullScale } from '../range.js';
import { toPlanes } from '../raster.js';
import { upright } from '../upright.js';
import { decode } from './decode.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { readBytes } from './files.js';

/**
 * Reads an image file: PNG, JPEG, TIFF and WebP of 8 or 16 bits, float TIFF, and `.npy` arrays of uint8, uint16, float32
 * or float64 and shape H×W or H×W×C, whatever the name of the file. Samples come exactly as they are stored, turned
 * upright if the file has an orientation; alpha is kept apart. A `.npy` has no alpha: all its channels are planes.
 *
 * Everything that could not be read so is refused with an InputError that names `parameter`: CMYK and Lab, signed
 * and 32-bit integers, several pages, premultiplied alpha, damaged and truncated files. NaN and infinities pass.
 * What is too large for the limits or for the memory is refused with a ResourceError.
 */
export async function readImage(path: string, parameter = 'IMAGE'): Promise<ImageFile> {
  const bytes = await readBytes(path, parameter);
  const refuse = refusing(path, parameter);
  const format = formatOfContent(bytes);
  if (format === undefined) {
    throw refuse('must be a PNG, JPEG, TIFF, WebP or .npy file', 'convert it to one of these formats');
  }
  const decoded =
    format === 'npy'
      ? fromArray(parseArray(bytes, refuse), refuse)
      : await decode(bytes, format, refuse).catch((cause: unknown) => {
          if (isGhtError(cause)) throw cause;
          if (cause instanceof RangeError && /allocation failed/.test(cause.message)) {
            const remedy = 'close other programs, or cut it into tiles';
            throw refuse('must fit in the memory that is free', remedy, ResourceError, { cause });
          }
          const rule = `must be an intact ${format.toUpperCase()} file (${firstLine(cause)})`;
          throw refuse(rule, 'fetch or save it again', InputError, { cause });
        });
  const { width, height, planes: channels, depth, sample, metadata } = decoded;
  const planes = decoded.alpha ? channels.slice(0, -1) : channels;
  const peak = sample === 'float' ? fullScale(planes) : 2 ** depth - 1;
  const stored: Image = { width, height, planes, peak, ...(decoded.alpha ? { alpha: channels.at(-1) } : {}) };
  const image = upright(stored, decoded.orientation);
  const jpeg = format === 'jpeg' ? readJpegInfo(bytes, decoded.orientation) : undefined;
  return { image, format, depth, sample, metadata, ...(jpeg && { jpeg }) };
}

/** Reads the array of a `.npy` file, whatever the name of the file. */
export async function readArray(path: string, parameter = 'ARRAY'): Promise<NpyArray> {
  const bytes = await readBytes(path, parameter);
  return parseArray(bytes, refusing(path, parameter));
}

function refusing(path: string, parameter: string): Refuse {
  return (rule, remedy, Kind = InputError, options) => new Kind(parameter, rule, path, remedy, options);
}

function parseArray(bytes: Uint8Array, refuse: Refuse): NpyArray {
  if (formatOfContent(bytes) !== 'npy') throw refuse('must be a .npy file', 'save the array with numpy.save');
  try {
    return readNpy(bytes);
  } catch (cause) {
    if (isInputError(cause)) throw refuse(`${cause.rule} (here ${cause.value})`, cause.remedy, InputError, { cause });
    throw cause;
  }
}

const arrayTypes = {
  u1: { depth: 8, sample: 'uint' },
  u2: { depth: 16, sample: 'uint' },
  f4: { depth: 32, sample: 'float' },
  f8: { depth: 64, sample: 'float' },
} as const;

function fromArray({ type, shape, data }: NpyArray, refuse: Refuse): Decoded {
  if (shape.length !== 2 && shape.length !== 3) {
    throw refuse(`must have the shape H×W or H×W×C, not ${shape.join('×') || 'a single number'}`, 'reshape the array');
  }
  // Other integers would be exact too, but the result could not be given back in the same type.
  if (!(type in arrayTypes)) {
    const rule = `must hold uint8, uint16, float32 or float64, not ${numpyName(type)}`;
    throw refuse(rule, "convert it, for example with array.astype('float32')");
  }
  const [height, width, channels = 1] = shape;
  checkSize({ width, height, channels, bytes: data.byteLength }, refuse);
  const planes = toPlanes(data as Samples, channels);
  const metadata = { channelAxis: shape.length === 3 };
  return {
    width,
    height,
    planes,
    alpha: false,
    orientation: 1,
    metadata,
    ...arrayTypes[type as keyof typeof arrayTypes],
  };
}

function numpyName(type: NpyArray['type']): string {
  return type === 'b1' ? 'bool' : `${{ f: 'float', i: 'int', u: 'uint', b: 'bool' }[type[0]]}${8 * Number(type[1])}`;
}

/** What a decoder says of a file it cannot read; not every decoder throws an Error. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/[\n\r]/, 1)[0].trim() || 'unknown damage';
}
