/** What the readers share that are loaded when they are first needed. */
import { InputError } from 'ght';
import type { Refuse } from 'ght-images';
import type { Raster } from './decoded.js';

/** An error that says the rule and the remedy as two sentences about the file. */
export const refuse: Refuse = (rule, remedy) => {
  return Object.assign(new InputError('file', rule, 'file', remedy), {
    message: `${rule}. ${remedy[0].toUpperCase()}${remedy.slice(1)}.`,
  });
};

/** The samples of planes of one type, the channels of a pixel side by side. */
export function interleaved(planes: readonly Raster['samples'][]): Raster['samples'] {
  const [plane] = planes;
  const channels = planes.length;
  if (channels === 1) return plane;
  const Kind = plane.constructor as new (length: number) => Raster['samples'];
  const samples = new Kind(channels * plane.length);
  for (const [channel, values] of planes.entries()) {
    for (let i = 0, at = channel; i < values.length; i++, at += channels) samples[at] = values[i];
  }
  return samples;
}
