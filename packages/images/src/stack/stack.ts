/** Stacks: pages of one size and kind, one after the other along time, channel and depth. */

/** The axes along which pages follow each other: time, channel and depth. */
export const pageAxes = ['t', 'c', 'z'] as const;

/** An axis along which pages follow each other. */
export type PageAxis = (typeof pageAxes)[number];

/** An axis of a stack. */
export interface StackAxis {
  /** Which one it is. */
  readonly name: PageAxis;
  /** The number of pages along it. */
  readonly length: number;
  /** From one page to the next, in `unit`; left out if the file does not say. */
  readonly step?: number;
  /** The unit of `step` by its name in OME-Zarr, such as `micrometer` or `second`. */
  readonly unit?: string;
}

/** What is known about a channel that has pages of its own. */
export interface StackChannel {
  /** Such as `DAPI`. */
  readonly name?: string;
  /** The colour of its highest value, such as `00FF00`. */
  readonly colour?: string;
  /** The samples that are shown as black and as the full colour. */
  readonly range?: readonly [black: number, full: number];
}

/** What a file says about its pages besides their samples. */
export interface Stack {
  /** The slowest first: pages count along the last one first. */
  readonly axes: readonly StackAxis[];
  /** The name of the image. */
  readonly name?: string;
  /** One for each place along `c`. */
  readonly channels?: readonly StackChannel[];
  /** A label for each page. */
  readonly labels?: readonly string[];
}

/** The number of places along an axis; 1 if the stack does not have it. */
export function lengthOf({ axes }: Pick<Stack, 'axes'>, name: PageAxis): number {
  return axes.find((axis) => axis.name === name)?.length ?? 1;
}

/** The number of pages. */
export function pagesOf({ axes }: Pick<Stack, 'axes'>): number {
  return axes.reduce((product, { length }) => product * length, 1);
}

/** A place along each axis, from 0; 0 if left out. */
export type PagePlace = Readonly<Partial<Record<PageAxis, number>>>;

/** The number of the page at a place. */
export function pageAt({ axes }: Pick<Stack, 'axes'>, place: PagePlace): number {
  return axes.reduce((page, { name, length }) => page * length + (place[name] ?? 0), 0);
}

/** The place of a page. */
export function placeOf({ axes }: Pick<Stack, 'axes'>, page: number): PagePlace {
  const place: Partial<Record<PageAxis, number>> = {};
  for (let rest = page, i = axes.length - 1; i >= 0; i--) {
    place[axes[i].name] = rest % axes[i].length;
    rest = Math.floor(rest / axes[i].length);
  }
  return place;
}

/** What comes page by page, such as labels, in the order of pages of other axes. */
export function reordered<Item>(items: readonly Item[], from: Pick<Stack, 'axes'>, to: Pick<Stack, 'axes'>): Item[] {
  const result: Item[] = [];
  for (const [page, item] of items.entries()) result[pageAt(to, placeOf(from, page))] = item;
  return result;
}

/** The units that files name, by their names in OME-Zarr. */
const units: Readonly<Record<string, readonly string[]>> = {
  ...{
    angstrom: ['å', 'angstrom'],
    nanometer: ['nm'],
    micrometer: ['µm', 'μm', 'um', 'micron', 'microns', '\\u00b5m'],
  },
  ...{ millimeter: ['mm'], centimeter: ['cm'], meter: ['m'], inch: ['in', 'inch'] },
  ...{ microsecond: ['µs', 'μs', 'us', 'usec'], millisecond: ['ms', 'msec'], second: ['s', 'sec'] },
  ...{ minute: ['min'], hour: ['h', 'hr'], day: ['d'] },
};

/** A unit by its name in OME-Zarr; undefined for one that is not known. */
export function unitNamed(text: string): string | undefined {
  const wanted = text.trim().toLowerCase();
  return Object.keys(units).find((name) => name === wanted || units[name].includes(wanted));
}

/** The symbol of a unit, such as `µm`. */
export function unitSymbol(name: string): string {
  return units[name]?.[0] ?? name;
}
