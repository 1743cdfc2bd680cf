/** The reader of what a PNG, JPEG or WebP says besides its samples, apart: it is loaded with the first of them. */
export { readMetadata } from 'ght-images';
