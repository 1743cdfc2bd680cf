import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serveFolder } from '../dist/static-server.js';
import { workplace } from './command.js';

const { path, save } = workplace();

describe('the server stays available when', () => {
  let serving: Serving;
  const host = () => `Host: 127.0.0.1:${serving.port}\r\n`;
  const address = () => `http://127.0.0.1:${serving.port}/`;

  beforeAll(async () => {
    await mkdir(path('page'));
    await save('page/index.html', '<!doctype html>');
    serving = await serveFolder(path('page'), 0);
  });
  afterAll(() => serving.close());

  it('a thousand connections are silent or never finish: others are served, and those are closed', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 1000 }, async (_, i): Promise<Socket> => {
        const socket = connect(serving.port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        if (i % 3 === 1) socket.write('GET / HTTP/1.1\r\n');
        if (i % 3 === 2) socket.write(`POST / HTTP/1.1\r\n${host()}Content-Length: 1000000\r\n\r\nabc`);
        socket.resume();
        return socket;
      }),
    );
    expect((await fetch(address())).status).toBe(200);
    await Promise.all(sockets.map((socket) => socket.closed || new Promise((resolve) => socket.on('close', resolve))));
    expect((await fetch(address())).status).toBe(200);
  });
});
