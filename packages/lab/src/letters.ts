/** The letters G, H and T, 5×7 dots each. */
const GLYPHS = [
  ['#####', '#....', '#....', '#.###', '#...#', '#...#', '#####'],
  ['#...#', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
];
/** Pixels per dot, dots from letter to letter, and pixels from line to line. */
const [DOT, ADVANCE, LINE] = [2, 7, 26];

/** A mask with lines of letters: 1 where a stroke covers a pixel. */
export function letters(width: number, height: number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    const [row, column] = [Math.floor((y % LINE) / DOT), Math.floor(x / DOT)];
    const glyph = GLYPHS[(Math.floor(column / ADVANCE) + Math.floor(y / LINE)) % GLYPHS.length];
    return Number(glyph[row]?.[column % ADVANCE] === '#');
  });
}
