// Pictures that are drawn: pages of text and drawings, and cells under a microscope. All from a seed.
import { randomSource } from 'ght';
import sharp from 'sharp';

const WORDS =
  'the noise of an image is what differs between two exposures of the same still scene and nothing else may be removed from it'.split(
    ' ',
  );

/** A grey page: lines of text in several sizes, ruled lines, a table and a curve. `twoTone` leaves only black and white. */
export async function page(side, seed, twoTone = false) {
  const { below, uniform } = randomSource(seed);
  const parts = [`<rect width="${side}" height="${side}" fill="white"/>`];
  let y = 10;
  while (y < 0.68 * side) {
    const size = 9 + below(10);
    const text = Array.from({ length: 14 }, () => WORDS[below(WORDS.length)]).join(' ');
    const family = ['serif', 'sans-serif', 'monospace'][below(3)];
    y += size + 3;
    parts.push(`<text x="8.3" y="${y}" font-size="${size}" font-family="${family}">${text}</text>`);
    if (uniform() < 0.2) parts.push(`<path d="M8 ${y + 4.5}H${side - 8}" stroke="black" stroke-width="1"/>`);
  }
  const [top, bottom] = [y + 12, side - 8];
  for (const x of [8.5, 48.5, 88.5]) parts.push(`<path d="M${x} ${top}V${bottom}" stroke="black"/>`);
  for (const at of [top, (top + bottom) / 2, bottom]) parts.push(`<path d="M8 ${at}H89" stroke="black"/>`);
  const curve = Array.from({ length: 12 }, (_, i) => {
    const x = 100 + (i * (side - 110)) / 11;
    return `${x.toFixed(1)} ${(top + uniform() * (bottom - top)).toFixed(1)}`;
  });
  parts.push(`<path d="M${curve.join('L')}" stroke="black" stroke-width="1.4" fill="none"/>`);
  parts.push(`<circle cx="${0.8 * side}" cy="${(top + bottom) / 2}" r="14" fill="#777"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${parts.join('')}</svg>`;
  const data = await sharp(Buffer.from(svg)).flatten().greyscale().raw().toBuffer();
  const plane = twoTone ? data.map((value) => (value < 128 ? 0 : 255)) : data;
  return { width: side, height: side, planes: [Uint8Array.from(plane)], peak: 255 };
}

/** Cells on a dark ground, as a signal from 0 to 1 in a list of planes: blobs with a brighter nucleus and fine filaments. */
export function cells(side, channels, seed) {
  const { uniform, below } = randomSource(seed);
  const planes = Array.from({ length: channels }, () => {
    const plane = new Float64Array(side * side).fill(0.01);
    const spot = (cx, cy, a, b, angle, height) => {
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (let i = 0; i < plane.length; i++) {
        const [x, y] = [(i % side) - cx, Math.floor(i / side) - cy];
        const r = Math.hypot((x * cos + y * sin) / a, (y * cos - x * sin) / b);
        if (r < 4) plane[i] += height / (1 + Math.exp(8 * (r - 1)));
      }
    };
    for (let k = 0; k < 9; k++) {
      const [x, y, r, angle] = [uniform() * side, uniform() * side, 9 + below(16), Math.PI * uniform()];
      const height = 0.08 + 0.3 * uniform();
      spot(x, y, r, 0.7 * r, angle, height);
      spot(x + 2, y - 1, 0.4 * r, 0.3 * r, angle, height);
    }
    for (let k = 0; k < 40; k++)
      spot(uniform() * side, uniform() * side, 6, 0.9, Math.PI * uniform(), 0.15 * uniform());
    return plane.map((value) => Math.min(1, value));
  });
  return { width: side, height: side, planes, peak: 1 };
}
