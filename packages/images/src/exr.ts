/**
 * The header of OpenEXR: attributes with a name, a type and a length. It says what the decoder does not: the types of the channels, the
 * window that has samples, and what else there is, which is lost.
 */
import { latin1, viewOf } from './bytes.js';
import type { Refuse } from './refuse.js';

/** What the header of a file of one picture says. */
export interface ExrHeader {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** The names of the channels in the order of planes: red, green, blue and opacity, or one. */
  readonly channels: readonly string[];
  /** Whether the last of them is opacity, by which the colours are multiplied. */
  readonly alpha: boolean;
  /** What no output keeps, in words. */
  readonly notRead: readonly string[];
}

interface Attribute {
  readonly type: string;
  readonly content: DataView;
}

/** The bits after the version that make another file of it: samples in depth, and several parts. */
const [DEEP, PARTS] = [0x800, 0x1000];
const MOST_HEADER = 2 ** 22;
/** Attributes that say how samples are stored, or are the same in every file that is written. */
const structural = new Set([
  ...['channels', 'compression', 'dataWindow', 'displayWindow', 'lineOrder', 'pixelAspectRatio', 'tiles', 'chunkCount'],
  ...['screenWindowCenter', 'screenWindowWidth', 'type', 'version', 'name'],
]);
const lossy: Readonly<Record<number, string>> = { 8: 'DWAA', 9: 'DWAB' };
const LAST_COMPRESSION = 7;
const UINT = 0;

/** Reads the header; what cannot be read exactly is refused, and an Error says why a header is damaged. */
export function readExrHeader(bytes: Uint8Array, refuse: Refuse): ExrHeader {
  const view = viewOf(bytes);
  if (bytes.length < 9) throw new Error('the file ends inside its header');
  const flags = view.getUint32(4, true);
  if (flags & DEEP) throw refuse('must hold one sample per pixel, not deep ones', 'flatten it, for example in Nuke');
  if (flags & PARTS) {
    throw refuse('must hold one part', 'take one of them, for example with oiiotool in.exr --subimage 0 -o out.exr');
  }
  const attributes = attributesOf(bytes, view);
  const contentOf = (name: string, length: number) => {
    const found = attributes.get(name)?.content;
    if (!found || found.byteLength < length) throw new Error(`its ${name} is missing`);
    return found;
  };
  const compression = contentOf('compression', 1).getUint8(0);
  if (compression > LAST_COMPRESSION) {
    const name = lossy[compression] ?? `number ${compression}`;
    const remedy = 'save it again, for example with oiiotool in.exr --compression zip -o out.exr';
    throw refuse(`must have a compression that is read here, not ${name}`, remedy);
  }
  const { names, alpha } = planesOf(channelsOf(contentOf('channels', 1), refuse), refuse);
  const data = boxOf(contentOf('dataWindow', 16));
  const display = boxOf(contentOf('displayWindow', 16));
  const isPart = data.some((value, i) => value !== display[i]);
  const aspect = contentOf('pixelAspectRatio', 4).getFloat32(0, true);
  const others = [...attributes.keys()].filter((name) => !structural.has(name));
  return {
    ...{ width: data[2] - data[0] + 1, height: data[3] - data[1] + 1, channels: names, alpha },
    notRead: [
      ...(isPart ? [`its window, from (${data[0]}, ${data[1]}) of ${display[2] + 1}×${display[3] + 1} pixels`] : []),
      ...(aspect !== 1 ? [`pixel aspect ratio ${aspect}`] : []),
      ...(others.length > 0 ? [`EXR attribute${others.length > 1 ? 's' : ''} ${others.join(', ')}`] : []),
    ],
  };
}

function attributesOf(bytes: Uint8Array, view: DataView): ReadonlyMap<string, Attribute> {
  const attributes = new Map<string, Attribute>();
  let at = 8;
  const text = () => {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end - at > 255) throw new Error('the file ends inside its header');
    const name = latin1(bytes.subarray(at, end));
    at = end + 1;
    return name;
  };
  for (let name = text(); name !== ''; name = text()) {
    const type = text();
    const length = at + 4 <= bytes.length ? view.getUint32(at, true) : Number.NaN;
    at += 4;
    if (!(at + length <= Math.min(bytes.length, MOST_HEADER))) throw new Error('the file ends inside its header');
    attributes.set(name, { type, content: viewOf(bytes.subarray(at, at + length)) });
    at += length;
  }
  return attributes;
}

/** The names of the channels, which all must have a number for every pixel. */
function channelsOf(list: DataView, refuse: Refuse): string[] {
  const names: string[] = [];
  for (let at = 0; list.getUint8(at) !== 0; at += 16) {
    let name = '';
    for (; list.getUint8(at) !== 0; at++) name += String.fromCharCode(list.getUint8(at));
    at++;
    if (list.getInt32(at, true) === UINT) {
      throw refuse('must hold floats, not whole numbers', `take other channels than ${name}`);
    }
    if (list.getInt32(at + 8, true) !== 1 || list.getInt32(at + 12, true) !== 1) {
      const remedy = 'convert it to RGB, for example with exrmultiview or Nuke';
      throw refuse(`must have a sample of every channel for every pixel, which ${name} has not`, remedy);
    }
    names.push(name);
  }
  return names;
}

/** The channels of a picture: one, or red, green and blue of one layer, perhaps with opacity. */
function planesOf(
  names: readonly string[],
  refuse: Refuse,
): { readonly names: readonly string[]; readonly alpha: boolean } {
  if (names.length === 1) return { names, alpha: false };
  const [layer] = /^.*\./.exec(names[0] ?? '') ?? [''];
  for (const letters of ['RGB', 'RGBA']) {
    const wanted = [...letters].map((letter) => layer + letter);
    if (wanted.length === names.length && wanted.every((name) => names.includes(name))) {
      return { names: wanted, alpha: letters === 'RGBA' };
    }
  }
  const listed = names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ');
  const remedy = 'take those of one picture, for example with oiiotool in.exr --ch R,G,B -o out.exr';
  throw refuse(`must have one channel, or R, G and B, perhaps with A, not ${listed}`, remedy);
}

/** The first and the last column and row of a window. */
function boxOf(box: DataView): readonly [left: number, top: number, right: number, bottom: number] {
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => box.getInt32(at, true));
  return [left, top, right, bottom];
}
