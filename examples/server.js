// A server of your own that denoises: POST an image, get a PNG back. It stops computing when the client leaves, and answers others
// meanwhile: calls at once take turns and share one pool of threads. `ght serve` is a whole service: see docs/serve.md.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { denoise, describe, fromInterleaved, randomSource, readJpegInfo, toInterleaved } from 'ght';
import sharp from 'sharp';

const MOST_BYTES = 20e6;
const MOST_PIXELS = 50e6;

/** The body of a request, or undefined where it is too large. */
async function bodyOf(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The pixels of an image file, channels side by side, or undefined where it is none. */
async function decode(bytes) {
  const pixels = sharp(bytes, { limitInputPixels: MOST_PIXELS }).rotate().toColourspace('srgb').removeAlpha().raw();
  return pixels.toBuffer({ resolveWithObject: true }).catch(() => undefined);
}

/** Denoises 8-bit pixels; returns them rounded and clipped, with sentences about what was found. */
async function denoisePixels({ data, info }, jpeg, signal) {
  const { width, height, channels } = info;
  const result = await denoise(fromInterleaved({ width, height, data }), { jpeg, signal });
  const { data: pixels } = toInterleaved(result.image);
  return {
    messages: describe(result),
    png: await sharp(pixels, { raw: { width, height, channels } }).png().toBuffer(),
  };
}

/** Answers one request. */
async function answer(request, response, signal) {
  if (request.method !== 'POST') return response.writeHead(405, { Allow: 'POST' }).end('POST an image\n');
  const bytes = await bodyOf(request);
  if (!bytes) return response.writeHead(413).end(`an image of at most ${MOST_BYTES} bytes is taken\n`);
  const decoded = await decode(bytes);
  if (!decoded) return response.writeHead(415).end(`an image of at most ${MOST_PIXELS} pixels is taken\n`);
  // A JPEG file says how coarsely it was stored, which is part of its noise.
  const jpeg = bytes[0] === 0xff && bytes[1] === 0xd8 ? readJpegInfo(bytes) : 'auto';
  const { messages, png } = await denoisePixels(decoded, jpeg, signal);
  response.writeHead(200, { 'Content-Type': 'image/png', 'X-Noise': encodeURIComponent(messages.join('; ')) }).end(png);
}

const server = createServer((request, response) => {
  const client = new AbortController();
  response.on('close', () => client.abort());
  answer(request, response, client.signal).catch((error) => {
    if (client.signal.aborted) return;
    console.error(error);
    response.writeHead(500).end();
  });
});

// Try it: a noisy image, and something that is none.
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const random = randomSource(1);
const pixels = Uint8ClampedArray.from({ length: 3 * 96 * 96 }, () => 128 + 20 * random.normal());
const noisy = await sharp(pixels, { raw: { width: 96, height: 96, channels: 3 } })
  .png()
  .toBuffer();
for (const body of [noisy, 'no image']) {
  const reply = await fetch(url, { method: 'POST', body });
  if (reply.ok) {
    const { channels } = await sharp(await reply.arrayBuffer()).stats();
    const left = channels.map(({ stdev }) => stdev.toFixed(1)).join(', ');
    console.log(`${reply.status}: ${decodeURIComponent(reply.headers.get('X-Noise'))}; left: ${left}`);
  } else {
    console.log(`${reply.status}: ${(await reply.text()).trim()}`);
  }
}
server.close();
