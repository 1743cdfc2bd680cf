import type { Image, Rectangle, Samples } from 'ght';

/** A part of an image, copied. */
export function cutOut(image: Image, { left, top, width, height }: Rectangle): Image {
  const cut = (plane: Samples) => {
    const part = plane.slice(0, width * height);
    for (let y = 0; y < height; y++) {
      const from = (top + y) * image.width + left;
      part.set(plane.subarray(from, from + width), y * width);
    }
    return part;
  };
  const { planes, alpha, peak } = image;
  return { width, height, peak, planes: planes.map(cut), ...(alpha ? { alpha: cut(alpha) } : {}) };
}
