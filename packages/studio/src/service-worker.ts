/** The service worker of the page: threads on hosts that send no headers, and visits without a network. */

/**
 * Threads can share memory only on a cross-origin isolated page, which needs two headers. If the host does not send them, the
 * service worker adds them to its responses, and the page is reloaded once through it. If that fails too, everything runs on
 * one thread, and the badge says so.
 */
export async function isolate(): Promise<void> {
  if (globalThis.crossOriginIsolated) return;
  const tried = 'ght-studio-isolation';
  try {
    const worker = await activeWorker();
    // Only once: a page that is still not isolated would reload forever.
    if (!worker || sessionStorage.getItem(tried)) return;
    sessionStorage.setItem(tried, 'yes');
    location.reload();
    await new Promise(() => {});
  } catch {
    // Private windows and policies may forbid it; one thread is used then.
  }
}

/**
 * Keeps all files of the page in this browser; returns whether it works without a network from now on. A page that this
 * machine serves to itself, as `ght studio` does, needs no copy, and a service worker would outlive its server.
 */
export async function keepOffline(): Promise<boolean> {
  const local = ['localhost', '127.0.0.1'].includes(location.hostname);
  const isolatedByHost = globalThis.crossOriginIsolated && !navigator.serviceWorker?.controller;
  if (local && isolatedByHost) return false;
  try {
    const worker = await activeWorker();
    if (!worker) return false;
    return await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('message', ({ data }) => resolve(data.kept === true), { once: true });
      navigator.serviceWorker.startMessages();
      worker.postMessage('keep');
    });
  } catch {
    return false;
  }
}

async function activeWorker(): Promise<ServiceWorker | undefined> {
  if (import.meta.env.DEV || !globalThis.isSecureContext || !('serviceWorker' in navigator)) return undefined;
  const registration = await navigator.serviceWorker.register(new URL('service-worker.js', document.baseURI));
  const coming = registration.installing ?? registration.waiting;
  if (registration.active || !coming) return registration.active ?? undefined;
  return new Promise((resolve, reject) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve(coming);
      if (coming.state === 'redundant') reject(new Error('the service worker was refused'));
    });
  });
}
