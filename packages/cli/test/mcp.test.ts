import { mkdir, realpath, symlink } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { programOf, runWithin } from '../dist/main.js';
import { McpSession } from '../dist/service/mcp.js';
import { operations } from '../dist/service/operations.js';
import { workplace } from './command.js';

const { path, read, save } = workplace();

/** Sends messages to a session, and returns all that it sends until every request is answered. */
async function talk(...messages: object[]) {
  const sent: Record<string, never>[] = [];
  const folder = await realpath(path('images'));
  const session = new McpSession(folder, programOf(), runWithin, (line) => sent.push(JSON.parse(line)));
  for (const message of messages) session.answer(JSON.stringify({ jsonrpc: '2.0', ...message }));
  await session.finish();
  return sent as { id?: unknown; method?: string; params?: object; result?: Record<string, unknown>; error?: object }[];
}

const call = (id: number, name: string, given: object, meta?: object) => ({
  ...{ id, method: 'tools/call' },
  params: { name, arguments: given, _meta: meta },
});

beforeAll(async () => {
  await mkdir(path('images'));
  const data = Uint8Array.from({ length: 24 * 16 }, (_, i) => 100 + ((i * 2654435761) % 61));
  const png = await sharp(data, { raw: { width: 24, height: 16, channels: 1 } })
    .png()
    .toBuffer();
  await save('images/noisy.png', png);
  await save('outside.png', png);
  await symlink(path('outside.png'), path('images/link.png'));
});

describe('the MCP server', () => {
  it('introduces itself, in the version that is asked for if it is known', async () => {
    const version = async (protocolVersion: string) =>
      (await talk({ id: 1, method: 'initialize', params: { protocolVersion } }))[0].result?.protocolVersion;
    expect(await version('2024-11-05')).toBe('2024-11-05');
    expect(await version('1999-01-01')).toBe('2025-06-18');
    const [, answer] = await talk(
      { method: 'notifications/initialized' },
      { id: 'a', method: 'ping' },
      { id: 2, method: 'nothing' },
    );
    expect(answer).toMatchObject({ id: 2, error: { code: -32601 } });
  });

  it('lists its tools with the flags of the commands', async () => {
    const [{ result }] = await talk({ id: 1, method: 'tools/list' });
    const tools = result?.tools as { name: string; description: string; inputSchema: { properties: object } }[];
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(operations));
    for (const { name, description, inputSchema } of tools) {
      expect(description).toBe(
        programOf()
          .commands.find((command) => command.name() === name)
          ?.description(),
      );
      const { options, files } = operations[name];
      expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining(['image', ...options, ...files]));
    }
  });

  it('denoises a file of the folder into another, with progress', async () => {
    const given = { image: 'noisy.png', output: 'clean.tiff', quality: 'fast', sigma: 15, float: true };
    const sent = await talk(call(7, 'denoise', given, { progressToken: 'p' }));
    expect(sent[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p', total: 1 } });
    expect(sent.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { task: 'denoise', quality: 'fast' } } });
    const { width, depth } = await sharp(await read('images/clean.tiff')).metadata();
    expect({ width, depth }).toEqual({ width: 24, depth: 'float' });
  });

  it('reads and writes nothing outside of the folder', async () => {
    for (const given of [
      { image: '../outside.png', output: 'a.png' },
      { image: path('outside.png'), output: 'a.png' },
      { image: 'link.png', output: 'a.png' },
      { image: 'noisy.png', output: '../a.png' },
      { image: 'noisy.png', output: 'link.png' },
      { image: 'noisy.png', output: '.' },
      { image: 'noisy.png' },
      { image: 'noisy.png', output: 'a.png', 'noise-model': '../outside.png' },
    ]) {
      const [{ result }] = await talk(call(1, 'denoise', given));
      expect(result, JSON.stringify(given)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('must be a file in the folder of this server') }],
      });
    }
  });

  it('answers errors of the commands and of the protocol', async () => {
    const [strength] = await talk(call(1, 'denoise', { image: 'noisy.png', output: 'a.png', strength: -1 }));
    expect(strength.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^--strength must be/) }],
    });
    expect(await talk(call(1, 'erase', {}))).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    expect(await talk({ id: 1 })).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  it('does not answer a call that was cancelled', async () => {
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(await talk(call(1, 'denoise', { image: 'noisy.png', output: 'b.png' }), cancelled)).toEqual([]);
    await expect(read('images/b.png')).rejects.toThrow();
  });
});
