/** Bytes as texts and parts, and their checksum. */

/** Bytes that streams and blobs take. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Parts one after the other. */
export function joined(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A text of Latin-1 as bytes. */
export function bytesOf(text: string): Bytes {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Bytes as a text of Latin-1. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

/** Whether bytes begin with a text. */
export function startsWith(bytes: Uint8Array, text: string): boolean {
  return latin1(bytes.subarray(0, text.length)) === text;
}

/** The same bytes as a plain array: slices of some subclasses are no copies. */
export function asPlain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The numbers in bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes through a stream that compresses them, or the reverse; an error if it gives more than `most`. */
export async function piped(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes as Bytes]).stream().pipeThrough(through).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(parts);
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`it unpacks to more than ${most} bytes`);
    }
    parts.push(value);
  }
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The CRC-32 of bytes, which follow others with the checksum `before`; zlib's own came only with Node 20.15. */
export function crcOf(bytes: Uint8Array, before = 0): number {
  let rest = ~before;
  for (let i = 0; i < bytes.length; i++) rest = crcTable[(rest ^ bytes[i]) & 255] ^ (rest >>> 8);
  return ~rest >>> 0;
}
