/** The built site: its files, and a plain host that serves them. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const all = readdirSync(dist, { recursive: true }) as string[];

/** The addresses of all pages, but for the studio, which has tests of its own. */
export const pages = all.filter((name) => name.endsWith('.html') && !name.startsWith('studio/')).sort();
export const textOf = (page: string) => readFileSync(join(dist, page), 'utf8');

const types: Record<string, string> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' },
  ...{
    '.png': 'image/png',
    '.jpg': 'image/jpeg',
    '.webp': 'image/webp',
    '.woff2': 'font/woff2',
    '.json': 'application/json',
  },
};

/** Serves the site in a folder of the host, as project pages are, and without any header. */
export async function startHost(): Promise<{ url: string; server: Server }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url.split('?')[0].replace(/^\/project\//, '');
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    try {
      const body = await readFile(join(dist, name));
      response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'text/plain' }).end(body);
    } catch {
      response.writeHead(404, { 'Content-Type': 'text/html' }).end(await readFile(join(dist, '404.html')));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/project/`, server };
}
