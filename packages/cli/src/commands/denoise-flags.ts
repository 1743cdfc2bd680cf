import type { Command } from 'commander';
import { Option } from 'commander';
import type { Quality } from 'ght';
import { choiceOf, type Flags } from '../flags.js';
import type { InputFlags } from '../input-flags.js';
import type { ImageFile } from '../io/index.js';
import { say } from '../output/line.js';
import type { TileFlags } from '../tile-flags.js';
import type { SeriesFlags } from './series-flags.js';

const noiseKinds = ['auto', 'white', 'poisson-gaussian'] as const;

/** A value of `--noise`. */
export type NoiseKind = (typeof noiseKinds)[number];

/** Parses `--noise`. White noise was called `gaussian` before, which still works. */
export function noiseKind(text: string): NoiseKind {
  if (text !== 'gaussian') return choiceOf('--noise', noiseKinds)(text);
  say('--noise gaussian is now called --noise white');
  return 'white';
}

/** `--impulses` and `--banding`, with what is done about them. */
export function defectFlags(command: Command, verb: string): Command {
  const when = ['auto', 'off'] as const;
  return command
    .addOption(
      new Option(
        '--impulses <when>',
        `${verb} salt and pepper, hot and dead pixels: auto or off (default: auto)`,
      ).argParser(choiceOf('--impulses', when)),
    )
    .addOption(
      new Option(
        '--banding <when>',
        `${verb} offsets of whole rows and columns: auto or off (default: auto)`,
      ).argParser(choiceOf('--banding', when)),
    );
}

/** `--missing`, with what it means for an image whose samples are NaN. */
export function missingOption(meaning: string): Option {
  const option = new Option('--missing <what>', `if samples are NaN, as in floats of .tiff and .npy: ${meaning}`);
  return option.argParser(choiceOf('--missing', ['keep', 'fill'] as const));
}

/** The flags of `ght denoise`. */
export interface DenoiseFlags extends Omit<Flags, 'sigma'>, InputFlags, TileFlags, SeriesFlags {
  readonly output: string;
  readonly method: 'groups' | 'paper';
  readonly sigma?: number | readonly number[] | 'auto';
  readonly jpegQuality?: number;
  readonly quality?: Quality;
  readonly noise?: NoiseKind;
  readonly strength?: number;
  readonly strengthChroma?: number;
  readonly keepGrain?: number;
  readonly missing?: 'keep' | 'fill';
  readonly impulses?: 'auto' | 'off';
  readonly banding?: 'auto' | 'off';
  readonly gain?: number;
  readonly offset?: number;
  readonly noiseSpectrum?: string;
  readonly noiseModel?: string;
  readonly sameCamera?: true;
  readonly separate?: true;
  readonly reference?: string;
  readonly float?: true;
}

/** Samples as floats, which are neither rounded nor clipped. */
export function asFloat({ sample, depth }: Pick<ImageFile, 'sample' | 'depth'>): Pick<ImageFile, 'sample' | 'depth'> {
  return { sample: 'float', depth: sample === 'float' ? depth : 32 };
}
