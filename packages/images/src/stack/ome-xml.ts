/** OME-XML, the description of an OME-TIFF: its axes, scales and channels. Only the elements that these need are looked at. */
import type { Refuse } from '../refuse.js';
import {
  type PageAxis,
  pageAt,
  type Stack,
  type StackAxis,
  type StackChannel,
  unitNamed,
  unitSymbol,
} from './stack.js';

/** Whether a description is OME-XML. */
export function isOme(description: string): boolean {
  return /<OME\b/.test(description);
}

/** The attributes of the elements of a name, one after the other. */
function elements(xml: string, name: string): ReadonlyMap<string, string>[] {
  return [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])([^>]*)>`, 'g'))].map(
    ([, inside]) => new Map([...inside.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(attribute)),
  );
}

function attribute([, name, double, single]: RegExpMatchArray): [string, string] {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  const text = (double ?? single).replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, named) => {
    if (named) return entities[named] ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
  return [name, text];
}

const withoutComments = (xml: string) => xml.replace(/<!--[\s\S]*?-->/g, '');

/** A stack of OME-XML. */
export interface OmeStack extends Stack {
  /** The directory in the file of each page; left out if they are in order. */
  readonly directories?: readonly number[];
}

/** The stack that the OME-XML of a file with this many directories describes. What cannot be read as one stack is refused. */
export function omeStack(description: string, directories: number, refuse: Refuse): OmeStack {
  const xml = withoutComments(description);
  const pixels = elements(xml, 'Pixels');
  if (pixels.length !== 1) {
    const remedy = 'choose pages with --pages, or save the image you want as a file of its own';
    throw refuse(`must hold one image in its OME-XML, not ${pixels.length}`, remedy);
  }
  const [own] = pixels;
  const order = own.get('DimensionOrder') ?? '';
  const slowest = [...order.slice(2)].reverse().map((letter) => letter.toLowerCase()) as PageAxis[];
  if (!/^XY(?=.*Z)(?=.*C)(?=.*T)[ZCT]{3}$/.test(order)) {
    throw refuse(`must have an order of dimensions such as XYZCT, not "${order.slice(0, 20)}"`, 'save it again');
  }
  const described = elements(xml, 'Channel');
  const samples = Math.max(1, Number(described[0]?.get('SamplesPerPixel') ?? 1));
  const size = (name: PageAxis) => Number(own.get(`Size${name.toUpperCase()}`) ?? 1) / (name === 'c' ? samples : 1);
  const axes = slowest.map((name): StackAxis => ({ name, length: size(name), ...stepOf(own, name) }));
  const whole = axes.every(({ length }) => Number.isInteger(length) && length > 0);
  const pages = axes.reduce((product, { length }) => product * length, 1);
  if (!whole || pages !== directories) {
    const text = axes.map(({ name, length }) => `${name} = ${length}`).join(', ');
    const rule = `must hold the planes that its OME-XML lists (${text}), but it has ${directories}`;
    throw refuse(rule, 'put the other files of the image into this one, or use --pages all');
  }
  const name = elements(xml, 'Image')[0]?.get('Name');
  const channels = described.map(channelOf);
  const known = samples === 1 && channels.length === size('c') && channels.some((each) => Object.keys(each).length > 0);
  const places = directoriesOf(xml, { axes }, pages, refuse);
  return {
    axes: axes.filter(({ length, step }) => length > 1 || step !== undefined),
    ...(name && { name }),
    ...(known && { channels }),
    ...(places.some((directory, page) => directory !== page) && { directories: places }),
  };
}

function stepOf(pixels: ReadonlyMap<string, string>, name: PageAxis): Pick<StackAxis, 'step' | 'unit'> {
  if (name === 'c') return {};
  const [attribute, usual] = name === 't' ? ['TimeIncrement', 's'] : ['PhysicalSizeZ', 'µm'];
  const step = Number(pixels.get(attribute) ?? Number.NaN);
  if (!(step > 0 && Number.isFinite(step))) return {};
  const unit = unitNamed(pixels.get(`${attribute}Unit`) ?? usual);
  return { step, ...(unit && { unit }) };
}

function channelOf(channel: ReadonlyMap<string, string>): StackChannel {
  const name = channel.get('Name');
  const colour = channel.get('Color');
  // Red, green, blue and opacity, as a signed number of 32 bits.
  const rgb = colour === undefined ? Number.NaN : (Number(colour) >>> 8) & 0xffffff;
  return {
    ...(name && { name }),
    ...(Number.isFinite(rgb) && { colour: rgb.toString(16).padStart(6, '0').toUpperCase() }),
  };
}

/** The directory of each page. Elements that name neither say that all pages are in order. */
function directoriesOf(xml: string, stack: Pick<Stack, 'axes'>, pages: number, refuse: Refuse): number[] {
  const directories = new Array<number>(pages).fill(Number.NaN);
  const listed = elements(xml, 'TiffData');
  const inOrder = listed.length === 0 || (listed.length === 1 && !listed[0].has('IFD') && !listed[0].has('PlaneCount'));
  if (inOrder) return directories.map((_, page) => page);
  for (const data of listed) {
    const number = (name: string) => Number(data.get(name) ?? 0);
    const first = pageAt(stack, { c: number('FirstC'), z: number('FirstZ'), t: number('FirstT') });
    const count = data.has('PlaneCount') ? number('PlaneCount') : data.has('IFD') ? 1 : pages - first;
    for (let i = 0; i < count && first + i < pages; i++) directories[first + i] = number('IFD') + i;
  }
  if (new Set(directories).size === pages && directories.every((place) => place >= 0 && place < pages)) {
    return directories;
  }
  throw refuse('must have OME-XML with one page of this file for every plane', 'use --pages all, or save it again');
}

/** Samples, by the names that OME-XML has for them. */
const types: Readonly<Record<string, string>> = {
  ...{ uint8: 'uint8', uint16: 'uint16', uint32: 'uint32', int8: 'int8', int16: 'int16', int32: 'int32' },
  ...{ float32: 'float', float64: 'double' },
};

/** What pages are, for OME-XML. */
export interface OmePage {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Samples of a pixel. */
  readonly samples: number;
  /** What a sample is. */
  readonly sample: string;
  /** Bits of a sample. */
  readonly depth: number;
  /** The size of a pixel in micrometres. */
  readonly pixel?: { readonly x: number; readonly y: number };
}

/** The OME-XML of a file as that of its result, which may have other samples and another name. */
export function omeOfResult(
  description: string,
  { sample, depth }: Pick<OmePage, 'sample' | 'depth'>,
  names?: { readonly from: string; readonly to: string },
): string {
  const typed = description.replace(
    /(<(?:\w+:)?Pixels(?=\s)[^>]*?\sType=)(["'])\w+\2/,
    `$1$2${types[`${sample}${depth}`]}$2`,
  );
  if (!names) return typed;
  return typed.replace(/(\bFileName=)(["'])([^"']*)\2/g, (all, before, quote, name) =>
    name === escaped(names.from) ? `${before}${quote}${escaped(names.to)}${quote}` : all,
  );
}

/** The OME-XML of a stack whose pages are in the order of its axes. */
export function omeOf(stack: Stack, page: OmePage): string {
  const { width, height, samples, sample, depth, pixel } = page;
  const { name = 'image', channels } = stack;
  const axis = (wanted: PageAxis) => stack.axes.find((each) => each.name === wanted);
  const fastest = stack.axes.map((each) => each.name).reverse();
  const rest = (['z', 'c', 't'] as const).filter((each) => !fastest.includes(each));
  const [c, z, t] = [axis('c')?.length ?? 1, axis('z'), axis('t')];
  const step = (prefix: string, { step, unit }: Partial<StackAxis> = {}) =>
    step ? ` ${prefix}="${step}"${unit ? ` ${prefix}Unit="${unitSymbol(unit)}"` : ''}` : '';
  const attributes = [
    `DimensionOrder="XY${[...fastest, ...rest].join('').toUpperCase()}" Type="${types[`${sample}${depth}`]}"`,
    `SizeX="${width}" SizeY="${height}" SizeZ="${z?.length ?? 1}" SizeC="${c * samples}" SizeT="${t?.length ?? 1}"`,
  ];
  const scale = pixel
    ? ` PhysicalSizeX="${pixel.x}" PhysicalSizeXUnit="µm" PhysicalSizeY="${pixel.y}" PhysicalSizeYUnit="µm"`
    : '';
  const each = Array.from({ length: c }, (_, i) => {
    const { name: label, colour } = channels?.[i] ?? {};
    const number = colour === undefined ? undefined : (Number.parseInt(`${colour}FF`, 16) | 0).toString();
    return `<Channel ID="Channel:0:${i}"${label ? ` Name="${escaped(label)}"` : ''}${number ? ` Color="${number}"` : ''} SamplesPerPixel="${samples}"/>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
      'xsi:schemaLocation="http://www.openmicroscopy.org/Schemas/OME/2016-06 http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd">',
    `<Image ID="Image:0" Name="${escaped(name)}">`,
    `<Pixels ID="Pixels:0" ${attributes.join(' ')}${scale}${step('PhysicalSizeZ', z)}${step('TimeIncrement', t)}>`,
    ...each,
    '<TiffData/></Pixels></Image></OME>',
  ].join('');
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text.replace(/[&<>"']/g, (letter) => entities[letter]);
}
