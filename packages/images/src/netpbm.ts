/**
 * The portable formats of Netpbm: grey (P2, P5) and RGB (P3, P6) of 8 and 16 bits, as text or binary, and PFM, floats (Pf, PF) whose rows begin
 * at the bottom. A header of words is before the samples.
 */
import { asPlain, bytesOf, joined, latin1, viewOf } from './bytes.js';
import type { Raster } from './raster.js';

/** What the header of such a file says, and where its samples begin. */
export interface NetpbmHeader {
  /** The two letters at the beginning. */
  readonly magic: 'P2' | 'P3' | 'P5' | 'P6' | 'Pf' | 'PF';
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Samples of a pixel. */
  readonly channels: 1 | 3;
  /** Bits of a sample: 8, 16, or 32 for floats. */
  readonly depth: 8 | 16 | 32;
  /** The white level; of floats a scale that only people need. */
  readonly white: number;
  /** Of floats, whether the lowest byte is first. */
  readonly littleEndian: boolean;
  /** Where the samples begin. */
  readonly start: number;
}

const readMagics = ['P2', 'P3', 'P5', 'P6', 'Pf', 'PF'] as const;
const others: Readonly<Record<string, string>> = { P1: 'a bitmap (P1)', P4: 'a bitmap (P4)', P7: 'a PAM (P7)' };
/** A header is never longer, comments included. */
const MOST_HEADER = 65_536;
const isSpace = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13);

/** Reads the header; throws an Error that says why a file cannot be read. */
export function readNetpbmHeader(bytes: Uint8Array): NetpbmHeader {
  const magic = readMagics.find((each) => each === latin1(bytes.subarray(0, 2)));
  if (!magic) throw new Error(`${others[latin1(bytes.subarray(0, 2))] ?? 'another kind'} is not read`);
  let at = 2;
  const word = () => {
    for (; at < bytes.length && at < MOST_HEADER; at++) {
      if (bytes[at] === 0x23) while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
      else if (!isSpace(bytes[at])) break;
    }
    const start = at;
    while (at < bytes.length && at - start < 32 && !isSpace(bytes[at])) at++;
    return latin1(bytes.subarray(start, at));
  };
  const whole = (name: string) => {
    const text = word();
    if (!/^\d{1,9}$/.test(text)) throw new Error(`its ${name} is no whole number`);
    return Number(text);
  };
  const [width, height] = [whole('width'), whole('height')];
  const channels = /[36F]/.test(magic[1]) ? 3 : 1;
  const isFloat = /f/i.test(magic[1]);
  const white = isFloat ? Number(word() || Number.NaN) : whole('largest sample');
  if (isFloat ? !(Number.isFinite(white) && white !== 0) : !(white >= 1 && white <= 65_535)) {
    throw new Error(`its largest sample or scale is ${white}`);
  }
  // One white character ends the header: what follows it may look like one.
  if (!isSpace(bytes[at])) throw new Error('the file ends inside its header');
  return {
    ...{ magic, width, height, channels, white: Math.abs(white), start: at + 1, littleEndian: isFloat && white < 0 },
    depth: isFloat ? 32 : white > 255 ? 16 : 8,
  };
}

/** Decodes a file whose size is known to be acceptable: the channels of a pixel side by side, rows from the top. */
export function decodeNetpbm(file: Uint8Array): Uint8Array | Uint16Array | Float32Array {
  const bytes = asPlain(file);
  const header = readNetpbmHeader(bytes);
  const { magic, width, height, channels, depth, white, start, littleEndian } = header;
  const count = width * height * channels;
  if (magic === 'P2' || magic === 'P3') return decodeText(bytes, header, count);
  const length = (count * depth) / 8;
  if (start + length > bytes.length) throw new Error('the file ends before its last row');
  if (bytes.subarray(start + length).some((byte) => !isSpace(byte)))
    throw new Error('it has something behind its only picture');
  if (depth === 8) return checked(bytes.slice(start, start + length), white);
  const view = viewOf(bytes);
  if (depth === 16)
    return checked(
      Uint16Array.from({ length: count }, (_, i) => view.getUint16(start + 2 * i)),
      white,
    );
  const row = width * channels;
  const samples = new Float32Array(count);
  for (let y = 0, at = start; y < height; y++) {
    for (let x = 0, to = (height - 1 - y) * row; x < row; x++, at += 4)
      samples[to + x] = view.getFloat32(at, littleEndian);
  }
  return samples;
}

function decodeText(bytes: Uint8Array, { white, depth, start }: NetpbmHeader, count: number): Uint8Array | Uint16Array {
  // A sample takes a digit and a space.
  if (2 * count - 1 > bytes.length - start) throw new Error('the file ends before its last sample');
  const samples = depth === 8 ? new Uint8Array(count) : new Uint16Array(count);
  let at = start;
  for (let i = 0; i < count; i++) {
    while (at < bytes.length && isSpace(bytes[at])) at++;
    let [value, digits] = [0, 0];
    for (; at < bytes.length && !isSpace(bytes[at]); at++, digits++) {
      const digit = bytes[at] - 48;
      if (!(digit >= 0 && digit <= 9) || digits > 5) throw new Error(`its sample ${i} is no whole number`);
      value = 10 * value + digit;
    }
    if (digits === 0) throw new Error('the file ends before its last sample');
    if (value > white) throw new Error(`its sample ${i} is ${value}, above its largest one, ${white}`);
    samples[i] = value;
  }
  if (bytes.subarray(at).some((byte) => !isSpace(byte))) throw new Error('it has something behind its only picture');
  return samples;
}

function checked<Samples extends Uint8Array | Uint16Array>(samples: Samples, white: number): Samples {
  if (white === 255 || white === 65_535) return samples;
  const place = samples.findIndex((value) => value > white);
  if (place >= 0) throw new Error(`its sample ${place} is ${samples[place]}, above its largest one, ${white}`);
  return samples;
}

/** A binary file of grey or RGB: integers with this white level, rounded and clamped to it, or floats. */
export function encodeNetpbm(raster: Raster, white = 2 ** raster.depth - 1): Uint8Array {
  const { width, height, channels, depth, sample } = raster;
  const isFloat = sample === 'float';
  const magic = isFloat ? (channels === 1 ? 'Pf' : 'PF') : channels === 1 ? 'P5' : 'P6';
  const head = bytesOf(`${magic}\n${width} ${height}\n${isFloat ? '-1.0' : white}\n`);
  const row = width * channels;
  const bytes = new Uint8Array((row * height * depth) / 8);
  const view = viewOf(bytes);
  for (let y = 0; y < height; y++) {
    const samples = raster.rows(y, y + 1);
    const at = ((isFloat ? height - 1 - y : y) * row * depth) / 8;
    for (let x = 0; x < row; x++) {
      if (isFloat) view.setFloat32(at + 4 * x, samples[x], true);
      else if (depth === 16) view.setUint16(at + 2 * x, Math.min(samples[x], white));
      else bytes[at + x] = Math.min(samples[x], white);
    }
  }
  return joined([head, bytes]);
}
