import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { ght } = workplace();
const commands = ['represent', 'compare', 'denoise', 'solve', 'reproduce', 'info', 'noise', 'studio'];

describe('help', () => {
  it('ght --help lists every command, with examples; ght alone prints the same, but fails', async () => {
    const { code, stdout, stderr } = await ght('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    expect(stdout).toMatch(/^Examples:\n {2}ght represent /m);
    expect(await ght()).toEqual({ code: 2, stdout, stderr });
  });

  it.each(commands)('ght %s --help explains every flag, with examples', async (command) => {
    const { code, stdout, stderr } = await ght(command, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ght ${command} [options]`);
    expect(stdout).toMatch(new RegExp(`^Examples:\n {2}ght ${command} `, 'm'));
    // Every flag with what it does beside it.
    for (const flag of stdout.matchAll(/^ {2}(-.*)$/gm)) expect(flag[1]).toMatch(/\S {2,}\S/);
  });

  it('ght help COMMAND is the same as ght COMMAND --help', async () => {
    expect(await ght('help', 'represent')).toEqual(await ght('represent', '--help'));
  });

  it('ght --version prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await ght('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
