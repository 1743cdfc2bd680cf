/** Three columns by five rows of bits for each character, top row first. */
const CHARACTERS = new Map<string, readonly number[]>([
  ['0', [7, 5, 5, 5, 7]],
  ['1', [2, 6, 2, 2, 7]],
  ['2', [7, 1, 7, 4, 7]],
  ['3', [7, 1, 7, 1, 7]],
  ['4', [5, 5, 7, 1, 1]],
  ['5', [7, 4, 7, 1, 7]],
  ['6', [7, 4, 7, 5, 7]],
  ['7', [7, 1, 1, 1, 1]],
  ['8', [7, 5, 7, 5, 7]],
  ['9', [7, 5, 7, 1, 7]],
  ['.', [0, 0, 0, 0, 2]],
  ['%', [5, 1, 2, 4, 5]],
]);

/** RGB pixels, row by row. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Fills a rectangle. */
export function fill(
  { width, pixels }: Canvas,
  x: number,
  y: number,
  w: number,
  h: number,
  rgb: readonly number[],
): void {
  for (let v = y; v < y + h; v++) for (let u = x; u < x + w; u++) pixels.set(rgb, 3 * (v * width + u));
}

/** The width of a number in pixels, if a dot has `dot` pixels; its height is five dots. */
export function widthOf(text: string, dot: number): number {
  return (4 * text.length - 1) * dot;
}

/** Writes a number in white. */
export function write(canvas: Canvas, text: string, x: number, y: number, dot: number): void {
  for (const [place, character] of [...text].entries()) {
    for (const [row, bits] of (CHARACTERS.get(character) ?? []).entries()) {
      for (let column = 0; column < 3; column++) {
        if (bits & (4 >> column))
          fill(canvas, x + (4 * place + column) * dot, y + row * dot, dot, dot, [255, 255, 255]);
      }
    }
  }
}
