/** Planes in a scratch, in pieces, so that windows of them can be read. */
import { EnvironmentError, type Samples } from 'ght';
import * as check from 'ght/check';
import { cut, gridOf, type PlaneStore, place, type Rectangle, type Scratch, type Size } from 'ght/plans';

/** The side of a piece. */
export const PIECE = 512;

const nameOf = (plane: string, { left, top }: Rectangle) => `${plane}-${left}-${top}`;

/** Writes a rectangle of a plane, which consists of whole pieces or ends at the border of the plane. */
export async function writePieces(
  scratch: Scratch,
  name: string,
  at: Rectangle,
  plane: Samples,
  piece: Size,
): Promise<void> {
  for (const each of gridOf(at, piece)) {
    const inner = { ...each, left: at.left + each.left, top: at.top + each.top };
    // A copy also if it is all of the plane: what was stored must not change with it.
    await scratch.put(nameOf(name, inner), cut(plane, at, inner).slice());
  }
}

/** Reads a window of a plane of this size. `lost` is called for a piece that is not there, and must write it or throw. */
export async function readPieces(
  scratch: Scratch,
  name: string,
  window: Rectangle,
  size: Size,
  piece: Size,
  lost: (piece: Rectangle) => Promise<void>,
): Promise<Samples> {
  let plane: Samples | undefined;
  for (const each of overlapping(size, piece, window)) {
    const key = nameOf(name, each);
    const samples = samplesOf(each.width * each.height);
    let stored = check.accepted(samples, await scratch.get(key));
    if (!stored) {
      await lost(each);
      stored = samples(await scratch.get(key), key);
    }
    const Kind = stored instanceof Float32Array ? Float32Array : Float64Array;
    plane ??= new Kind(window.width * window.height);
    place(stored, each, plane, window);
  }
  if (!plane) throw new Error(`the window of ${name} is empty`);
  return plane;
}

/** Planes of a loop in a scratch, in pieces of this size. */
export function scratchPlanes(open: () => Promise<Scratch>, piece: Size): PlaneStore {
  const lost = async ({ left, top }: Rectangle) => {
    const rule = 'must keep what a run has stored until the run has ended';
    const remedy = 'start the run again from its beginning, and leave its folders alone';
    throw new EnvironmentError('scratch', rule, `no samples from (${left}, ${top})`, remedy);
  };
  const read: PlaneStore['read'] = async (name, at, picture) =>
    readPieces(await open(), name, at, picture, piece, lost);
  return {
    read,
    take: (name, { width, height }) => read(name, { left: 0, top: 0, width, height }, { width, height }),
    async write(name, at, plane) {
      await writePieces(await open(), name, at, plane, piece);
    },
    async release(names, picture) {
      const scratch = await open();
      for (const name of names) for (const each of gridOf(picture, piece)) await scratch.put(nameOf(name, each), null);
    },
    clear: async () => (await open()).clear(),
  };
}

/** The samples of a piece. */
function samplesOf(length: number): check.Check<Float32Array | Float64Array> {
  const [single, double] = [check.arrayOf(Float32Array, length), check.arrayOf(Float64Array, length)];
  return (value, name) => (value instanceof Float32Array ? single(value, name) : double(value, name));
}

/** The pieces that have pixels of a window. */
function overlapping(image: Size, piece: Size, { left, top, width, height }: Rectangle): Rectangle[] {
  const [right, bottom] = [Math.min(image.width, left + width), Math.min(image.height, top + height)];
  const first = { left: left - (left % piece.width), top: top - (top % piece.height) };
  const pieces: Rectangle[] = [];
  for (let y = first.top; y < bottom; y += piece.height) {
    for (let x = first.left; x < right; x += piece.width) {
      const [wide, high] = [Math.min(piece.width, image.width - x), Math.min(piece.height, image.height - y)];
      pieces.push({ left: x, top: y, width: wide, height: high });
    }
  }
  return pieces;
}
