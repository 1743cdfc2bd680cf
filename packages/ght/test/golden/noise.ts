import { inflateSync } from 'node:zlib';
import type { Image } from '../../src/index.js';
import type { JpegInfo } from '../../src/noise/model.js';
import { golden } from './golden.js';

/** What an independent implementation found in a plane; make_noise.py describes the layout. */
export interface GoldenPlane {
  readonly V: readonly (readonly number[])[];
  readonly R: readonly number[];
  readonly anchor: number;
  readonly confidence: number;
  readonly structure: number;
  readonly middle: number;
  readonly reference: number;
  readonly finest: number;
  readonly coarsest: number;
  readonly deviations: readonly (readonly number[])[];
}

/** An image, how it is looked at, and what an independent implementation found. */
export interface NoiseCase {
  readonly image: Image;
  readonly jpeg?: JpegInfo;
  /** The most blocks that are looked at. */
  readonly blocks?: number;
  readonly expected: {
    readonly blocks: number;
    readonly brightness: readonly number[];
    readonly white: boolean;
    readonly planes: readonly GoldenPlane[];
    readonly factor: number;
    /** The deviations that a denoiser takes, of a JPEG. */
    readonly model?: readonly (readonly (readonly number[])[])[];
    /** The same at half the size of the image, if the case asks for it. */
    readonly coarse?: {
      readonly brightness: readonly number[];
      readonly deviations: readonly (readonly (readonly number[])[])[];
    };
  };
}

interface GoldenFile {
  readonly pictures: Record<string, { readonly width: number; readonly height: number; readonly samples: string }>;
  readonly cases: readonly (Omit<NoiseCase, 'image'> & {
    readonly name: string;
    readonly planes: readonly string[];
    readonly gain: number;
    readonly offsets: readonly number[];
    readonly peak: number;
  })[];
}

const { pictures, cases }: GoldenFile = golden('noise.json');

/** All cases, by name. */
export const noiseCases: [name: string, noiseCase: NoiseCase][] = cases.map(
  ({ name, planes, gain, offsets, peak, ...rest }) => {
    const { width, height } = pictures[planes[0]];
    const samples = planes.map((picture, c) =>
      Float64Array.from(
        inflateSync(Buffer.from(pictures[picture].samples, 'base64')),
        (value) => gain * value + offsets[c],
      ),
    );
    return [name, { image: { width, height, planes: samples, peak }, ...rest }];
  },
);
