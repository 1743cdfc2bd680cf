import type { HistoryEntry } from 'ght';

/** The extensions of the files to which a history can be written. */
export const historyExtensions: readonly string[] = ['.csv', '.json'];

const columns = ['k', 'rmse', 'threshold', 'kept', 'ms'] as const;

/** The history as a JSON array of `{k, rmse, threshold, kept, ms}` or a CSV table with those columns, depending on the extension. */
export function historyFile(path: string, history: readonly HistoryEntry[]): Buffer {
  if (path.toLowerCase().endsWith('.json')) return Buffer.from(`${JSON.stringify(history, columns.slice(), 2)}\n`);
  return Buffer.from(csv([{ name: '', history }]));
}

/** Several histories in one table. If they have names, the first column is the solver. */
export function csv(runs: readonly { readonly name: string; readonly history: readonly HistoryEntry[] }[]): string {
  const named = runs.some(({ name }) => name !== '');
  const rows = runs.flatMap(({ name, history }) =>
    history.map((entry) => [...(named ? [name] : []), ...columns.map((column) => entry[column] ?? '')].join(',')),
  );
  return `${[[...(named ? ['solver'] : []), ...columns].join(','), ...rows].join('\n')}\n`;
}
