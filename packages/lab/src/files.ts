import type { ExperimentName } from './catalogue.js';
import { reportFiles } from './draw/index.js';
import { finishedFile } from './finished.js';
import type { Report } from './report.js';
import type { ReportStore } from './store.js';

/** The files that a run of these experiments writes, so that an unwritable place is rejected before the work. */
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
 * Writes the files of a report and removes figures and tables of the previous report that this one does not have. Returns
 * the files written. `report.json`, which lists them all, is written last: if the run is killed, the next run still knows
 * the previous files.
 */
export async function writeReport(report: Report, store: ReportStore): Promise<ReturnType<typeof reportFiles>> {
  const files = reportFiles(report);
  const before = await filesOfEarlierReport(store);
  for (const [name, content] of files) if (name !== 'report.json') await store.write(name, content);
  // Files that cannot be removed are left: they do no harm.
  for (const name of before) if (!files.has(name)) await store.remove(name).catch(() => {});
  await store.write('report.json', files.get('report.json') ?? '');
  return files;
}

const BESIDE_REPORT = /^(figures|tables)\/[a-z0-9-]+\.(svg|png|csv)$/;

/** The figures and tables listed in the report in the store; only names in those two folders are used. */
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
