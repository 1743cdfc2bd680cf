/** Who may ask: with a token, clients that send it; without one, programs and pages of this machine. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether a host is the machine itself. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** The status with which a request is refused; undefined if it is welcome. */
export function refusalOf({ headers, socket }: IncomingMessage, token: string | undefined): 401 | 403 | undefined {
  if (token !== undefined) {
    const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    // Digests have one length, and their comparison takes the same time wherever they differ.
    return timingSafeEqual(digest(given), digest(token)) ? undefined : 401;
  }
  // A page of another site must not use the server, neither by its address nor by a name that resolves to this machine.
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${socket.localPort}`);
  if (!names.includes(headers.host ?? '')) return 403;
  const { origin } = headers;
  return origin === undefined || names.some((name) => origin === `http://${name}`) ? undefined : 403;
}
