/** A user's folder outside the repository, and the programs a user runs there. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { inject } from 'vitest';

/** An empty folder outside the repository; it is removed after the tests. */
export function emptyFolder(name: string): string {
  return mkdtempSync(join(inject('workplace'), `${name}-`));
}

/**
 * The environment of a user whose registry is the one of these tests. Settings that npm hands to its scripts are left out:
 * they would point npm back to the repository.
 */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_ENV$)/i.test(name));
  const workplace = inject('workplace');
  return {
    ...Object.fromEntries(own),
    npm_config_registry: inject('registry'),
    npm_config_noproxy: '127.0.0.1',
    npm_config_cache: join(workplace, 'cache'),
    npm_config_userconfig: join(workplace, 'no-npmrc'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** What a program printed, and how it ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in a folder. */
export function run(folder: string, program: string, ...args: readonly string[]): Ended {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Runs a program that must succeed, and returns what it printed. */
export function output(folder: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = run(folder, program, ...args);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Starts a program that runs until it is killed. */
export function start(folder: string, program: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(program, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
}
