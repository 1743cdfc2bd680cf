#!/usr/bin/env node
// `npx ght` must work wherever `ght` is installed. The library has no dependencies, so the command is a package of its own,
// ght-cli: this file runs it where it is installed, and says how to get it where it is not.

/** The command's program, or undefined where ght-cli is not installed. */
function installedCommand() {
  try {
    return import.meta.resolve('ght-cli/bin/ght.js');
  } catch {
    return undefined;
  }
}

const command = installedCommand();
if (command) {
  await import(command);
} else {
  process.stderr.write(
    'ght: the command is in the package ght-cli, which is not installed here\n' +
      'run "npm install ght-cli" and then "npx ght …", or "npx ght-cli …" without installing it\n',
  );
  process.exitCode = 1;
}
