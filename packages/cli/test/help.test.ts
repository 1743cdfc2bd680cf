import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { workplace } from './command.js';

const { ght } = workplace();
const commands = [
  ...['represent', 'decode', 'compare', 'denoise', 'solve', 'learn', 'reproduce', 'info', 'diagnose', 'studio'],
  ...['inpaint', 'deblur', 'upscale', 'serve', 'mcp'],
];

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
    // Every flag has a description next to it.
    for (const flag of stdout.matchAll(/^ {2}(-.*)$/gm)) expect(flag[1]).toMatch(/\S {2,}\S/);
  });

  it('ght --help names every exit code', async () => {
    const { stdout } = await ght('--help');
    for (const code of [0, 1, 2, 130, 143]) expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\w`, 'm'));
    expect(stdout).toContain('  2    invalid input or usage, with one line on standard error\n');
  });

  it.each(commands)('ght %s --help fills its lines and shows defaults without quotes', async (command) => {
    const { stdout } = await ght(command, '--help');
    const about = stdout.split('\n\n')[1].split('\n');
    // A line ends where the next word would not fit, or with its sentence.
    about.slice(0, -1).forEach((line, i) => {
      const word = about[i + 1].split(' ')[0];
      if (!line.endsWith('.')) expect(`${line} ${word}`.length, line).toBeGreaterThan(80);
    });
    expect(stdout.replace(/\s+/g, ' ')).not.toContain('(default: "');
  });

  it.each(commands)('ght %s --help counts per patch, and names defaults in brackets', async (command) => {
    const { stdout } = await ght(command, '--help');
    expect(stdout.replace(/\s+/g, ' ')).not.toMatch(
      / a (patch|pixel|side|core)[ ,)](on|as|average|of)|one a |unless told/,
    );
  });

  it('ght help COMMAND is the same as ght COMMAND --help', async () => {
    expect(await ght('help', 'represent')).toEqual(await ght('represent', '--help'));
  });

  it('ght --version prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await ght('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
