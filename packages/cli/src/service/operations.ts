/** What can be asked for: the commands, their flags that take plain values, and those that take files, which must come with the request. */
import { dictionaryNames } from 'ght';

/** A command that a request can run. */
export interface Operation {
  /** The flags whose values are plain. They never name a file. */
  readonly options: readonly string[];
  /** The flags whose values are files. */
  readonly files: readonly string[];
  /** Texts that a flag for files also takes. */
  readonly words?: Readonly<Record<string, RegExp>>;
  /** Whether the result is an image; otherwise it is a report. */
  readonly image: boolean;
}

const every = ['axes', 'array', 'peak', 'channels'];
const written = ['jpeg-quality'];
const restored = ['quality', 'sigma', 'axes', 'array', 'peak', ...written];

/** The operations by the names of their commands. */
export const operations: Readonly<Record<string, Operation>> = {
  denoise: {
    options: [
      ...['quality', 'strength', 'strength-chroma', 'keep-grain', 'sigma', 'noise', 'gain', 'offset'],
      ...['impulses', 'banding', 'missing', 'float', ...every, ...written],
    ],
    files: ['reference', 'noise-model', 'noise-spectrum'],
    image: true,
  },
  represent: {
    options: [
      ...['solver', 'effort', 'budget', 'total-budget', 'target-psnr', 'target-rmse', 'sigma', 'spread'],
      ...[
        'patch',
        'atoms',
        'stride',
        'growth',
        'rho',
        'rho-absolute',
        'refit',
        'max-iterations',
        'tolerance',
        'preset',
        ...every,
        ...written,
      ],
    ],
    files: ['dictionary'],
    words: { dictionary: new RegExp(`^(${dictionaryNames.join('|')})$`) },
    image: true,
  },
  inpaint: { options: restored, files: ['mask', 'reference'], image: true },
  deblur: {
    options: restored,
    files: ['kernel', 'reference'],
    words: { kernel: /^(auto|[a-z]+:[-\d.,]+)$/ },
    image: true,
  },
  upscale: { options: [...restored, 'factor', 'blur'], files: ['reference'], image: true },
  diagnose: { options: ['noise', 'impulses', 'banding', 'missing', 'axes', 'array', 'peak'], files: [], image: false },
};

/** The formats of results, with their types; the first name of a type is the one that `Accept` selects. */
export const formats: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  tiff: 'image/tiff',
  webp: 'image/webp',
  bmp: 'image/bmp',
  avif: 'image/avif',
  ppm: 'image/x-portable-anymap',
  pfm: 'image/x-portable-floatmap',
  exr: 'image/x-exr',
  npy: 'application/x-npy',
};

/** The field of a form that holds the image. */
export const IMAGE = 'image';
/** The field for the format of the result. */
export const FORMAT = 'format';
