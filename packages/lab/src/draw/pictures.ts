import type { Report } from '../report.js';
import type { Picture } from '../setting.js';
import { type Content, html, type Markup } from './markup.js';

/** The file name of every picture in the findings, from its path there: `close-up-results-2`. */
export function namePictures(findings: Report['findings']): Map<Picture, string> {
  const names = new Map<Picture, string>();
  const visit = (value: unknown, path: readonly string[]) => {
    if (typeof value !== 'object' || value === null) return;
    if (isPicture(value)) names.set(value, `figures/${path.join('-')}.png`);
    else if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, [...path, String(i + 1)]);
    else
      for (const [key, item] of Object.entries(value)) visit(item, key === 'picture' ? path : [...path, dashed(key)]);
  };
  visit(findings, []);
  return names;
}

/** The bytes of a picture's PNG. */
export function pngBytes({ png }: Picture): Uint8Array {
  return new Uint8Array(Buffer.from(png, 'base64'));
}

/** The report as JSON, with a file name in place of the data of every picture, and a list of all files. */
export function reportJson(report: Report, names: ReadonlyMap<Picture, string>, files: readonly string[]): string {
  const replace = (_: string, value: unknown) => {
    const name = isPicture(value) && names.get(value);
    return name ? { ...(value as Picture), png: name } : value;
  };
  return `${JSON.stringify({ ...report, files }, replace, 2)}\n`;
}

/** A picture embedded in the page. */
export function img({ width, height, png }: Picture, alt: string): Markup {
  const size = html`width="${width}" height="${height}"`;
  return html`<img src="data:image/png;base64,${png}" ${size} alt="${alt}"${width <= 64 && html` class="pixels"`}>`;
}

/** A picture with a caption. */
export function pictureHtml(picture: Picture, alt: string, caption: Content): Markup {
  return html`<figure>${img(picture, alt)}<figcaption>${caption}</figcaption></figure>\n`;
}

function isPicture(value: unknown): value is Picture {
  return typeof value === 'object' && value !== null && 'png' in value && 'width' in value;
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
