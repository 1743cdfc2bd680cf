import { readFile, rm } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { EnvironmentError } from 'ght';
import { checkFolder, checkOutput, makeFolder, writeFileAtomically } from 'ght-images/node';
import type { Outputs, ReportStore } from 'ght-lab';

/** Makes the folder of a report, and refuses before the work a place where its files could not be written. */
export async function prepareReportFolder(folder: string, { files, folders }: Outputs): Promise<void> {
  await makeFolder(folder);
  for (const place of new Set(files.map(dirname))) await makeFolder(join(folder, place));
  for (const place of folders) await checkFolder(join(folder, place));
  for (const name of files) await checkOutput(join(folder, name), [extname(name)]);
}

/** The folder that `-o` names, as the place where a run keeps its files. */
export function reportFolder(folder: string): ReportStore {
  return {
    read: (name) => readFile(join(folder, name), 'utf8').catch(() => undefined),
    async write(name, content) {
      const path = join(folder, name);
      await makeFolder(dirname(path));
      await writeFileAtomically(path, Buffer.from(content), '-o');
    },
    async remove(name) {
      const path = join(folder, name);
      await rm(path, { force: true }).catch((cause: NodeJS.ErrnoException) => {
        const rule = `must be a folder whose files can be replaced (${cause.code})`;
        throw new EnvironmentError('-o', rule, path, 'choose another folder', { cause });
      });
    },
  };
}
