import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The packages whose code is in the bundle, in the page or its workers, each with its folder. */
const bundled = new Map<string, string>();

/** Records which packages a bundle contains; used as a plugin of both the page and its workers. */
export function noteLicences(): Plugin {
  return {
    name: 'note-licences',
    apply: 'build',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of chunk.moduleIds) {
          const folder = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id.replace(/^\0/, ''));
          if (folder) bundled.set(folder[2], folder[1]);
        }
      }
    },
  };
}

/** Writes the licences of all of them beside the page, as most of them require. */
export function writeLicences(path: string): Plugin {
  return {
    name: 'write-licences',
    apply: 'build',
    closeBundle() {
      const parts = [...bundled].sort().map(([name, folder]) => {
        const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
        const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package contains no licence text.';
        return `${name} ${version} (${license})\n\n${text}\n`;
      });
      writeFileSync(path, `The page contains code of these packages.\n\n${parts.join('\n---\n\n')}`);
    },
  };
}
