/** All public names in one module, for pages without a bundler (`dist/browser/ght.js`). */
export * from './draw/index.js';
export * from './index.js';
export * from './npy.js';
export * from './paper.js';
