// The library for pages without a bundler: `dist/browser/ght.js` and the worker beside it import nothing by a bare name.
// Import maps could not do this, because workers have none.
import { defineConfig } from 'vite';

/** Fixed names, so that a page can rely on them. */
const output = { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' };

/** The weights stay a file beside the library, which is fetched when it is needed; a library build would put them into the code. */
const lazyWeights = {
  name: 'lazy-weights',
  transform: (code, id) => (id.endsWith('shipped.browser.js') ? code.replace('grey.npz', 'grey.npz?no-inline') : null),
};

export default defineConfig({
  plugins: [lazyWeights],
  base: './',
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/browser',
    lib: { entry: { ght: 'dist/browser.js' }, formats: ['es'] },
    // One file, also for what bundlers load later: a part that lies beside it would have to import from it.
    rolldownOptions: { output: { ...output, codeSplitting: false } },
  },
  worker: { format: 'es', rolldownOptions: { output } },
});
