import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The only address that is listened on: nobody else's machine can reach it. */
const LOOPBACK = '127.0.0.1';

/** Milliseconds after which a connection that says nothing, or never comes to the end of its request, is closed. */
const PATIENCE = 5000;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.wasm': 'application/wasm',
};

/**
 * What goes with every answer. The first two isolate the page, so that threads may share memory; the policy allows scripts,
 * styles and requests of this server only, and WebAssembly.
 */
const headers: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** A folder that is being served. */
export interface Serving {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the files of a folder on the loopback address, to a browser of this machine only; port 0 takes a free one. */
export async function serveFolder(folder: string, port: number): Promise<Serving> {
  const root = await realpath(folder);
  const limits = { headersTimeout: PATIENCE, requestTimeout: PATIENCE, connectionsCheckingInterval: 1000 };
  const server = createServer(limits, (request, response) => {
    answer(root, request, response).catch(() => refuse(response, 500));
  });
  server.setTimeout(PATIENCE);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, url: `http://${LOOPBACK}:${bound}/`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A foreign name that resolves to this machine (DNS rebinding) must not read what is served here.
  const { localPort } = request.socket;
  const own = [LOOPBACK, 'localhost'].flatMap((name) => (localPort === 80 ? [name] : [`${name}:${localPort}`]));
  if (!own.includes(request.headers.host ?? '')) return refuse(response, 403);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, { Allow: 'GET, HEAD' });
  const path = await fileAt(root, request.url ?? '/');
  if (path === undefined) return refuse(response, 404);
  const { size } = await stat(path);
  const type = contentTypes[extname(path)] ?? 'application/octet-stream';
  response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': size });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // Whoever leaves early, the reader or the file, the other is closed.
  await pipeline(createReadStream(path), response).catch(() => response.destroy());
}

/** The file that a request names, if it lies inside the folder, also once every link is followed. */
async function fileAt(root: string, url: string): Promise<string | undefined> {
  let name: string;
  try {
    name = decodeURIComponent(url.replace(/[?#].*$/s, ''));
  } catch {
    return undefined;
  }
  if (!name.startsWith('/') || /[\0\\]/.test(name)) return undefined;
  if (name.split('/').some((part) => part === '..' || part.startsWith('.'))) return undefined;
  const path = await realpath(join(root, name.endsWith('/') ? `${name}index.html` : name)).catch(() => undefined);
  if (!path?.startsWith(root + sep)) return undefined;
  return (await stat(path)).isFile() ? path : undefined;
}

function refuse(response: ServerResponse, status: number, more: Record<string, string> = {}): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { ...headers, ...more, 'Content-Type': 'text/plain; charset=utf-8' });
  const words: Record<number, string> = { 403: 'forbidden', 404: 'not found', 405: 'method not allowed' };
  response.end(`${words[status] ?? 'an error'}\n`);
}
