import type { HistoryEntry } from 'ght';

const columns = ['k', 'rmse', 'threshold', 'kept', 'ms'] as const;

/** Histories as one table, with a first column for the solver if there are several. */
export function historyCsv(
  runs: readonly { readonly name: string; readonly history: readonly HistoryEntry[] }[],
): string {
  const named = runs.length > 1;
  const rows = runs.flatMap(({ name, history }) =>
    history.map((entry) => [...(named ? [name] : []), ...columns.map((column) => entry[column] ?? '')].join(',')),
  );
  return `${[[...(named ? ['solver'] : []), ...columns].join(','), ...rows].join('\n')}\n`;
}
