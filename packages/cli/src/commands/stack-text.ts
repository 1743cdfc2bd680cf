/** What a stack is, for people and for programs. */
import type { Stack } from 'ght-images';
import { pagesOf, unitSymbol } from 'ght-images';
import { count } from '../output/table.js';

/** The axes, such as `10 t × 3 c × 5 z`. */
export function axesText({ axes }: Pick<Stack, 'axes'>): string {
  return axes.map(({ name, length }) => `${count(length)} ${name}`).join(' × ') || '1 page';
}

/** Rows about a stack: its pages, its scales, its channels and labels. */
export function stackRows(stack: Stack): [string, string][] {
  const { axes, name, channels, labels } = stack;
  const steps = axes.flatMap(({ name: axis, step, unit }) =>
    step === undefined ? [] : [`${axis}: ${measureOf(step)}${unit ? ` ${unitSymbol(unit)}` : ''}`],
  );
  const rows: [string, string | undefined][] = [
    ['stack', `${count(pagesOf(stack))} pages, ${axesText(stack)}`],
    ['name', name],
    ['scales', steps.length > 0 ? steps.join(', ') : undefined],
    ['channels', channels?.map(channelText).join('; ')],
    ['labels', labels && labels.length > 0 ? labelsText(labels) : undefined],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '');
}

/** The stack for JSON. */
export function stackSummary(stack: Stack): object {
  const { axes, name, channels, labels } = stack;
  return { pages: pagesOf(stack), axes, name: name ?? null, channels: channels ?? null, labels: labels ?? null };
}

function channelText({ name, colour, range }: NonNullable<Stack['channels']>[number], i: number): string {
  const parts = [
    name ?? `channel ${i}`,
    colour && `#${colour}`,
    range && `shown from ${measureOf(range[0])} to ${measureOf(range[1])}`,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** The most labels that are printed. */
const MOST_LABELS = 4;

function labelsText(labels: readonly string[]): string {
  const shown = labels.slice(0, MOST_LABELS).map((label) => label.split('\n', 1)[0]);
  return labels.length > MOST_LABELS ? `${shown.join(', ')}, … (${count(labels.length)})` : shown.join(', ');
}

function measureOf(value: number): string {
  return String(Number(value.toPrecision(6)));
}
