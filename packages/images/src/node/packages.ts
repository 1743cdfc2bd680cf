/** The packages that are loaded only when needed: sharp alone takes half of the time that a command needs to start. */
import { EnvironmentError } from 'ght';

/** An installation that lacks a package: no fault of any file, and the same for all files of a run. */
export class IncompleteInstallation extends EnvironmentError {
  constructor(missing: string, cause: unknown) {
    const [line] = (cause instanceof Error ? cause.message : String(cause)).trim().split(/[\n\r]/, 1);
    super('the installation', `must have ${missing}`, line, 'run npm install', { cause });
  }
}

/** sharp. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp').catch((reason: unknown) => {
    throw new IncompleteInstallation('sharp, which reads and writes images', reason);
  });
  return sharp;
}
