/** A real Chromium from an npm package, the real command that serves the page, and a host that sends no headers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sparticuz, { inflate } from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';

const command = fileURLToPath(new URL('../../cli/bin/ght.js', import.meta.url));
/** The built page. */
export const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** The path of an installed Chromium; the npm package is for Linux on x64 only. */
const own = process.env.CHROMIUM_PATH;
/** Whether a browser is available for the tests. */
export const hasBrowser = own !== undefined || (process.platform === 'linux' && process.arch === 'x64');

/** Where the npm package keeps what it unpacks. */
const bin = () => join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');

/**
 * Starts Chromium, without the package's own arguments, whose single process has no workers. On a system without some of the
 * libraries it needs, it is started again with those from the package. With `webgpu` it has a GPU in software, SwiftShader.
 */
export async function startBrowser({ webgpu = false } = {}): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--no-first-run'];
  const gpu = webgpu ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : [];
  const args = ['--no-sandbox', '--disable-gpu', ...gpu, ...quiet];
  const executablePath = own ?? (await sparticuz.executablePath());
  // Chromium looks for the driver beside itself, where this unpacks it.
  if (webgpu && !own) await inflate(join(bin(), 'swiftshader.tar.br'));
  try {
    return await chromium.launch({ executablePath, args });
  } catch {
    const libraries = join(await inflate(join(bin(), 'al2023.tar.br')), 'lib');
    return chromium.launch({ executablePath, args, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

/** Starts `ght studio`, and reads the address it prints. */
export async function startStudio(): Promise<{ url: string; process: ChildProcess }> {
  const child = spawn(process.execPath, [command, 'studio', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [first] = await once(child.stdout, 'data');
  const url = /http:\S+/.exec(String(first))?.[0];
  if (!url) throw new Error(`no address in ${first}`);
  return { url, process: child };
}

/** Serves the built page without isolation headers, as many static hosts do; `lost` is a file that is missing. */
export async function startPlainHost(lost?: string): Promise<{ url: string; server: Server }> {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url.split('?')[0];
    try {
      if (name === lost) throw new Error('lost');
      const body = await readFile(join(dist, name === '/' ? 'index.html' : name));
      response.writeHead(200, { 'Content-Type': types[extname(name || '.html')] ?? (name === '/' ? 'text/html' : '') });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

/** Records everything a page logs as an error, and every address it requests. */
export async function watch(page: Page) {
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  return { complaints, asked };
}

/** Waits until no task is running and the result is final, and opens what is advanced. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('[data-stage="final"]');
  await page.waitForSelector('[data-task="none"]');
  const advanced = await page.$('[data-advanced]:not([open]) > summary');
  await advanced?.click();
}

/** A reading as shown on the page. */
export async function reading(page: Page, name: string): Promise<number> {
  return Number.parseFloat((await page.textContent(`[data-reading="${name}"]`))?.replace(/[≈\s]/g, '') ?? '');
}

/** Gives the page a file through its file chooser. */
export function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  return page.setInputFiles('input[type="file"]', { name, mimeType: 'application/octet-stream', buffer });
}

/** Goes to a tab, as its button in the header does. */
export async function goTo(page: Page, name: string): Promise<void> {
  const explored = name === 'represent' || name === 'compare';
  if (explored) await page.click('header nav summary');
  await page.click(`#tab-${name}`);
  if (explored) await page.waitForSelector('[data-advanced]');
}

/** Opens what is behind "More to save and copy". */
export async function openMore(page: Page): Promise<void> {
  if (!(await page.$('[data-more][open]'))) await page.click('[data-more] summary');
}

/** Waits until the result of the settings is there, and not only its preview. */
export async function current(page: Page): Promise<void> {
  await page.waitForSelector('.actions[data-current="true"]');
}
