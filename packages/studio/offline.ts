import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Tells the service worker which files the page consists of, once all of them are written. The model for colour is as large as all others
 * together, and is loaded where it is used.
 */
export function listForOffline(folder: string): Plugin {
  return {
    name: 'list-for-offline',
    apply: 'build',
    closeBundle() {
      const path = join(folder, 'service-worker.js');
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'service-worker.js' && !/^colour-.*\.npz$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort();
      const hash = createHash('sha256');
      for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
      const script = readFileSync(path, 'utf8')
        .replace('const files = [];', `const files = ${JSON.stringify(['./', ...files])};`)
        .replace("'development'", `'${hash.digest('hex').slice(0, 12)}'`);
      writeFileSync(path, script);
    },
  };
}
