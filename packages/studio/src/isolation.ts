/**
 * Threads share memory only on a page that is cross-origin isolated, which takes two headers. Where the host does not send
 * them, a service worker adds them to its answers, and the page is loaded once more through it. Where that fails too, all
 * works on one thread, and the badge says so.
 */
export async function isolate(): Promise<void> {
  if (globalThis.crossOriginIsolated || !globalThis.isSecureContext || !('serviceWorker' in navigator)) return;
  const tried = 'ght-studio-isolation';
  try {
    const registration = await navigator.serviceWorker.register(new URL('isolation.js', document.baseURI));
    await active(registration);
    // Once only: a page that is still not isolated after this would load for ever.
    if (sessionStorage.getItem(tried)) return;
    sessionStorage.setItem(tried, 'yes');
    location.reload();
    await new Promise(() => {});
  } catch {
    // Private windows and policies may forbid it; one thread then.
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
