/** Images in arrays: a `.npy`, or one of the arrays of an `.npz`. */
import { InputError, isGhtError } from 'ght';
import { type NpyArray, namesInZip, readNpy, unzip } from 'ght/npy';
import { type Axes, axesNames, axesOf } from './axes.js';
import { startsWith } from './bytes.js';
import type { Declared, Decoded } from './decoded.js';
import { formatOfContent, isMat } from './image-file.js';
import { toPlanes } from './raster.js';
import type { Refuse } from './refuse.js';

/** Reads the image in a `.npy`, or in an `.npz` of one array. Its size is refused by `check` before it is divided into planes. */
export async function decodeArray(
  bytes: Uint8Array,
  refuse: Refuse,
  check: (declared: Declared) => void,
): Promise<Decoded> {
  if (isMat(bytes)) {
    throw refuse(
      'must be a .npy or .npz file here, not a MAT-file',
      'open it with the command ght, or save it as .npy',
    );
  }
  return fromArray(parseArray(await fromArchive(bytes, undefined, refuse), refuse), undefined, refuse, check);
}

/** An array of an `.npz` by its name, or the only one, as a `.npy`; other files as they are. */
export async function fromArchive(bytes: Uint8Array, wanted: string | undefined, refuse: Refuse): Promise<Uint8Array> {
  if (!startsWith(bytes, 'PK\x03\x04')) return bytes;
  const names = namesInZip(bytes);
  const arrays = names.filter((name) => name.endsWith('.npy')).map((name) => name.slice(0, -4));
  // An archive of other things too is no archive of arrays, unless one of them is meant.
  const isOther = arrays.length < names.length && wanted === undefined;
  const name = `${isOther ? severalIn(names, refuse) : chosen(arrays, wanted, refuse)}.npy`;
  return (await unzip(bytes, 'archive', [name])).get(name) ?? new Uint8Array(0);
}

/** The name of the array that is meant. */
export function chosen(names: readonly string[], wanted: string | undefined, refuse: Refuse): string {
  if (wanted === undefined) return names.length === 1 ? names[0] : severalIn(names, refuse);
  if (names.includes(wanted)) return wanted;
  throw refuse(`must have the array ${wanted}, and it has ${listOf(names)}`, 'give a name that is in the file');
}

function severalIn(names: readonly string[], refuse: Refuse): never {
  const remedy = 'save one alone, or name it with --array; codes become an image with ght decode';
  throw refuse(`must hold one array, not ${listOf(names)}`, remedy);
}

function listOf(names: readonly string[]): string {
  const some = names.slice(0, 5).map((name) => name.replace(/[^ -~]/g, '?'));
  return some.join(', ') || 'nothing';
}

/** An array of a `.npy`. */
export function parseArray(bytes: Uint8Array, refuse: Refuse): NpyArray {
  if (formatOfContent(bytes) !== 'npy') throw refuse('must be a .npy file', 'save the array with numpy.save');
  try {
    return readNpy(bytes);
  } catch (cause) {
    if (isGhtError(cause, 'input'))
      throw refuse(`${cause.rule} (here ${cause.value})`, cause.remedy, InputError, { cause });
    throw cause;
  }
}

const arrayTypes = {
  u1: { depth: 8, sample: 'uint' },
  u2: { depth: 16, sample: 'uint' },
  u4: { depth: 32, sample: 'uint' },
  i1: { depth: 8, sample: 'int' },
  i2: { depth: 16, sample: 'int' },
  i4: { depth: 32, sample: 'int' },
  f4: { depth: 32, sample: 'float' },
  f8: { depth: 64, sample: 'float' },
} as const;

/** The image in an array of this order of axes; its size is refused by `check`. */
export function fromArray(
  { type, shape, data }: NpyArray,
  given: Exclude<Axes, 'HW'> | undefined,
  refuse: Refuse,
  check: (declared: Declared) => void,
): Decoded {
  if (shape.length !== 2 && shape.length !== 3) {
    throw refuse(`must have the shape H×W or H×W×C, not ${shape.join('×') || 'a single number'}`, 'reshape the array');
  }
  // 64-bit integers would be exact too, but the result could not be returned in the same type.
  if (!(type in arrayTypes)) {
    const rule = `must hold integers of 8 to 32 bits or floats, not ${numpyName(type)}`;
    throw refuse(rule, "convert it, for example with array.astype('float32')");
  }
  const axes = shape.length === 2 ? 'HW' : (given ?? axesOf(shape));
  if (axes === undefined) {
    const choices = `${axesNames.slice(0, -1).join(', ')} or ${axesNames.at(-1)}`;
    throw refuse(
      `must have axes that are clear, which the shape ${shape.join('×')} leaves open`,
      `set axes to ${choices}`,
    );
  }
  const [height, width, channels = 1] = axes === 'CHW' ? [...shape.slice(1), shape[0]] : shape;
  check({ width, height, channels, depth: 8 * data.BYTES_PER_ELEMENT, bytes: data.byteLength });
  const size = width * height;
  const planes =
    axes === 'CHW'
      ? Array.from({ length: channels }, (_, c) => toPlanes(data.slice(c * size, (c + 1) * size), 1)[0])
      : toPlanes(data, channels);
  return {
    ...{ width, height, planes, alpha: false, orientation: 1, metadata: { axes } },
    ...arrayTypes[type as keyof typeof arrayTypes],
  };
}

function numpyName(type: NpyArray['type']): string {
  return type === 'b1' ? 'bool' : `${{ f: 'float', i: 'int', u: 'uint', b: 'bool' }[type[0]]}${8 * Number(type[1])}`;
}
