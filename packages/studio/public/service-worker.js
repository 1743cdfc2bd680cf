// Two jobs for a page on a static host. It adds the headers that make the page cross-origin isolated, for hosts that do not
// send them. And it keeps the page for visits without a network. The network is always asked first, so that a new version of
// the page is seen at once.

// The build puts the files of the page here, and a version that changes with them.
const files = [];
const version = 'development';
const name = `ght-studio-${version}`;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(
    fetch(request)
      .catch((error) => kept(request, error))
      .then(isolated),
  );
});

// The page asks for it once it has opened, so that the first picture does not wait for the other files.
self.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(keep().then((all) => event.source.postMessage({ kept: all })));
});

/** Keeps all files of this version, and drops those of others; returns whether all are there. */
async function keep() {
  const cache = await caches.open(name);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  const missing = files.filter((file) => !there.has(new URL(file, self.registration.scope).href));
  const results = await Promise.allSettled(missing.map((file) => cache.add(new URL(file, self.registration.scope))));
  const all = results.every(({ status }) => status === 'fulfilled');
  for (const other of await caches.keys()) {
    if (all && other.startsWith('ght-studio-') && other !== name) await caches.delete(other);
  }
  return all;
}

async function kept(request, error) {
  const found = await caches.match(request.mode === 'navigate' ? self.registration.scope : request, {
    ignoreSearch: true,
  });
  if (!found) throw error;
  return found;
}

function isolated(response) {
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  const { status, statusText } = response;
  return new Response([204, 304].includes(status) ? null : response.body, { status, statusText, headers });
}
