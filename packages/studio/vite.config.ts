import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { noteLicences, writeLicences } from './licences.ts';
import { listForOffline } from './offline.ts';

/** The page's content security policy on any host; `ght studio` sends the same as a header, and more. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Added only to the built page, since the development server needs more than it allows. */
const contentSecurity: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
  ],
};

const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    svelte(),
    contentSecurity,
    noteLicences(),
    writeLicences(`${import.meta.dirname}/dist/licences.txt`),
    listForOffline(`${import.meta.dirname}/dist`),
  ],
  worker: { format: 'es', plugins: () => [noteLicences()] },
  server: { headers: isolated, host: '127.0.0.1' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
