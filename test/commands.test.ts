/** Every command in the documentation is one that the command line accepts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import * as front from '../packages/site/src/front.js';
import { commandsIn, pages, root, textOf } from './documentation.js';

/** The program `ght` whose commands do nothing but parse. */
async function parser(): Promise<Command> {
  const program = new Command('ght').exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const commands = join(root, 'packages/cli/dist/commands');
  for (const name of readdirSync(commands).filter((file) => file.endsWith('.js'))) {
    const exported: Record<string, (program: Command, context: object) => void> = await import(
      pathToFileURL(join(commands, name)).href
    );
    for (const [key, register] of Object.entries(exported)) if (key.endsWith('Command')) register(program, {});
  }
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    command.action(() => {});
  }
  return program;
}

describe('commands', () => {
  const written = [
    ...pages.map((path) => ({ path, text: textOf(path) })),
    { path: 'the front page of the site', text: front.commands.replace(/^/gm, '    ') },
  ];
  const withCommands = written
    .map(({ path, text }) => ({ path, commands: commandsIn(text).filter(([first]) => !/^(--help|…)$/.test(first)) }))
    .filter(({ commands }) => commands.length > 0);

  it('are found on many pages', () => {
    expect(withCommands.length).toBeGreaterThan(12);
    expect(withCommands.flatMap(({ commands }) => commands).length).toBeGreaterThan(70);
  });

  it.each(withCommands)('$path: every command and flag exists', async ({ commands }) => {
    for (const args of commands) {
      const program = await parser();
      await expect(program.parseAsync(args, { from: 'user' }), args.join(' ')).resolves.toBe(program);
    }
  });

  it('with npx name the package of the command, unless the page installs it', () => {
    const unnamed = written.filter(
      ({ text }) => /^ {4}npx ght /m.test(text) && !/npm install (-g )?ght-cli/.test(text),
    );
    expect(unnamed.map(({ path }) => path)).toEqual([]);
  });

  it('with a flag that does not exist is refused, so the test above can fail', async () => {
    const program = await parser();
    await expect(program.parseAsync(['denoise', 'a.png', '--no-such-flag'], { from: 'user' })).rejects.toThrow();
  });
});
