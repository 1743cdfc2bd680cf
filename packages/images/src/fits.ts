/**
 * FITS, the format of astronomy: a header of lines of 80 letters in blocks of 2880 bytes, then the samples of the first image, highest byte
 * first, plane by plane, rows from the bottom. Unsigned integers are stored with an offset (BZERO), and any numbers with a scale (BSCALE);
 * integers equal to BLANK are missing, and become NaN.
 */
import { bytesOf, joined, latin1, viewOf } from './bytes.js';
import type { SampleDepth, SampleKind } from './image-file.js';
import type { Raster, RasterSamples } from './raster.js';

/** What the header says. */
export interface FitsHeader {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Planes. */
  readonly channels: number;
  /** What a sample is once scale and offset are applied. */
  readonly sample: SampleKind;
  /** Bits of such a sample. */
  readonly depth: SampleDepth;
  /** The lines that do not say how samples are stored. */
  readonly cards: readonly string[];
  /** Bits of a stored sample, negative for floats. */
  readonly bits: number;
  readonly zero: number;
  readonly scale: number;
  readonly blank?: number;
  /** Where the samples begin. */
  readonly start: number;
}

const [BLOCK, CARD] = [2880, 80];
/** The most bytes of a header. */
const MOST_HEADER = 1000 * BLOCK;
/** Lines that say how samples are stored, or that are no longer true of a result. */
const structural =
  /^(SIMPLE|BITPIX|NAXIS\d*|EXTEND|BSCALE|BZERO|BLANK|END|GROUPS|PCOUNT|GCOUNT|DATAMIN|DATAMAX|CHECKSUM|DATASUM|)$/;
/** Integers by their bits and offset: those that have a type of their own. */
const integers: Readonly<Record<string, readonly [SampleKind, SampleDepth]>> = {
  ...{ '8/0': ['uint', 8], '8/-128': ['int', 8], '16/0': ['int', 16], '16/32768': ['uint', 16] },
  ...{ '32/0': ['int', 32], '32/2147483648': ['uint', 32] },
};

/** Reads the header; throws an Error that says why a file cannot be read. */
export function readFitsHeader(bytes: Uint8Array): FitsHeader {
  const values = new Map<string, string>();
  const cards: string[] = [];
  let at = 0;
  for (; ; at += CARD) {
    if (at + CARD > Math.min(bytes.length, MOST_HEADER)) throw new Error('the file ends inside its header');
    const card = latin1(bytes.subarray(at, at + CARD));
    const name = card.slice(0, 8).trimEnd();
    if (name === 'END') break;
    if (card.slice(8, 10) === '= ' && !values.has(name)) values.set(name, card.slice(10).split('/', 1)[0].trim());
    if (!structural.test(name) || (name === '' && card.trim() !== '')) cards.push(card);
  }
  const number = (name: string, otherwise?: number) => {
    const value = Number(values.get(name)?.replace(/D/i, 'E') ?? otherwise ?? Number.NaN);
    if (!Number.isFinite(value)) throw new Error(`its ${name} is ${values.get(name) ?? 'missing'}`);
    return value;
  };
  if (values.get('SIMPLE') !== 'T') throw new Error('it does not follow the standard (SIMPLE)');
  const [bits, dimensions] = [number('BITPIX'), number('NAXIS')];
  if (bits === 64) throw new Error('integers of 64 bits are not read');
  if (![8, 16, 32, -32, -64].includes(bits)) throw new Error(`its BITPIX is ${bits}`);
  if (dimensions === 0)
    throw new Error('its first part holds no image; save the extension that does as a file of its own');
  if (!(dimensions >= 1 && dimensions <= 9)) throw new Error(`its NAXIS is ${dimensions}`);
  const sides = Array.from({ length: dimensions }, (_, i) => number(`NAXIS${i + 1}`));
  if (!sides.every((side) => Number.isInteger(side) && side >= 0)) throw new Error(`its sides are ${sides.join('×')}`);
  const [width, height = 1, channels = 1, ...more] = sides;
  if (more.some((side) => side !== 1)) throw new Error(`${dimensions} dimensions are not read`);
  const [zero, scale] = [number('BZERO', 0), number('BSCALE', 1)];
  const blank = bits > 0 && values.has('BLANK') ? number('BLANK') : undefined;
  const plain = scale === 1 && blank === undefined ? integers[`${bits}/${zero}`] : undefined;
  const float = bits === -32 && scale === 1 && zero === 0 ? 32 : 64;
  const [sample, depth] = plain ?? (['float', float] as const);
  const start = BLOCK * Math.ceil((at + CARD) / BLOCK);
  return {
    width,
    height,
    channels,
    sample,
    depth,
    cards,
    bits,
    zero,
    scale,
    start,
    ...(blank !== undefined && { blank }),
  };
}

