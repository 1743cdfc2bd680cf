import { escapeText } from './markup.js';

/** Attributes that hold lengths and paths, for which two decimals are enough. */
const GEOMETRY = /^(d|transform|[xyr]|[xy][12]|dx|dy|c[xy]|width|height|points)$/;

/**
 * An SVG element as text that reads well in a diff: one element per line, attributes in the order they were set, lengths
 * rounded. Styles are left out, since the drawing uses attributes only, and so are tick labels without text.
 */
export function serialise(element: Element, indent = ''): string {
  const name = element.localName;
  const opening = `${indent}<${name}${attributes(element)}`;
  const children = [...element.children].filter(isDrawn);
  if (children.length > 0) {
    return `${opening}>\n${children.map((child) => serialise(child, `${indent}  `)).join('')}${indent}</${name}>\n`;
  }
  const text = element.textContent ?? '';
  return text === '' ? `${opening}/>\n` : `${opening}>${escapeText(text)}</${name}>\n`;
}

function isDrawn(element: Element): boolean {
  return element.localName !== 'style' && !(element.localName === 'text' && element.textContent === '');
}

function attributes(element: Element): string {
  // This DOM lists the attribute set last first.
  return [...element.attributes]
    .reverse()
    .map(({ name, value }) => ` ${name}="${escapeText(GEOMETRY.test(name) ? rounded(value) : value)}"`)
    .join('');
}

function rounded(value: string): string {
  return value.replace(/-?\d*\.\d+(e[-+]?\d+)?/g, (number) => String(Number(Number(number).toFixed(2)) + 0));
}
