import { createHash } from 'node:crypto';
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isGhtError } from 'ght';
import type { Scratch } from 'ght/plans';
import { makeFolder, removeStrays, writeFileAtomically } from 'ght-images/node';
import { decodeData, encodeData } from './data.js';

const ending = '.ght-data';
const digestBytes = 32;
/** Longer names would not leave room for the temporary name in the 255 bytes of a file name. */
const LONGEST_NAME = 120;

/**
 * Intermediate results in a folder: a file per key, with a checksum before its content. A file that is damaged, cut off or of another
 * key counts as absent, since everything here can be computed again. `clear` removes these files and nothing else.
 */
export function folderScratch(folder: string, parameter = 'scratch'): Scratch {
  const pathOf = (key: string) => join(folder, fileName(key));
  let made: Promise<unknown> | undefined;
  return {
    async get(key) {
      const bytes = await readFile(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
        throw error;
      });
      return bytes && contentOf(bytes, key);
    },
    async put(key, value) {
      made ??= makeFolder(folder, undefined, parameter);
      await made;
      const content = encodeData({ key, value });
      const file = Buffer.concat([createHash('sha256').update(content).digest(), content]);
      await writeFileAtomically(pathOf(key), file, parameter);
    },
    async clear() {
      await removeStrays(folder, true);
      const names = await readdir(folder).catch(() => []);
      for (const name of names) if (name.endsWith(ending)) await rm(join(folder, name), { force: true });
      // It stays if anything else is in it.
      await rmdir(folder).catch(() => {});
      made = undefined;
    },
  };
}

/** The name of a key's file; keys that are too long go by their hash. The key is in the file, so that no two are confused. */
function fileName(key: string): string {
  const name = encodeURIComponent(key).replaceAll('*', '%2A');
  const safe = name.length <= LONGEST_NAME && !name.startsWith('.') && name !== '';
  return `${safe ? name : `=${createHash('sha256').update(key).digest('hex')}`}${ending}`;
}

function contentOf(file: Buffer, key: string): unknown {
  const [digest, content] = [file.subarray(0, digestBytes), file.subarray(digestBytes)];
  if (!createHash('sha256').update(content).digest().equals(digest)) return undefined;
  try {
    const stored = decodeData(content) as { readonly key?: unknown; readonly value?: unknown };
    return stored.key === key ? stored.value : undefined;
  } catch (error) {
    if (isGhtError(error, 'input')) return undefined;
    throw error;
  }
}
