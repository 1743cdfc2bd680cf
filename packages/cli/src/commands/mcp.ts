import { realpath, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { InputError } from 'ght';
import type { Context } from '../context.js';
import type { McpSession } from '../service/mcp.js';

/** `ght mcp`. */
export function mcpCommand(program: Command, { run, signal, stopped }: Context): void {
  program
    .command('mcp')
    .summary('the commands as tools for programs that speak MCP, over standard input')
    .description(
      'A server of the Model Context Protocol over standard input and output: denoise, represent, inpaint, deblur, upscale and diagnose as ' +
        'tools. Their arguments are paths of files in one folder, and so are their results. Nothing else is read or written.',
    )
    .argument('<FOLDER>', 'the folder of the images')
    .addHelpText(
      'after',
      `
Examples:
  ght mcp ~/pictures`,
    )
    .action(async (folder: string) => {
      stopped.note = 'what was running is not written';
      const { McpSession } = await import('../service/mcp.js');
      const send = (line: string) => void process.stdout.write(`${line}\n`);
      await converse(new McpSession(await realFolder(folder), program, run, send), signal);
    });
}

async function realFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw new InputError('FOLDER', 'must be an existing folder', folder, 'check the path');
}

async function converse(session: McpSession, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, signal });
  signal.addEventListener('abort', () => session.stop(), { once: true });
  for await (const line of lines) if (line.trim() !== '') session.answer(line);
  await session.finish();
}
