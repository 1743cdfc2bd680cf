/** What `ght inpaint`, `ght deblur` and `ght upscale` share: their flags, what they are asked for, and what they say. */
import type { Command } from 'commander';
import { Option } from 'commander';
import {
  describe,
  describeBySubject,
  type EngineName,
  type Image,
  type Quality,
  type RestorationOptions,
  type Restored,
} from 'ght';
import type { ImageMetadata } from 'ght-images';
import type { RestoreTask } from 'ght-tiles';
import { choiceOf, engineFlags, jsonFlag, quietFlag } from '../flags.js';
import { formatFlag, type InputFlags, inputFlags, pagesFlag } from '../input-flags.js';
import type { ImageFile } from '../io/index.js';
import { jpegQuality } from '../output/picture.js';
import type { ProgressDisplay } from '../output/progress.js';
import { measure } from '../output/table.js';
import { type TileFlags, tileFlags } from '../tile-flags.js';

/** The qualities of restorations. */
const restorationQualities = ['fast', 'balanced', 'best', 'learned'] as const satisfies readonly Quality[];

/** The flags that all restorations have. */
export interface RestorationFlags extends InputFlags, TileFlags {
  readonly output: string;
  readonly quality?: (typeof restorationQualities)[number];
  readonly jpegQuality?: number;
  readonly reference?: string;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly json?: true;
  readonly quiet?: true;
}

/** Adds the flags that all restorations have. */
export function restorationFlags(command: Command): Command {
  const others = command.name() === 'inpaint' ? restorationQualities.slice(0, 3) : restorationQualities;
  const qualityText = `${others.join(', ')} (default: balanced)`;
  command
    .requiredOption(
      '-o, --output <file>',
      'write the restored image (.png .jpg .tiff .webp .avif .bmp .ppm .pfm .fits .exr .npy .zarr); - is standard output; or a folder, for the name of the image',
    )
    .addOption(new Option('--quality <name>', qualityText).argParser(choiceOf('--quality', restorationQualities)))
    .option('--jpeg-quality <q>', 'quality of a .jpg output, from 1 to 100 (default: 95)', jpegQuality)
    .option('--reference <image>', 'the image as it should be, to measure the PSNR against');
  return jsonFlag(quietFlag(tileFlags(engineFlags(formatFlag(pagesFlag(inputFlags(command)))))));
}

/** The options that the flags ask for. */
export function restorationOptions({ quality, engine, threads }: RestorationFlags): RestorationOptions {
  return { quality, engine, threads };
}

/** A restoration, as far as the command shows it. */
export interface Outcome {
  readonly image: Image;
  /** For programs. */
  readonly summary: object;
  /** For people. */
  readonly rows: readonly (readonly [string, string])[];
}

/** A command's own part. */
export interface Task {
  readonly name: 'inpaint' | 'deblur' | 'upscale';
  /** Files that are read besides the image, which the output must not overwrite. */
  readonly inputs: readonly { readonly path: string; readonly parameter: string }[];
  /** The size of the result by that of the image. @default 1 */
  readonly factor?: number;
  /** The task for an image in tiles; undefined if it has none. */
  inTiles(): Promise<RestoreTask<string> | undefined>;
  /** Reads what it needs besides the image, and restores it. */
  restore(
    file: ImageFile,
    watch: { readonly signal: AbortSignal } & Pick<ProgressDisplay, 'onProgress'>,
  ): Promise<Outcome>;
}

/** What was found, what the loop did, and what may be wrong. */
export function loopRows(result: Omit<Restored, 'image'>): readonly (readonly [string, string])[] {
  const { sigma, estimated, jpegQuality, quality, history } = result;
  const { noise: removed, reduction, blur, missing, warning } = describeBySubject(result);
  const level = `${estimated ? 'estimated' : 'given'}: σ = ${measure(sigma)}`;
  const steps = estimated && jpegQuality !== undefined ? `, JPEG steps of quality about ${jpegQuality} counted in` : '';
  const rows: [string, string | undefined][] = [
    ['missing', missing],
    ['kernel', blur && `found: ${blur}`],
    ['quality', `${quality}, ${history.length} steps`],
    ['noise', result.noise ? removed : sigma === 0 ? 'none assumed' : `${level}${steps}`],
    ['reduction', reduction],
    ['warning', warning],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}

/** What the loop did, for programs. Of the noise that was removed, the large tables are left out. */
export function loopSummary(result: Omit<Restored, 'image'>): object {
  const { noise, ...others } = result;
  const { model, levels, jpegQuality, confidence } = noise ?? {};
  const sigma = model?.kind === 'white' ? model.sigma : undefined;
  const removed = model && { kind: model.kind, sigma, levels, jpegQuality, confidence };
  return { ...others, ...(removed && { noise: removed }), messages: describe(result) };
}

/** Metadata of an enlarged image: more pixels lie on the same length. */
export function finer(metadata: ImageMetadata, factor: number): ImageMetadata {
  const { resolution, fits, ...others } = metadata;
  // The coordinates of the sky in a header count pixels.
  if (fits && factor !== 1)
    return finer({ ...others, resolution, notRead: ['FITS header', ...(others.notRead ?? [])] }, factor);
  if (factor === 1 || !resolution || resolution.unit === 'none') return metadata;
  return { ...metadata, resolution: { ...resolution, x: factor * resolution.x, y: factor * resolution.y } };
}
