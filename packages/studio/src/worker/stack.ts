/** Files of several pages, of which one is open. */
import type { OpenedImage } from '../image/decoded.js';
import type { Session, Stack } from './session.js';

/** The stack of a file whose first page was opened; undefined if it has no other. */
export function stackOf({ pages = 1 }: OpenedImage, read: Stack['read']): Stack | undefined {
  return pages > 1 ? { pages, at: 0, read, denoised: new Map() } : undefined;
}

/** Opens a page. Pages that were denoised stay. */
export async function openPage(session: Session, at: number): Promise<void> {
  const { stack } = session;
  const opened = await stack?.read(at);
  // Another file may have been opened in the meantime.
  if (!stack || !opened || stack !== session.stack) return;
  stack.at = at;
  session.open(opened, stack);
}
