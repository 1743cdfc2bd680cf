import { extname } from 'node:path';
import type { Command } from 'commander';
import { InputError, nonzeros } from 'ght';
import { type DecodedImage, decodeImage } from 'ght/npy';
import type { Context } from '../context.js';
import { jsonFlag, quietFlag } from '../flags.js';
import {
  checkFormat,
  checkOutputs,
  type ImageFile,
  imageExtensions,
  imageOutput,
  readBytes,
  writeTogether,
} from '../io/index.js';
import { checkQuality, jpegQuality } from '../output/picture.js';
import { imageLine, imageSummary } from '../output/summary.js';
import { count, facts } from '../output/table.js';
import { inMadeFolder, placeOf } from './output-folder.js';

interface DecodeFlags {
  readonly output: string;
  readonly jpegQuality?: number;
  readonly json?: true;
  readonly quiet?: true;
}

/** `ght decode`. */
export function decodeCommand(program: Command, context: Context): void {
  const command = program
    .command('decode')
    .summary('rebuild an image from its sparse codes')
    .description(
      'Rebuilds the image whose codes ght represent --codes has written, with the size, depth and alpha of the original. ' +
        'Its colour profile and EXIF are not in the codes.',
    )
    .argument('<CODES.npz>', 'the codes')
    .requiredOption(
      '-o, --output <file>',
      'write the image (.png .jpg .tiff .webp .avif .bmp .ppm .pfm .fits .exr .npy); or a folder to write it to as a .png, or as a .npy if it has floats or ' +
        'wider integers',
    )
    .option('--jpeg-quality <q>', 'quality of a .jpg output, from 1 to 100 (default: 95)', jpegQuality);
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght decode photo.npz -o photo.png
  ght represent scan.tiff --budget 5 --codes scan.npz && ght decode scan.npz -o decoded/`,
    )
    .action((path: string, flags: DecodeFlags) => runDecode(path, flags, context));
}

async function runDecode(path: string, flags: DecodeFlags, context: Context): Promise<void> {
  const decoded = await decodeImage(await readBytes(path, 'CODES'), { signal: context.signal });
  const file = fileOf(decoded);
  const { output, folder } = await placeOf(flags.output, path, (name) => {
    return `${name.slice(0, name.length - extname(name).length)}${isPng(file) ? '.png' : '.npy'}`;
  });
  await inMadeFolder(folder, () => write(path, { ...flags, output: output as string }, decoded, file, context));
}

async function write(
  path: string,
  { output, jpegQuality, json }: DecodeFlags,
  { codes }: DecodedImage,
  file: ImageFile,
  { print }: Context,
): Promise<void> {
  const outputs = [{ path: output, kinds: imageExtensions, parameter: '-o' }];
  await checkOutputs([{ path, parameter: 'CODES' }], outputs);
  checkQuality(output, jpegQuality);
  checkFormat(output, file.image, file, '-o');
  await writeTogether([await imageOutput(output, file.image, file, '-o', { jpegQuality })]);
  const used = nonzeros(codes);
  if (json) {
    const image = imageSummary(file);
    print(JSON.stringify({ task: 'decode', image, patches: codes.P, atoms: codes.L, nonzeros: used, output }));
    return;
  }
  print(
    `${imageLine(path, file)}\n${facts([
      ['patches', `${count(codes.P)}, over ${codes.L} atoms`],
      ['nonzeros', `${count(used)} (${(used / codes.P).toFixed(2)} per patch)`],
      ['wrote', output],
    ])}`,
  );
}

/** Whether a PNG holds such samples. */
function isPng({ sample, depth }: ImageFile): boolean {
  return sample === 'uint' && depth <= 16;
}

const types = {
  uint8: { sample: 'uint', depth: 8 },
  uint16: { sample: 'uint', depth: 16 },
  uint32: { sample: 'uint', depth: 32 },
  int8: { sample: 'int', depth: 8 },
  int16: { sample: 'int', depth: 16 },
  int32: { sample: 'int', depth: 32 },
  float16: { sample: 'float', depth: 16 },
  float32: { sample: 'float', depth: 32 },
  float64: { sample: 'float', depth: 64 },
} as const;

/** The image as a file, with the sample type from the codes; float32 if the codes have none. */
function fileOf({ image, sampleType = 'float32' }: DecodedImage): ImageFile {
  if (!(sampleType in types)) {
    const rule = `must have samples of a known type (${Object.keys(types).join(', ')})`;
    throw new InputError('CODES', rule, sampleType, 'make the codes again with ght represent --codes');
  }
  return { image, format: 'npy', ...types[sampleType as keyof typeof types] };
}
