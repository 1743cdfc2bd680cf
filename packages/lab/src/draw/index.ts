import { type ExperimentName, experimentNames } from '../catalogue.js';
import type { Report } from '../report.js';
import { page } from './page.js';
import { namePictures, pngBytes, reportJson } from './pictures.js';
import type { Section } from './section.js';
import { drawings } from './sections/index.js';
import { tableCsv } from './table.js';

/**
 * A report as files, by name: `report.html`, which is self-contained, `report.json`, and every plot, picture and table as a
 * file of its own; `report.json` lists them. The same report gives the same bytes.
 */
export function reportFiles(report: Report): Map<string, string | Uint8Array> {
  const sections = new Map<ExperimentName, Section>();
  for (const name of experimentNames) {
    const data = report.findings[name];
    if (data !== undefined) sections.set(name, (drawings[name] as (data: unknown) => Section)(data));
  }
  const pictures = namePictures(report.findings);
  const files = new Map<string, string | Uint8Array>();
  for (const { figures, tables } of sections.values()) {
    for (const { name, svg } of figures) files.set(`figures/${name}.svg`, svg);
    for (const table of tables) files.set(`tables/${table.name}.csv`, tableCsv(table));
  }
  for (const [picture, name] of pictures) files.set(name, pngBytes(picture));
  return new Map<string, string | Uint8Array>([
    ['report.html', page(report, sections)],
    ['report.json', reportJson(report, pictures, [...files.keys()])],
    ...files,
  ]);
}
