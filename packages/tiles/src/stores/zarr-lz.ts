/**
 * The LZ4 block format and BloscLZ. Input and output are bounded on every step, since chunks may be damaged, and a result that is not
 * exactly as long as expected is an error: nothing in the output is ever left from before.
 */

/** Unpacks a block of LZ4 into exactly `length` bytes. */
export function unpackLz4(packed: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  let from = 0;
  let to = 0;
  const next = () => {
    if (from >= packed.length) throw damaged('LZ4');
    return packed[from++];
  };
  /** A length of 15 goes on in the bytes that follow. */
  const extended = (start: number) => {
    let total = start;
    if (start < 15) return total;
    for (let byte = 255; byte === 255; total += byte) {
      byte = next();
      if (total > length) throw damaged('LZ4');
    }
    return total;
  };
  while (from < packed.length) {
    const token = next();
    const literals = extended(token >> 4);
    if (from + literals > packed.length || to + literals > length) throw damaged('LZ4');
    copy(packed, from, output, to, literals);
    from += literals;
    to += literals;
    // The last sequence has no match.
    if (from === packed.length) break;
    const distance = next() | (next() << 8);
    const match = extended(token & 15) + 4;
    if (distance === 0 || distance > to || to + match > length) throw damaged('LZ4');
    repeat(output, to, distance, match);
    to += match;
  }
  if (to !== length) throw damaged('LZ4');
  return output;
}

/** The farthest match that BloscLZ writes in two bytes. */
const SHORT_DISTANCE = 8191;

/** Unpacks BloscLZ, which is a kind of FastLZ, into exactly `length` bytes. */
export function unpackBloscLz(packed: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  let from = 0;
  let to = 0;
  const next = () => {
    if (from >= packed.length) throw damaged('BloscLZ');
    return packed[from++];
  };
  // The first instruction is always a run of literals.
  for (let first = true; from < packed.length; first = false) {
    const control = first ? next() & 31 : next();
    if (control < 32) {
      const literals = control + 1;
      if (from + literals > packed.length || to + literals > length) throw damaged('BloscLZ');
      copy(packed, from, output, to, literals);
      from += literals;
      to += literals;
      continue;
    }
    let match = (control >> 5) - 1;
    if (match === 6) {
      for (let byte = 255; byte === 255; match += byte) {
        byte = next();
        if (match > length) throw damaged('BloscLZ');
      }
    }
    match += 3;
    const high = control & 31;
    const low = next();
    const distance =
      high === 31 && low === 255 ? 1 + SHORT_DISTANCE + ((next() << 8) | next()) : 1 + ((high << 8) | low);
    if (distance > to || to + match > length) throw damaged('BloscLZ');
    repeat(output, to, distance, match);
    to += match;
  }
  if (to !== length) throw damaged('BloscLZ');
  return output;
}

/** Shorter runs are copied faster one by one. */
const SHORT_RUN = 48;

function copy(input: Uint8Array, from: number, output: Uint8Array, to: number, length: number): void {
  if (length > SHORT_RUN) output.set(input.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) output[to + i] = input[from + i];
}

/** Copies bytes from before a place to it. The two may overlap: then the bytes repeat. */
function repeat(output: Uint8Array, to: number, distance: number, length: number): void {
  if (distance >= length && length > SHORT_RUN) output.copyWithin(to, to - distance, to - distance + length);
  else for (let i = to; i < to + length; i++) output[i] = output[i - distance];
}

function damaged(name: string): Error {
  return new Error(`its ${name} data are damaged`);
}
