/** Packs the packages and starts the registry once, for all tests of this folder. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { packAll, startRegistry } from './registry.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder that is removed after the tests. */
    readonly workplace: string;
    /** The folder of the packed packages. */
    readonly tarballs: string;
    /** The address of the registry. */
    readonly registry: string;
  }
}

export default async function setup({ provide }: TestProject) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const workplace = mkdtempSync(join(tmpdir(), 'ght-packages-'));
  const tarballs = join(workplace, 'tarballs');
  mkdirSync(tarballs);
  packAll(root, tarballs);
  const { url, server } = await startRegistry(root, tarballs);
  provide('workplace', workplace);
  provide('tarballs', tarballs);
  provide('registry', url);
  return async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    rmSync(workplace, { recursive: true });
  };
}
