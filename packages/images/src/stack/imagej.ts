/**
 * Stacks of ImageJ: the description of the first page says how pages follow each other, and two private tags have what does not fit in
 * it: labels, ranges, lookup tables, and overlays.
 */
import type { Stack, StackAxis, StackChannel } from './stack.js';
import { unitNamed, unitSymbol } from './stack.js';

/** What the private tags of ImageJ hold, little-endian: the bytes of the header and of each entry, one after the other. */
export interface ImageJMetadata {
  /** The length of the header, and of each entry. */
  readonly counts: readonly number[];
  /** All of them. */
  readonly bytes: Uint8Array;
}

/** The value of a line of the description. */
function lineOf(description: string, name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(description)?.[1].trim();
}

/** Whether a description is one of ImageJ. */
export function isImageJ(description: string): boolean {
  return /^ImageJ=/.test(description);
}

/** A number of the description that is finite and above 0. */
function positive(description: string, name: string): number | undefined {
  const value = Number(lineOf(description, name) ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The stack that a description of ImageJ announces; undefined if its axes do not have this many pages. Channels count first. */
export function imageJStack(description: string, pages: number, metadata?: ImageJMetadata): Stack | undefined {
  if (!isImageJ(description)) return undefined;
  const count = (name: string) => Number(lineOf(description, name) ?? 1);
  const [channels, frames] = [count('channels'), count('frames')];
  // Older versions write neither for a plain stack, which is one of slices.
  const slices = lineOf(description, 'slices') === undefined && channels * frames === 1 ? pages : count('slices');
  if (![channels, slices, frames].every((value) => Number.isInteger(value) && value > 0)) return undefined;
  if (channels * slices * frames !== pages) return undefined;
  const unit = unitNamed(lineOf(description, 'unit') ?? '');
  const [spacing, interval, rate] = ['spacing', 'finterval', 'fps'].map((name) => positive(description, name));
  const seconds = interval ?? (rate && 1 / rate);
  const all: StackAxis[] = [
    {
      ...{ name: 't', length: frames },
      ...(seconds && { step: seconds, unit: unitNamed(lineOf(description, 'tunit') ?? '') ?? 'second' }),
    },
    { name: 'z', length: slices, ...(spacing && { step: spacing, ...(unit && { unit }) }) },
    { name: 'c', length: channels },
  ];
  const parts = metadata ? entriesOf(metadata) : [];
  const labels = parts.filter(({ type }) => type === 'labl').map(({ bytes }) => textOf(bytes));
  const known = channelsOf(description, parts, channels);
  return {
    axes: all.filter(({ length, step }) => length > 1 || step !== undefined),
    ...(labels.length === pages && { labels }),
    ...(known && { channels: known }),
  };
}

function channelsOf(description: string, parts: readonly Entry[], count: number): StackChannel[] | undefined {
  const ranges = parts.find(({ type }) => type === 'rang');
  const view = ranges && viewOf(ranges.bytes);
  const tables = parts.filter(({ type }) => type === 'luts');
  const one = [Number(lineOf(description, 'min') ?? Number.NaN), Number(lineOf(description, 'max') ?? Number.NaN)];
  const channels = Array.from({ length: count }, (_, c): StackChannel => {
    const table = tables[c]?.bytes;
    const hex = (value: number) => value.toString(16).padStart(2, '0').toUpperCase();
    const range =
      view && view.byteLength >= 16 * (c + 1)
        ? [view.getFloat64(16 * c, true), view.getFloat64(16 * c + 8, true)]
        : one;
    return {
      ...(table?.length === 768 && { colour: [255, 511, 767].map((at) => hex(table[at])).join('') }),
      ...((view || count === 1) && range.every(Number.isFinite) && { range: [range[0], range[1]] }),
    };
  });
  return channels.some((channel) => Object.keys(channel).length > 0) ? channels : undefined;
}

/** An entry of the private tags: its type, such as `labl`, and its bytes. */
interface Entry {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The entries; none if the tags are damaged. */
function entriesOf({ counts, bytes }: ImageJMetadata): Entry[] {
  const [head = 0, ...lengths] = counts;
  const total = counts.reduce((sum, length) => sum + length, 0);
  if (head < 12 || total > bytes.length || textIn(bytes, 0) !== 'JIJI') return [];
  const view = viewOf(bytes);
  const entries: Entry[] = [];
  let [next, from] = [0, head];
  for (let at = 4; at + 8 <= head; at += 8) {
    const type = [...textIn(bytes, at)].reverse().join('');
    for (let left = view.getUint32(at + 4, true); left > 0 && next < lengths.length; left--, next++) {
      entries.push({ type, bytes: bytes.slice(from, from + lengths[next]) });
      from += lengths[next];
    }
  }
  return entries;
}

/** The tags of entries. Those of one type lie together. */
function tagsOf(entries: readonly Entry[]): ImageJMetadata {
  const types = [...new Set(entries.map(({ type }) => type))];
  const sorted = types.flatMap((type) => entries.filter((entry) => entry.type === type));
  const head = new Uint8Array(4 + 8 * types.length);
  const view = viewOf(head);
  const put = (text: string, at: number) => head.set(new TextEncoder().encode([...text].reverse().join('')), at);
  put('IJIJ', 0);
  for (const [i, type] of types.entries()) {
    put(type, 4 + 8 * i);
    view.setUint32(8 + 8 * i, sorted.filter((entry) => entry.type === type).length, true);
  }
  const parts = [head, ...sorted.map(({ bytes }) => bytes)];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { counts: parts.map(({ length }) => length), bytes };
}

/** The bytes of a number in the entries of a type; 1 for those that have one order of bytes in all files. */
const numberSizes: Readonly<Record<string, number>> = { info: 2, labl: 2, prop: 2, rang: 8 };

/** The private tags of a file as those of a little-endian file. Undefined if they are damaged. */
export function imageJInLittleEndian(
  counts: readonly number[],
  stored: Uint8Array,
  littleEndian: boolean,
): ImageJMetadata | undefined {
  const bytes = new Uint8Array(stored);
  if (!littleEndian) {
    const head = Math.min(counts[0] ?? 0, bytes.length);
    for (let at = 0; at + 4 <= head; at += 4) bytes.subarray(at, at + 4).reverse();
    let from = head;
    for (const entry of entriesOf({ counts, bytes })) {
      const size = numberSizes[entry.type] ?? 1;
      for (let at = 0; at + size <= entry.bytes.length; at += size) {
        bytes.subarray(from + at, from + at + size).reverse();
      }
      from += entry.bytes.length;
    }
  }
  const metadata = { counts: [...counts], bytes };
  return entriesOf(metadata).length > 0 ? metadata : undefined;
}

/** Whether ImageJ has samples of a kind. */
export function fitsImageJ({ sample, depth }: { readonly sample: string; readonly depth: number }): boolean {
  return sample === 'float' ? depth === 32 : sample === 'uint' && depth <= 16;
}

/** The order in which ImageJ counts pages, the slowest first. */
export const imageJOrder = ['t', 'z', 'c'] as const;

/** The description and the private tags of a stack whose pages are in the order of ImageJ. `unit` is that of the size of a pixel. */
export function imageJOf(
  { axes, channels, labels }: Stack,
  unit: string | undefined,
): { readonly description: string; readonly imageJ?: ImageJMetadata } {
  const [frames, slices, bands] = imageJOrder.map((name) => axes.find((axis) => axis.name === name));
  const pages = axes.reduce((product, { length }) => product * length, 1);
  const hyper = axes.filter(({ length }) => length > 1).length > 1;
  const [first] = channels ?? [];
  const lines = [
    ...['ImageJ=1.54f', `images=${pages}`],
    ...(bands && bands.length > 1 ? [`channels=${bands.length}`] : []),
    ...(slices && slices.length > 1 ? [`slices=${slices.length}`] : []),
    ...(frames && frames.length > 1 ? [`frames=${frames.length}`] : []),
    ...(hyper ? ['hyperstack=true'] : []),
    ...(bands && bands.length > 1 ? ['mode=composite'] : []),
    ...(unit ? [`unit=${unit === 'micrometer' ? 'micron' : unitSymbol(unit)}`] : []),
    ...(slices?.step ? [`spacing=${slices.step}`] : []),
    ...(frames?.step ? [`finterval=${frames.step}`, ...(frames.unit ? [`tunit=${unitSymbol(frames.unit)}`] : [])] : []),
    'loop=false',
    ...(first?.range ? [`min=${first.range[0]}`, `max=${first.range[1]}`] : []),
  ];
  const names = labels ?? (channels?.some(({ name }) => name) ? namesOfPages(pages, channels) : []);
  const entries: Entry[] = names.map((label) => ({ type: 'labl', bytes: bytesOf(label) }));
  if (channels?.every(({ range }) => range)) {
    const numbers = Float64Array.from(channels.flatMap(({ range = [0, 0] }) => [...range]));
    entries.push({ type: 'rang', bytes: new Uint8Array(numbers.buffer) });
  }
  if (channels?.every(({ colour }) => colour)) {
    for (const { colour = '' } of channels) entries.push({ type: 'luts', bytes: tableOf(colour) });
  }
  const description = `${lines.join('\n')}\n`;
  return entries.length > 0 ? { description, imageJ: tagsOf(entries) } : { description };
}

/** The names of channels as labels of pages, where channels count first. */
function namesOfPages(pages: number, channels: readonly StackChannel[]): string[] {
  return Array.from({ length: pages }, (_, page) => channels[page % channels.length].name ?? '');
}

/** A lookup table from black to a colour: all reds, all greens, all blues. */
function tableOf(colour: string): Uint8Array {
  const parts = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return Uint8Array.from({ length: 768 }, (_, i) => Math.round((parts[i >> 8] * (i & 255)) / 255));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-16le').decode(bytes);
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).buffer);
}

function textIn(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
