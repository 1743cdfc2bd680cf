import type { Image, Samples } from 'ght';

/** The image with every n×n block of pixels replaced by its mean; incomplete blocks at the edge are dropped. */
export function reduced(image: Image, n: number): Image {
  const width = Math.max(1, Math.floor(image.width / n));
  const height = Math.max(1, Math.floor(image.height / n));
  const [across, down] = [Math.min(n, image.width), Math.min(n, image.height)];
  const mean = (plane: Samples) => {
    const small = new Float32Array(width * height);
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        let sum = 0;
        for (let v = 0; v < down; v++) {
          for (let u = 0; u < across; u++) sum += plane[(y * n + v) * image.width + x * n + u];
        }
        small[at] = sum / (across * down);
      }
    }
    return small;
  };
  return { width, height, planes: image.planes.map(mean), peak: image.peak };
}
