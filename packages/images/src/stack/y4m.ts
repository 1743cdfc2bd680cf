/**
 * Raw video (YUV4MPEG2), as pipes of ffmpeg carry it: a line about the film, then frames, each a line and its planes one after the other.
 * Samples above 8 bits take two bytes, the lower one first.
 */
import { InputError, type Samples } from 'ght';

/** What the first line of a film says. */
export interface Y4mHeader {
  /** The line, to be written back. */
  readonly line: string;
  /** Pixels per row of the luma. */
  readonly width: number;
  /** Number of rows of the luma. */
  readonly height: number;
  /** Bits of a sample, from 8 to 16. */
  readonly depth: number;
  /** The sampling of colours, such as `420` or `mono`. */
  readonly sampling: string;
  /** The sizes of the planes: luma, then blue and red differences, then opacity. */
  readonly planes: readonly { readonly width: number; readonly height: number }[];
  /** Whether the last plane is opacity. */
  readonly alpha: boolean;
  /** Frames per second, if it says so. */
  readonly rate?: number;
}

/** A frame: its line, and its planes. */
export interface Y4mFrame {
  /** The line, to be written back. */
  readonly line: string;
  /** The planes, as they lie in the file. */
  readonly planes: readonly Samples[];
}

/** How much narrower and lower the planes of colours are. */
const samplings: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ...{ '420': [2, 2], '422': [2, 1], '444': [1, 1], '411': [4, 1], '410': [4, 4], '440': [1, 2] },
};
const MAGIC = 'YUV4MPEG2';
const MOST_LINE_BYTES = 4096;
const MOST_SIDE = 2 ** 15;

