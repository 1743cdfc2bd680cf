import type { HistoryEntry } from 'ght';

/** The extensions a history can be written to. */
export const historyExtensions: readonly string[] = ['.csv', '.json'];

const columns = ['k', 'rmse', 'threshold', 'kept', 'ms'] as const;

/** The history as an array of `{k, rmse, threshold, kept, ms}` or as a table with those columns, by the file's name. */
export function historyFile(path: string, history: readonly HistoryEntry[]): Buffer {
  if (path.toLowerCase().endsWith('.json')) return Buffer.from(`${JSON.stringify(history, columns.slice(), 2)}\n`);
  return Buffer.from(csv([{ name: '', history }]));
}

/** Several histories in one table, with a first column that names the solver when there are names. */
export function csv(runs: readonly { readonly name: string; readonly history: readonly HistoryEntry[] }[]): string {
  const named = runs.some(({ name }) => name !== '');
  const rows = runs.flatMap(({ name, history }) =>
    history.map((entry) => [...(named ? [name] : []), ...columns.map((column) => entry[column] ?? '')].join(',')),
  );
  return `${[[...(named ? ['solver'] : []), ...columns].join(','), ...rows].join('\n')}\n`;
}