/** The bytes from the first sample to the end of the last block of samples. */
export function fitsLength({ width, height, channels, bits }: FitsHeader): number {
  return BLOCK * Math.ceil((width * height * channels * Math.abs(bits)) / 8 / BLOCK);
}

const arrays = {
  uint: { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: Float64Array },
  int: { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: Float64Array },
  float: { 8: Float32Array, 16: Float32Array, 32: Float32Array, 64: Float64Array },
} as const;

/** Decodes the planes of a file whose size is known to be acceptable, rows from the top. */
export function decodeFits(bytes: Uint8Array, header: FitsHeader): RasterSamples[] {
  const { width, height, channels, sample, depth, bits, zero, scale, blank, start } = header;
  const size = Math.abs(bits) / 8;
  if (start + width * height * channels * size > bytes.length) throw new Error('the file ends before its last row');
  const view = viewOf(bytes);
  const plain = zero === 0 && scale === 1;
  const stored = (at: number) => {
    if (bits === 8) return bytes[at];
    if (bits === 16) return view.getInt16(at);
    if (bits === 32) return view.getInt32(at);
    return bits === -32 ? view.getFloat32(at) : view.getFloat64(at);
  };
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new arrays[sample][depth](width * height);
    for (let y = 0; y < height; y++) {
      let at = start + (channel * height + height - 1 - y) * width * size;
      for (let i = y * width; i < (y + 1) * width; i++, at += size) {
        const value = stored(at);
        plane[i] = value === blank ? Number.NaN : plain ? value : zero + scale * value;
      }
    }
    return plane;
  });
}

/** Writes the samples with the lines of a header. */
export function encodeFits(raster: Raster, cards: readonly string[] = []): Uint8Array {
  const { width, height, channels, sample, depth, rows } = raster;
  const bits = sample === 'float' ? (depth === 64 ? -64 : -32) : Math.min(depth, 32);
  const zero = sample === 'float' ? 0 : sample === 'uint' ? (bits === 8 ? 0 : 2 ** (bits - 1)) : bits === 8 ? -128 : 0;
  const number = (name: string, value: number | 'T') => `${name.padEnd(8)}= ${String(value).padStart(20)}`.padEnd(CARD);
  const sides = [width, height, ...(channels > 1 ? [channels] : [])];
  const header = [
    ...[number('SIMPLE', 'T'), number('BITPIX', bits), number('NAXIS', sides.length)],
    ...sides.map((side, i) => number(`NAXIS${i + 1}`, side)),
    ...(zero !== 0 ? [number('BZERO', zero), number('BSCALE', 1)] : []),
    ...cards,
    'END'.padEnd(CARD),
  ].join('');
  const head = bytesOf(header.padEnd(BLOCK * Math.ceil(header.length / BLOCK)));
  const size = Math.abs(bits) / 8;
  const length = width * height * channels * size;
  const body = new Uint8Array(BLOCK * Math.ceil(length / BLOCK));
  const view = viewOf(body);
  for (let y = 0; y < height; y++) {
    const row = rows(y, y + 1);
    for (let channel = 0; channel < channels; channel++) {
      let at = (channel * height + height - 1 - y) * width * size;
      for (let x = 0; x < width; x++, at += size) {
        const value = row[x * channels + channel] - zero;
        if (bits === 8) body[at] = value;
        else if (bits === 16) view.setInt16(at, value);
        else if (bits === 32) view.setInt32(at, value);
        else if (bits === -32) view.setFloat32(at, value);
        else view.setFloat64(at, value);
      }
    }
  }
  return joined([head, body]);
}
