import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ended, workplace } from './command.js';

const { ght, start } = workplace();

describe('ght studio', () => {
  // Windows has no signals that a program can handle.
  it.skipIf(process.platform === 'win32')(
    'prints where it is and how to stop it, serves the page, and ends with a clean line',
    async () => {
      const child = start('studio', '--port', '0');
      const end = ended(child);
      const [first] = await once(child.stdout, 'data');
      const port = Number(
        /^The studio is at http:\/\/127\.0\.0\.1:(\d+)\/\nCtrl-C stops it\.\n$/.exec(String(first))?.[1],
      );
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('<title>GHT studio</title>');
      child.kill('SIGINT');
      const { code, stdout, stderr } = await end;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/The studio is closed\.\n$/);
    },
  );

  it('says in one line that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await ght('studio', '--port', String(port));
    other.close();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `ght: --port must be a port that no other program uses, but got ${port}: ` +
        'choose another, or leave it out to get a free one\n',
    );
  });

  it.each(['70000', '-1', '1.5', 'http'])('refuses --port %s', async (port) => {
    const { code, stderr } = await ght('studio', `--port=${port}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ght: --port must be [^\n]+\n$/);
  });
});
