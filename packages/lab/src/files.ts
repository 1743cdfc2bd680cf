import type { ExperimentName } from './catalogue.js';
import { reportFiles } from './draw/index.js';
import { finishedFile } from './finished.js';
import type { Report } from './report.js';
import type { ReportStore } from './store.js';

/** What a run of these experiments writes, so that a place where it could not be written is refused before the work. */
export function outputsOf(names: readonly ExperimentName[]): Outputs {
  return {
    files: [...names.map(finishedFile), 'report.html', 'report.json'],
    folders: ['figures', 'tables'],
  };
}

/** Names in a `ReportStore`. */
export interface Outputs {
  /** Files that every such run writes. */
  readonly files: readonly string[];
  /** Folders of files whose names depend on the findings. */
  readonly folders: readonly string[];
}

/**
 * Writes the files of a report and removes the figures and tables of the one before it that this one does not have. Gives
 * the files it wrote. `report.json`, which names them all, comes last: if the run is killed, the next one still knows
 * what there was.
 */
export async function writeReport(report: Report, store: ReportStore): Promise<ReturnType<typeof reportFiles>> {
  const files = reportFiles(report);
  const before = await filesOfEarlierReport(store);
  for (const [name, content] of files) if (name !== 'report.json') await store.write(name, content);
  // What cannot be removed stays: it does no harm.
  for (const name of before) if (!files.has(name)) await store.remove(name).catch(() => {});
  await store.write('report.json', files.get('report.json') ?? '');
  return files;
}

const BESIDE_REPORT = /^(figures|tables)\/[a-z0-9-]+\.(svg|png|csv)$/;

/** The figures and tables that the report in the store says it has: names in those two folders, whatever else it says. */
async function filesOfEarlierReport(store: ReportStore): Promise<string[]> {
  const text = await store.read('report.json');
  try {
    const names: unknown = JSON.parse(text ?? 'null')?.files;
    if (!Array.isArray(names)) return [];
    return names.filter((name) => typeof name === 'string' && BESIDE_REPORT.test(name));
  } catch {
    return [];
  }
}