/** Whether bytes begin like a film. */
export function isY4m(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/** Reads the first line of a film. Fields of two times in one frame are refused. */
export function readY4mHeader(line: string, name: string, parameter = 'file'): Y4mHeader {
  const refuse = (rule: string, remedy: string) => new InputError(parameter, rule, name, remedy);
  const [magic, ...words] = line.split(' ');
  const value = (letter: string) => words.find((word) => word.startsWith(letter))?.slice(1);
  const [width, height] = [Number(value('W')), Number(value('H'))];
  const sound = (side: number) => Number.isInteger(side) && side > 0 && side <= MOST_SIDE;
  if (magic !== MAGIC || !sound(width) || !sound(height)) {
    throw refuse('must begin with the line of a Y4M film with its width and height', 'use ffmpeg -f yuv4mpegpipe');
  }
  const interlacing = value('I') ?? 'p';
  if (!['p', '?'].includes(interlacing)) {
    throw refuse('must have frames of one time, not two fields each', 'add -vf yadif to ffmpeg');
  }
  const colours = value('C') ?? '420';
  const [, sampling = '', bits = '8'] = /^(mono|\d{3})(?:jpeg|mpeg2|paldv|alpha|p?(9|1[0-6]))?$/.exec(colours) ?? [];
  if (sampling !== 'mono' && !Object.hasOwn(samplings, sampling)) {
    const rule = `must have the samples 420, 422, 444, 440, 411, 410 or mono of 8 to 16 bits, not ${colours.slice(0, 20)}`;
    throw refuse(rule, 'add -pix_fmt yuv420p to ffmpeg');
  }
  const [across, down] = samplings[sampling] ?? [1, 1];
  const full = { width, height };
  const chroma = { width: Math.ceil(width / across), height: Math.ceil(height / down) };
  const alpha = colours.endsWith('alpha');
  const [frames, seconds] = (value('F') ?? '').split(':').map(Number);
  return {
    ...{ line, width, height, depth: Number(bits), sampling, alpha },
    planes: sampling === 'mono' ? [full] : [full, chroma, chroma, ...(alpha ? [full] : [])],
    ...(frames > 0 && seconds > 0 && { rate: frames / seconds }),
  };
}

/** The bytes of the planes of a frame. */
export function frameBytes({ planes, depth }: Y4mHeader): number {
  return planes.reduce((sum, { width, height }) => sum + width * height * (depth > 8 ? 2 : 1), 0);
}

/** A film that comes piece by piece, of which a frame is in memory at a time. */
export async function readY4m(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  parameter = 'file',
): Promise<{ readonly header: Y4mHeader; readonly frames: AsyncGenerator<Y4mFrame, void> }> {
  const refuse = (rule: string) => new InputError(parameter, rule, name, 'send or save the film again');
  const reader = new PieceReader(pieces);
  const first = await reader.line();
  if (first === undefined) throw refuse('must begin with the line of a Y4M film');
  const header = readY4mHeader(first, name, parameter);
  const length = frameBytes(header);
  async function* frames() {
    try {
      for (let frame = 0; ; frame++) {
        const line = await reader.line();
        if (line === undefined) {
          if (reader.isEmpty) return;
          throw refuse(`must have whole frames, but ends in frame ${frame}`);
        }
        if (!/^FRAME( |$)/.test(line))
          throw refuse(`must have frames of its size, but frame ${frame} begins with something else`);
        const bytes = await reader.bytes(length);
        if (!bytes) throw refuse(`must have whole frames, but ends in frame ${frame}`);
        yield { line, planes: planesIn(bytes, header) };
      }
    } finally {
      await reader.close();
    }
  }
  return { header, frames: frames() };
}

function planesIn(bytes: Uint8Array, { planes, depth }: Y4mHeader): Samples[] {
  let at = 0;
  return planes.map(({ width, height }) => {
    const length = width * height * (depth > 8 ? 2 : 1);
    const own = bytes.slice(at, at + length);
    at += length;
    return depth > 8 ? new Uint16Array(own.buffer) : own;
  });
}

/** The bytes of a frame: samples are rounded to the nearest and clamped to their range. */
export function writeY4mFrame({ line, planes }: Y4mFrame, { depth }: Y4mHeader): Uint8Array {
  const most = 2 ** depth - 1;
  const head = Uint8Array.from(`${line}\n`, (letter) => letter.charCodeAt(0));
  const rounded = (value: number) => Math.min(Math.max(Math.round(value), 0), most);
  const all = planes.map((plane) => (depth > 8 ? Uint16Array.from(plane, rounded) : Uint8Array.from(plane, rounded)));
  const bytes = new Uint8Array(all.reduce((sum, { byteLength }) => sum + byteLength, head.length));
  bytes.set(head);
  let at = head.length;
  for (const { buffer, byteLength } of all) {
    bytes.set(new Uint8Array(buffer), at);
    at += byteLength;
  }
  return bytes;
}

/** Lines and lengths out of pieces of any size. */
class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #length = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Whether nothing is left that was not read. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** A line without its end; undefined if there is none. */
  async line(): Promise<string | undefined> {
    for (let searched = 0; ; ) {
      const whole = this.#joined();
      const end = whole.subarray(0, MOST_LINE_BYTES).indexOf(0x0a, searched);
      if (end >= 0) return new TextDecoder('latin1').decode(this.#take(end + 1).subarray(0, end));
      searched = whole.length;
      if (whole.length >= MOST_LINE_BYTES || !(await this.#more())) return undefined;
    }
  }

  /** This many bytes; undefined if there are fewer. */
  async bytes(length: number): Promise<Uint8Array | undefined> {
    while (this.#length < length) if (!(await this.#more())) return undefined;
    return this.#take(length);
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done) return false;
    // A buffer of Node copies nothing where an array of bytes does.
    this.#waiting.push(new Uint8Array(value.buffer, value.byteOffset, value.length));
    this.#length += value.length;
    return true;
  }

  #joined(): Uint8Array {
    if (this.#waiting.length === 1) return this.#waiting[0];
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#waiting) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#waiting = [whole];
    return whole;
  }

  #take(length: number): Uint8Array {
    const whole = this.#joined();
    this.#waiting = [whole.subarray(length)];
    this.#length -= length;
    return whole.subarray(0, length);
  }
}
