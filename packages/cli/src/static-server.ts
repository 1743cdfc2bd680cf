import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The only address that the server listens on: no other machine can reach it. */
const LOOPBACK = '127.0.0.1';

/** Milliseconds after which a connection is closed that is silent or does not complete its request. */
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
 * The headers of every response. The first two isolate the page, so that threads can share memory. The policy allows WebAssembly,
 * and scripts, styles and requests from this server only.
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
    "manifest-src 'self'",
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

/** Serves the files of a folder on the loopback address, for browsers on this machine only. Port 0 selects a free port. */
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
  // A page of another site whose name resolves to this machine (DNS rebinding) must not read these files.
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
  // If the reader or the file ends early, the other is closed.
  await pipeline(createReadStream(path), response).catch(() => response.destroy());
}

/** The file that a request names, if it is inside the folder after all links are resolved. */
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
  const texts: Record<number, string> = { 403: 'forbidden', 404: 'not found', 405: 'method not allowed' };
  response.end(`${texts[status] ?? 'an error'}\n`);
}
