/** A figure of the page as an SVG file: its canvases as images, its drawings as shapes, its labels as text. Controls are left out. */

const NS = 'http://www.w3.org/2000/svg';
/** The properties of shapes and text that the style sheet sets. */
const PAINT = [
  ...[
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-dasharray',
    'stroke-linejoin',
    'vector-effect',
    'opacity',
  ],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor', 'paint-order'],
] as const;
const CONTROLS = 'input, select, button, label.control, .hidden, [data-control]';
const MARGIN = 12;
/** A document that is never shown: in the page's own, its content security policy would refuse images that are data. */
const apart = document.implementation.createDocument(NS, 'svg');

/** The text of an SVG file that looks like the element. */
export function figureSvg(figure: HTMLElement): string {
  const box = figure.getBoundingClientRect();
  const width = Math.ceil(box.width) + 2 * MARGIN;
  const root = element('svg', { width });
  const back = element('rect', { width, fill: getComputedStyle(document.documentElement).backgroundColor });
  root.append(back);
  let height = 0;
  const place = (rect: DOMRect) => {
    height = Math.max(height, Math.ceil(rect.bottom - box.y) + 2 * MARGIN);
    return { x: round(rect.x - box.x + MARGIN), y: round(rect.y - box.y + MARGIN) };
  };
  for (const each of figure.querySelectorAll('canvas, svg')) {
    if (each.closest(CONTROLS)) continue;
    const rect = each.getBoundingClientRect();
    const at = { ...place(rect), width: round(rect.width), height: round(rect.height) };
    root.append(each instanceof HTMLCanvasElement ? imageOf(each, at) : drawingOf(each as SVGSVGElement, at));
  }
  for (const { text, rect, parent } of linesOf(figure)) {
    const { x, y } = place(rect);
    const style = getComputedStyle(parent);
    // The baseline of a line of text lies at about four fifths of its height.
    const at = { x, y: round(y + 0.79 * rect.height) };
    const font = { 'font-family': style.fontFamily, 'font-size': style.fontSize, 'font-weight': style.fontWeight };
    const label = element('text', { ...at, ...font, fill: style.color });
    label.textContent = text;
    root.append(label);
  }
  // Only now is it known where the last of what is drawn ends.
  for (const each of [root, back]) each.setAttribute('height', String(height));
  root.setAttribute('viewBox', `0 0 ${width} ${height}`);
  return `${new XMLSerializer().serializeToString(root)}\n`;
}

function imageOf(canvas: HTMLCanvasElement, at: Record<string, number>): SVGElement {
  const rendering = getComputedStyle(canvas).imageRendering;
  const href = canvas.toDataURL('image/png');
  return element('image', { ...at, href, preserveAspectRatio: 'none', 'image-rendering': rendering });
}

/** A copy whose shapes carry their colours and fonts themselves. */
function drawingOf(drawing: SVGSVGElement, at: Record<string, number>): SVGElement {
  const copy = apart.importNode(drawing, true);
  const [from, to] = [drawing.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of PAINT) to[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'style', 'tabindex', 'role']) to[i].removeAttribute(name);
  });
  for (const name of ['class', 'style', 'tabindex', 'role']) copy.removeAttribute(name);
  for (const [name, value] of Object.entries({ ...at, overflow: 'visible' })) copy.setAttribute(name, String(value));
  return copy;
}

/** The lines of text in the figure: words of one text node at the same height. */
function linesOf(figure: HTMLElement) {
  const lines: { text: string; rect: DOMRect; parent: Element }[] = [];
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || parent.closest('svg') || parent.closest(CONTROLS)) continue;
    let last: (typeof lines)[number] | undefined;
    for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const rect = range.getBoundingClientRect();
      if (rect.width === 0) continue;
      if (last && Math.abs(last.rect.y - rect.y) < 2) last.text += ` ${word}`;
      else {
        last = { text: word, rect, parent };
        lines.push(last);
      }
    }
  }
  return lines;
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = apart.createElementNS(NS, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
