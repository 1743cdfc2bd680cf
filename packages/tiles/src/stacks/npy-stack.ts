/** `.npy` arrays of three to five dimensions as stacks, whose axes are given by letters such as `tczyx`. */
import { readNpy } from 'ght/npy';
import { cut } from 'ght/plans';
import { type ByteSource, type PageAxis, pagesOf, type Refuse, type Stack, toPlanes } from 'ght-images';
import type { Picture } from '../picture.js';
import { type CheckSize, kindOf, type PageReader } from './stack-source.js';

/** The header of a `.npy` is shorter than this. */
const HEAD_BYTES = 2 ** 14;

/** The samples of each type; floats of 16 bits come as floats of 32. */
const types: Readonly<Record<string, Pick<Picture, 'sample' | 'depth'>>> = {
  ...{ u1: { sample: 'uint', depth: 8 }, u2: { sample: 'uint', depth: 16 }, u4: { sample: 'uint', depth: 32 } },
  ...{ i1: { sample: 'int', depth: 8 }, i2: { sample: 'int', depth: 16 }, i4: { sample: 'int', depth: 32 } },
  ...{ f2: { sample: 'float', depth: 32 }, f4: { sample: 'float', depth: 32 }, f8: { sample: 'float', depth: 64 } },
};

/** Letters for the axes of a stack: those of pages in any order, then y and x, and perhaps the channels of a pixel. */
export function isStackAxes(letters: string): boolean {
  return /^[tcz]+yxc?$/.test(letters) && new Set(letters).size === letters.length;
}

/** The pages of an array. */
export async function npyStack(
  source: ByteSource,
  axes: string,
  refuse: Refuse,
  checkSize: CheckSize,
): Promise<PageReader> {
  const head = Buffer.from(await source.read(0, Math.min(HEAD_BYTES, source.size)));
  const [, descr] = /'descr': '([^']+)'/.exec(head.toString('latin1')) ?? [];
  const shape = (/'shape': \(([\d, ]*)\)/.exec(head.toString('latin1'))?.[1].match(/\d+/g) ?? []).map(Number);
  const [, code = ''] = /^[<>|]([uif]\d)$/.exec(descr ?? '') ?? [];
  if (!(code in types)) {
    const rule = `must hold integers of 8 to 32 bits or floats, not ${descr ?? 'anything else'}`;
    throw refuse(rule, "convert it, for example with array.astype('float32')");
  }
  if (/'fortran_order': True/.test(head.toString('latin1'))) {
    throw refuse('must have its pages one after the other', 'save it again with numpy.ascontiguousarray');
  }
  if (shape.length !== axes.length) {
    const rule = `must have the ${axes.length} dimensions of ${axes}, not ${shape.join('×') || 'a single number'}`;
    throw refuse(rule, 'give --axes a letter for each dimension');
  }
  const start = head[6] === 1 ? 10 + head.readUInt16LE(8) : 12 + head.readUInt32LE(8);
  const page = axes.indexOf('y');
  const [height, width, channels = 1] = shape.slice(page);
  const { sample, depth } = types[code];
  const length = width * height * channels * Number(code[1]);
  const stack: Stack = {
    axes: [...axes.slice(0, page)].map((name, i) => ({ name: name as PageAxis, length: shape[i] })),
  };
  const pages = pagesOf(stack);
  if (pages === 0) throw refuse('must have at least one page', 'give another array');
  if (source.size !== start + pages * length) {
    const rule = `must hold the ${pages * length} bytes of its shape ${shape.join('×')}, not ${source.size - start}`;
    throw refuse(rule, 'fetch or save it again');
  }
  checkSize({ width, height, channels, depth, bytes: source.size }, refuse);
  const kind = kindOf({ width, height, channels, alpha: false, sample, depth });
  return {
    ...{ stack, picture: { ...kind, ...(channels === 1 ? {} : { metadata: { axes: 'HWC' } }) }, format: 'npy' },
    kept: { axes },
    async decode(number, signal, at = { left: 0, top: 0, width, height }) {
      const row = length / height;
      const samples = await source.read(start + number * length + at.top * row, at.height * row, signal);
      const { data } = readNpy(framed(descr ?? '', [at.height, width, channels], samples));
      const rows = { ...at, left: 0, width };
      const planes = toPlanes(data, channels).map((plane) => cut(plane, rows, at));
      const facts = { alpha: false, sample, depth, orientation: 1, metadata: {} } as const;
      return { width: at.width, height: at.height, planes, ...facts };
    },
  };
}

/** Samples as an array of their own. */
function framed(descr: string, shape: readonly number[], samples: Uint8Array): Uint8Array {
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  return Buffer.concat([npyHead(dictionary), samples]);
}

/** The beginning of a `.npy`, whose items begin at a multiple of 64. */
export function npyHead(dictionary: string): Buffer {
  const text = `${dictionary.padEnd(64 * Math.ceil((dictionary.length + 11) / 64) - 11)}\n`;
  const head = Buffer.alloc(10);
  head.set([0x93, ...Buffer.from('NUMPY'), 1, 0]);
  head.writeUInt16LE(text.length, 8);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** The letters of the axes of a stack, for an array of its pages. */
export function npyAxes(stack: Stack, channels: number): string {
  const names = stack.axes.map(({ name }) => name);
  return `${names.join('')}yx${channels > 1 ? 'c' : ''}`;
}
