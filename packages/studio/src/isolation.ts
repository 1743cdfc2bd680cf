/**
 * Threads can share memory only on a cross-origin isolated page, which needs two headers. If the host does not send them, a
 * service worker adds them to its responses, and the page is reloaded once through it. If that fails too, everything runs on
 * one thread, and the badge says so.
 */
export async function isolate(): Promise<void> {
  if (globalThis.crossOriginIsolated || !globalThis.isSecureContext || !('serviceWorker' in navigator)) return;
  const tried = 'ght-studio-isolation';
  try {
    const registration = await navigator.serviceWorker.register(new URL('isolation.js', document.baseURI));
    await active(registration);
    // Only once: a page that is still not isolated would reload forever.
    if (sessionStorage.getItem(tried)) return;
    sessionStorage.setItem(tried, 'yes');
    location.reload();
    await new Promise(() => {});
  } catch {
    // Private windows and policies may forbid it; one thread is used then.
  }
}

function active(registration: ServiceWorkerRegistration): Promise<void> {
  const coming = registration.installing ?? registration.waiting;
  if (registration.active || !coming) return Promise.resolve();
  return new Promise((resolve, reject) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve();
      if (coming.state === 'redundant') reject(new Error('the service worker was refused'));
    });
  });
}
