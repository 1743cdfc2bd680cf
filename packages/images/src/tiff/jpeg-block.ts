/** JPEG blocks of a TIFF as JPEG files of their own, which every decoder of JPEG reads. */

const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda];

/**
 * The file: the tables that all blocks share, then the block. What the colours are is said by an Adobe marker, since decoders guess it
 * otherwise: in a TIFF the photometric interpretation says it. All other application segments are left out.
 */
export function jpegFile(
  tables: Uint8Array | undefined,
  block: Uint8Array,
  colours: 'grey' | 'rgb' | 'yCbCr',
): Uint8Array {
  const transform = colours === 'rgb' ? 0 : 1;
  const adobe = Uint8Array.of(0xff, 0xee, 0, 14, ...new TextEncoder().encode('Adobe'), 0, 100, 0, 0, 0, 0, transform);
  const parts: Uint8Array[] = [Uint8Array.of(0xff, SOI), ...(colours === 'grey' ? [] : [adobe])];
  if (tables) parts.push(...segmentsOf(tables));
  parts.push(...segmentsOf(block));
  const file = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

/** The segments of a stream without its start and its application segments; the last one goes on to the end of the stream. */
function* segmentsOf(stream: Uint8Array): Generator<Uint8Array> {
  if (stream[0] !== 0xff || stream[1] !== SOI) throw new Error('its JPEG does not begin as one');
  for (let at = 2; at + 1 < stream.length; ) {
    if (stream[at] !== 0xff) throw new Error('its JPEG has no marker where one must be');
    const marker = stream[at + 1];
    // Any number of these may stand before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === EOI) return;
    if (marker === SOS) {
      yield stream.subarray(at);
      return;
    }
    const end = at + 2 + ((stream[at + 2] << 8) | stream[at + 3]);
    if (!(end <= stream.length)) throw new Error('its JPEG ends too early');
    if (marker < 0xe0 || marker > 0xef) yield stream.subarray(at, end);
    at = end;
  }
}
