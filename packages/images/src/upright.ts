import type { Samples } from 'ght';

/** Planes of one size. */
export interface Planes {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** The channels. */
  readonly planes: readonly Samples[];
  /** Opacity, where it is kept apart. */
  readonly alpha?: Samples;
}

/**
 * The planes turned as an EXIF or TIFF orientation asks: 2 to 4 mirror, 5 to 8 also exchange rows and columns. Anything
 * else leaves them as they are, which is what viewers do with an invalid tag.
 */
export function upright<Stored extends Planes>(stored: Stored, orientation: number): Stored {
  if (!(orientation >= 2 && orientation <= 8)) return stored;
  const exchanged = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const width = exchanged ? stored.height : stored.width;
  const height = exchanged ? stored.width : stored.height;
  const turn = (plane: Samples) => {
    const turned = plane.slice();
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        const [column, row] = exchanged ? [y, x] : [x, y];
        const from = fromBottom ? stored.height - 1 - row : row;
        turned[at] = plane[from * stored.width + (fromRight ? stored.width - 1 - column : column)];
      }
    }
    return turned;
  };
  const { planes, alpha } = stored;
  return { ...stored, width, height, planes: planes.map(turn), ...(alpha ? { alpha: turn(alpha) } : {}) };
}
