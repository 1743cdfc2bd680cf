/** The pages of a stack, denoised as a series. */
import { type DenoisedPage, denoiseSeries, describe, type Image } from 'ght';
import { optionsOf } from './denoise.js';
import { inSamplesOf } from './files.js';
import { checkStackMemory } from './memory-limit.js';
import { noiseLooks } from './noise-looks.js';
import type { DenoiseAsk } from './protocol.js';
import type { Call, Session, Stack } from './session.js';

/** Up to this size in bytes, the noise is diagnosed from pages of the whole stack, and not from the first ones. */
const LIST_BYTES = 2 ** 28;

/** Denoises all pages as a series, and reports each. */
export async function runDenoiseSeries(session: Session, ask: DenoiseAsk, { signal, tell }: Call): Promise<void> {
  const { stack, opened } = session;
  if (!stack) throw new Error('the file has one page');
  const bytes = stack.pages * bytesOf(opened.image);
  checkStackMemory(opened.image, stack.pages, 2 * bytes);
  stack.denoised.clear();
  session.images.delete('denoised');
  const pages = pagesOf(stack, signal);
  const images = bytes <= LIST_BYTES ? await listOf(pages) : pages;
  const options = optionsOf(session, ask, opened.image.planes.length);
  const start = performance.now();
  const onProgress = ({ page, fraction = page / stack.pages }: { page: number; fraction?: number }) =>
    tell({ kind: 'progress', fraction, doing: `page ${Math.min(page + 1, stack.pages)} of ${stack.pages}` });
  for await (const result of denoiseSeries(images, { ...options, signal, onProgress })) {
    signal.throwIfAborted();
    const { page } = result;
    const image = inSamplesOf(opened, result.image);
    stack.denoised.set(page, image);
    if (stack === session.stack && page === stack.at) session.images.set('denoised', image);
    const seconds = (performance.now() - start) / 1000;
    tell({ kind: 'page', page, denoised: foundOn(result, seconds) });
  }
}

function foundOn(result: DenoisedPage, seconds: number) {
  const { image, changed, engine } = result;
  const looks = noiseLooks(result, image.peak);
  return { looks, messages: describe(result), changed, engine, seconds, psnr: null, noisyPsnr: null };
}

async function* pagesOf(stack: Stack, signal: AbortSignal): AsyncGenerator<Image, void> {
  for (let at = 0; at < stack.pages; at++) {
    signal.throwIfAborted();
    yield (await stack.read(at)).image;
  }
}

async function listOf(pages: AsyncIterable<Image>): Promise<Image[]> {
  const list: Image[] = [];
  for await (const page of pages) list.push(page);
  return list;
}

function bytesOf({ planes, alpha }: Image): number {
  return [...planes, ...(alpha ? [alpha] : [])].reduce((sum, plane) => sum + plane.byteLength, 0);
}
