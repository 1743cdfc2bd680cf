import type { ReportStore } from '../src/index.js';

/** A store in memory: its files, and a log of the operations. */
export interface MemoryStore extends ReportStore {
  readonly files: Map<string, string | Uint8Array>;
  readonly log: string[];
}

/** A store in memory with these files. */
export function memoryStore(held: Readonly<Record<string, string>> = {}): MemoryStore {
  const files = new Map<string, string | Uint8Array>(Object.entries(held));
  const log: string[] = [];
  return {
    files,
    log,
    async read(name) {
      return files.has(name) ? String(files.get(name)) : undefined;
    },
    async write(name, content) {
      log.push(`write ${name}`);
      files.set(name, content);
    },
    async remove(name) {
      log.push(`remove ${name}`);
      files.delete(name);
    },
  };
}
