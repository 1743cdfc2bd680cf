/** Pages of these tests: a host for a folder, and what a page writes into its title when it has finished. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { expect } from 'vitest';
import { startBrowser } from '../../packages/studio/test/browser.js';

/** The headers that threads need. */
export const isolated = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Serves the files of a folder with these headers. */
export async function startHost(
  folder: string,
  headers: Readonly<Record<string, string>> = isolated,
): Promise<{ server: Server; url: string }> {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer(({ url = '/' }, response) => {
    const file = join(folder, url === '/' ? 'index.html' : url);
    if (!existsSync(file)) return response.writeHead(404, headers).end();
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? '', ...headers }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** The title that a page gives itself, as JSON; its errors fail the test. */
export async function titleOf(url: string): Promise<Record<string, unknown>> {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(url);
    await expect.poll(async () => complaints[0] ?? (await page.title()), { timeout: 60_000 }).not.toBe('');
    expect(complaints).toEqual([]);
    return JSON.parse(await page.title());
  } finally {
    await browser.close();
  }
}

/** What the page of a folder puts into its title. */
export async function titleIn(folder: string, headers = isolated): Promise<Record<string, unknown>> {
  const { server, url } = await startHost(folder, headers);
  try {
    return await titleOf(url);
  } finally {
    server.close();
  }
}
