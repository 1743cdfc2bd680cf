/** A separate process that copies an image into a tiled TIFF: sharp cannot be interrupted, but a process can be ended. */
import { loadSharp } from 'ght-images/node';

// The copy may be of a private image.
process.umask(0o077);
const { source, input, space, target, tile } = JSON.parse(process.argv[2]);
try {
  const sharp = await loadSharp();
  await sharp(source, { ...input, sequentialRead: true })
    .toColourspace(space)
    // Not compressed: it is read once or twice and then removed.
    .tiff({ tile: true, tileWidth: tile, tileHeight: tile, compression: 'none', predictor: 'none', bigtiff: true })
    .toFile(target);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
