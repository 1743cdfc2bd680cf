import type { Representation } from 'ght';
import { drawHeatmap } from 'ght/draw';
import { loadSharp } from '../io/index.js';

/** The atoms per patch as a PNG of the size of the image, as in Figure 2 of the paper. */
export async function heatmapPng(representation: Pick<Representation, 'grid' | 'atomsPerPatch'>): Promise<Buffer> {
  const { width, height } = representation.grid;
  const sharp = await loadSharp();
  return sharp(drawHeatmap(representation), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
