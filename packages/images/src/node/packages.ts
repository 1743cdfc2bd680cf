/** The packages that are loaded only when needed: sharp alone takes half of the time that a command needs to start. */
import { EnvironmentError } from 'ght';

/** An installation that lacks a package: no fault of any file, and the same for all files of a run. */
export class IncompleteInstallation extends EnvironmentError {
  constructor(missing: string, cause: unknown) {
    const [line] = (cause instanceof Error ? cause.message : String(cause)).trim().split(/[\n\r]/, 1);
    super('the installation', `must have ${missing}`, line, 'run npm install', { cause });
  }
}

/** A package that is being imported; an error says that it is missing, and what it is for. */
export function loadPackage<Package>(importing: Promise<Package>, what: string): Promise<Package> {
  return importing.catch((reason: unknown) => {
    throw new IncompleteInstallation(what, reason);
  });
}

/** sharp. */
export async function loadSharp() {
  const { default: sharp } = await loadPackage(import('sharp'), 'sharp, which reads and writes images');
  return sharp;
}
